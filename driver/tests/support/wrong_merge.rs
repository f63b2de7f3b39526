//! A backend that merges one ply wrong.

use std::ops::Range;

use kogge_board::merge::{Entry, Merge, MergeError, MergeOptions, Partition};
use kogge_board::{Backend, BackendError, DeviceInfo, Leaves, Quad48, Rules, Score, Successors};
use kogge_movegen_cpu::Cpu;

use super::info;

/// A fault of merging.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    LosesPosition,
    DoublesPosition,
    ForgetsMultiplicity,
}

impl Fault {
    pub const ALL: [Self; 3] = [Self::LosesPosition, Self::DoublesPosition, Self::ForgetsMultiplicity];

    /// Spoils one entry, and returns whether there was one to spoil.
    fn spoil(self, entries: &mut Vec<Entry>) -> bool {
        let Some(index) = entries.iter().rposition(|entry| self != Self::ForgetsMultiplicity || entry.multiplicity > 1)
        else {
            return false;
        };
        match self {
            Self::LosesPosition => drop(entries.remove(index)),
            Self::DoublesPosition => entries.push(entries[index]),
            Self::ForgetsMultiplicity => entries[index].multiplicity = 1,
        }
        true
    }
}

/// Counts and merges on the CPU, but spoils one entry of a ply.
pub struct WrongMerge {
    cpu: Cpu,
    info: DeviceInfo,
    fault: Option<Fault>,
    ply: u32,
    /// The number of successors that fit. Only a failure to make room for more tells it.
    pub fitting: u64,
}

impl WrongMerge {
    pub const DEVICE: &str = "a forgetful device";

    pub fn new(fault: Option<Fault>, ply: u32) -> Self {
        Self { cpu: Cpu::new(Some(1)).unwrap(), info: info(Self::DEVICE, 64), fault, ply, fitting: u64::MAX }
    }
}

impl Backend for WrongMerge {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn count(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError> {
        self.cpu.count(rules, positions)
    }

    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
        self.cpu.expand(rules, positions)
    }

    fn perft(&mut self, rules: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<u64>, BackendError> {
        self.cpu.perft(rules, positions, depth)
    }

    fn merge(&mut self, rules: &Rules, options: &MergeOptions) -> Result<Box<dyn Merge + '_>, BackendError> {
        let merge = self.cpu.merge(rules, options)?;
        Ok(Box::new(Spoiled {
            merge,
            fault: self.fault,
            at: self.ply,
            ply: 0,
            room: 0,
            fitting: self.fitting,
            most: u64::MAX,
        }))
    }

    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
    ) -> Result<Vec<Score>, BackendError> {
        self.cpu.minimax(rules, positions, depth, leaves)
    }
}

struct Spoiled<'a> {
    merge: Box<dyn Merge + 'a>,
    fault: Option<Fault>,
    at: u32,
    ply: u32,
    room: u64,
    fitting: u64,
    most: u64,
}

impl Spoiled<'_> {
    /// Spoils one entry of the successors, once.
    fn spoil(&mut self) -> Result<(), MergeError> {
        if let Some(fault) = self.fault.filter(|_| self.ply == self.at) {
            let mut entries = self.merge.entries(0..u64::MAX)?;
            if fault.spoil(&mut entries) {
                self.fault = None;
                self.merge.reserve(self.room)?;
                self.merge.add(&entries)?;
            }
        }
        Ok(())
    }
}

impl Merge for Spoiled<'_> {
    fn parents(&self) -> u64 {
        self.merge.parents()
    }

    fn successors(&self) -> u64 {
        self.merge.successors()
    }

    fn most_successors(&self) -> u64 {
        self.merge.most_successors().min(self.most)
    }

    fn reserve(&mut self, successors: u64) -> Result<(), MergeError> {
        if successors > self.fitting {
            self.most = successors - successors.div_ceil(8);
            return Err(MergeError::Full);
        }
        self.room = successors;
        self.merge.reserve(successors)
    }

    fn add(&mut self, entries: &[Entry]) -> Result<(), MergeError> {
        self.merge.add(entries)?;
        self.spoil()
    }

    fn expand(&mut self, parents: Range<u64>, partition: Partition) -> Result<u128, MergeError> {
        let paths = self.merge.expand(parents, partition)?;
        self.spoil()?;
        Ok(paths)
    }

    fn descend(&mut self) -> Result<(), MergeError> {
        self.ply += 1;
        self.merge.descend()
    }

    fn perft(&mut self, successors: Range<u64>, depth: u32) -> Result<u128, MergeError> {
        self.merge.perft(successors, depth)
    }

    fn entries(&mut self, successors: Range<u64>) -> Result<Vec<Entry>, MergeError> {
        self.merge.entries(successors)
    }
}
