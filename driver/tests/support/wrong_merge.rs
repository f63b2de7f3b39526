//! A backend that merges one ply wrongly.

use std::ops::Range;

use kogge_board::merge::{Filter, Merge, MergeAdvice, MergeError, MergeSizes, Summand, WeightedPosition};
use kogge_board::{Backend, Categories};
use kogge_movegen_cpu::Cpu;
use kogge_testkit::Wrapped;

use super::{Erred, info};

/// A fault of merging.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    LosesPosition,
    DoublesPosition,
    ForgetsMultiplicity,
    /// Skips the first parent whenever there is a filter.
    SkipsParent,
}

impl Fault {
    /// The faults that the multiplicities reveal at once.
    pub const ALL: [Self; 3] = [Self::LosesPosition, Self::DoublesPosition, Self::ForgetsMultiplicity];

    /// Spoils one entry, and returns whether there was one to spoil.
    fn spoil(self, entries: &mut Vec<WeightedPosition>) -> bool {
        if self == Self::SkipsParent {
            return false;
        }
        let Some(index) = entries.iter().rposition(|entry| self != Self::ForgetsMultiplicity || entry.multiplicity > 1)
        else {
            return false;
        };
        match self {
            Self::LosesPosition => drop(entries.remove(index)),
            Self::DoublesPosition => entries.push(entries[index]),
            Self::ForgetsMultiplicity => entries[index].multiplicity = 1,
            Self::SkipsParent => {}
        }
        true
    }
}

/// A device that counts and merges on the CPU, but spoils an entry of a ply.
#[derive(Clone)]
pub struct WrongMerge {
    pub fault: Option<Fault>,
    pub ply: u32,
    /// Whether the fault occurs exactly in the expansions that have a filter.
    pub in_ranges: bool,
    /// Whether the device reports that it counts in runs. Then only ranges of reversed keys are regarded as ranges.
    pub counts_in_runs: bool,
    /// The number of successors that fit. The device reports this limit only by failing to make room for more.
    pub fitting: u64,
    /// The greatest depth of a count whose levels fit in its memory.
    pub deepest: u32,
    /// Notified when an entry is spoiled.
    pub erred: Erred,
}

impl WrongMerge {
    pub const DEVICE: &str = "a forgetful device";

    pub fn new(fault: Option<Fault>, ply: u32) -> Self {
        let erred = Erred::default();
        Self { fault, ply, in_ranges: false, counts_in_runs: false, fitting: u64::MAX, deepest: u32::MAX, erred }
    }

    /// A right device that counts in runs, so that ranges are of reversed keys.
    pub fn in_runs() -> Self {
        Self { counts_in_runs: true, ..Self::new(None, 0) }
    }

    pub fn open(self) -> impl Backend {
        let wrapped = Wrapped::new(Cpu::new(Some(1)).unwrap()).described(info(Self::DEVICE, 64));
        wrapped.merge(move |cpu, rules, options| {
            let (merge, wrong) = (cpu.merge(rules, options)?, self.clone());
            Ok(Box::new(Spoiled { merge, wrong, ply: 0, room: 0, kept: Filter::All, most: u64::MAX }))
        })
    }
}

struct Spoiled<'a> {
    merge: Box<dyn Merge + 'a>,
    wrong: WrongMerge,
    ply: u32,
    room: u64,
    kept: Filter,
    most: u64,
}

impl Spoiled<'_> {
    /// Whether the successors are made in ranges.
    fn is_in_ranges(&self) -> bool {
        if self.wrong.counts_in_runs {
            matches!(self.kept, Filter::Reaching { is_reversed: true, .. })
        } else {
            self.kept != Filter::All
        }
    }

    /// Spoils one entry of the successors, once or in each range.
    fn spoil(&mut self) -> Result<(), MergeError> {
        if let Some(fault) =
            self.wrong.fault.filter(|_| self.ply == self.wrong.ply && (!self.wrong.in_ranges || self.is_in_ranges()))
        {
            let mut entries = self.merge.entries(0..u64::MAX)?;
            if fault.spoil(&mut entries) {
                // A range that does not fit is made again, and would be right the second time.
                self.wrong.fault = self.wrong.fault.filter(|_| self.wrong.in_ranges);
                self.merge.reserve(self.room, self.kept)?;
                self.merge.add(&entries)?;
                self.wrong.erred.tell();
            }
        }
        Ok(())
    }
}

impl Merge for Spoiled<'_> {
    fn sizes(&self) -> MergeSizes {
        let sizes = self.merge.sizes();
        MergeSizes { capacity: sizes.capacity.min(self.most), ..sizes }
    }

    fn advice(&self, _depth: u32, _successors: u64) -> MergeAdvice {
        MergeAdvice { in_runs: self.wrong.counts_in_runs, ..MergeAdvice::default() }
    }

    fn reserve(&mut self, successors: u64, kept: Filter) -> Result<(), MergeError> {
        if successors > self.wrong.fitting {
            self.most = successors - successors.div_ceil(8);
            return Err(MergeError::Full);
        }
        (self.room, self.kept) = (successors, kept);
        self.merge.reserve(successors, kept)
    }

    fn add(&mut self, entries: &[WeightedPosition]) -> Result<(), MergeError> {
        if self.merge.parents() == 0 {
            self.ply = 0;
        }
        self.merge.add(entries)?;
        self.spoil()
    }

    fn expand_every(&mut self, stride: u64, mut parents: Range<u64>) -> Result<u128, MergeError> {
        if self.wrong.fault == Some(Fault::SkipsParent) && self.ply == self.wrong.ply && self.is_in_ranges() {
            parents.start = parents.start.max(1);
        }
        let paths = self.merge.expand_every(stride, parents)?;
        self.spoil()?;
        Ok(paths)
    }

    fn descend(&mut self, keep: bool) -> Result<(), MergeError> {
        self.ply += 1;
        self.merge.descend(keep)
    }

    fn ascend(&mut self) -> Result<(), MergeError> {
        self.ply = self.ply.saturating_sub(1);
        self.merge.ascend()
    }

    fn sum(&mut self, successors: Range<u64>, summand: Summand) -> Result<Categories, MergeError> {
        match summand {
            Summand::Leaves(depth) | Summand::Kinds(depth) if depth > self.wrong.deepest => Err(MergeError::Full),
            _ => self.merge.sum(successors, summand),
        }
    }

    fn entries(&mut self, successors: Range<u64>) -> Result<Vec<WeightedPosition>, MergeError> {
        self.merge.entries(successors)
    }
}
