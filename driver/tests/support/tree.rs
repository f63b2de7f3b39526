//! A tree that is not a chess tree: all nodes of a ply have the same number of children, so every count is a product.

use kogge_board::merge::{Merge, MergeOptions};
use kogge_board::{
    Backend, BackendError, Categories, DeviceInfo, Leaves, Quad48, Rules, Score, Successors, Watch, host, report,
};

use super::info;

type Result<T> = std::result::Result<T, BackendError>;

/// A call of the backend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    Expand { positions: usize },
    Perft { positions: usize, depth: u32 },
}

pub struct Tree {
    pub info: DeviceInfo,
    /// The number of children of each node of ply 0, 1, ...; the last number holds for all plies below.
    pub branching: Vec<u64>,
    pub calls: Vec<Call>,
    /// Fail in the call with this number, counted from 1.
    pub fail_at: Option<usize>,
    /// The number of leaves that fit in memory; a call for more leaves fails.
    pub memory: u128,
    /// Forget the last answer of every perft call.
    pub forgetful: bool,
}

impl Tree {
    pub fn new(branching: &[u64], batch: usize) -> Self {
        Self {
            info: info("tree", batch),
            branching: branching.to_vec(),
            calls: Vec::new(),
            fail_at: None,
            memory: u128::MAX,
            forgetful: false,
        }
    }

    fn children(&self, ply: usize) -> u64 {
        self.branching[ply.min(self.branching.len() - 1)]
    }

    fn called(&mut self, call: Call) -> Result<()> {
        self.calls.push(call);
        if self.fail_at == Some(self.calls.len()) {
            let doing = "in a test".into();
            return Err(BackendError::Device { device: "tree".into(), doing, reason: "it was told to.".into() });
        }
        Ok(())
    }

    pub fn most_positions(&self) -> usize {
        let sizes = self.calls.iter().map(|call| match *call {
            Call::Expand { positions } | Call::Perft { positions, .. } => positions,
        });
        sizes.max().unwrap_or(0)
    }
}

/// Returns the ply of a node, which is stored in a word. Only the root is a position, with kings.
fn ply(node: &Quad48) -> usize {
    if node.kings != 0 { 0 } else { node.white as usize }
}

impl Backend for Tree {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn expand(&mut self, _: &Rules, positions: &[Quad48]) -> Result<Successors> {
        self.called(Call::Expand { positions: positions.len() })?;
        let mut successors = Successors::default();
        for node in positions {
            for index in 0..self.children(ply(node)) {
                let child = Quad48 { white: ply(node) as u64 + 1, knights: index, ..Quad48::default() };
                successors.positions.push(child);
            }
            successors.ends.push(successors.positions.len());
        }
        Ok(successors)
    }

    fn perft(&mut self, _: &Rules, positions: &[Quad48], depth: u32, watch: &mut Watch<'_>) -> Result<Vec<u128>> {
        self.called(Call::Perft { positions: positions.len(), depth })?;
        let (mut counts, mut leaves) = (Vec::new(), 0);
        for node in positions {
            let mut plies = ply(node)..ply(node) + depth as usize;
            let count = plies.try_fold(1_u128, |product, ply| product.checked_mul(self.children(ply).into()));
            let count = count.ok_or(BackendError::Overflow)?;
            counts.push(count);
            leaves += count;
            report(watch, leaves, counts.len() as f64 / positions.len() as f64)?;
        }
        if leaves > self.memory {
            return Err(BackendError::OutOfMemory { device: "tree".into(), doing: "in a test".into() });
        }
        if self.forgetful {
            counts.pop();
        }
        Ok(counts)
    }

    fn categories(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Categories>> {
        // Every move captures.
        let leaves = self.perft(rules, positions, depth, watch)?.into_iter();
        Ok(leaves.map(|nodes| Categories { nodes, captures: nodes, ..Categories::default() }).collect())
    }

    fn merge(&mut self, rules: &Rules, options: &MergeOptions) -> Result<Box<dyn Merge + '_>> {
        Ok(Box::new(host::HostMerge::new(self, rules, *options)))
    }

    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Score>> {
        host::minimax(self, rules, positions, depth, leaves, watch)
    }
}
