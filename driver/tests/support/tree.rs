//! A tree that is not chess: all nodes of a ply have the same number of children, so every count is a product.

use kogge_board::{Backend, BackendError, Categories, DeviceInfo, Quad48, Rules, Successors, Watch, Watched};

use super::info;

/// A call of the backend.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    Count { positions: usize },
    Expand { positions: usize },
    Perft { positions: usize, depth: u32 },
}

pub struct Tree {
    pub info: DeviceInfo,
    /// Children of each node of ply 0, 1, ...; the last number holds for all plies below.
    pub branching: Vec<u64>,
    pub calls: Vec<Call>,
    /// Fail in the call with this number, counted from 1.
    pub fail_at: Option<usize>,
    /// Leaves that fit in memory; a call for more fails.
    pub memory: u64,
    /// The largest count that can be held.
    pub largest: u64,
    /// Forget the last answer of every perft call.
    pub forgetful: bool,
    /// Let calls be watched; they report after each position.
    pub watched: bool,
}

impl Tree {
    pub fn new(branching: &[u64], batch: usize) -> Self {
        Self {
            info: info("tree", batch),
            branching: branching.to_vec(),
            calls: Vec::new(),
            fail_at: None,
            memory: u64::MAX,
            largest: u64::MAX,
            forgetful: false,
            watched: false,
        }
    }

    fn children(&self, ply: usize) -> u64 {
        self.branching[ply.min(self.branching.len() - 1)]
    }

    fn called(&mut self, call: Call) -> Result<(), BackendError> {
        self.calls.push(call);
        if self.fail_at == Some(self.calls.len()) {
            let doing = "in a test".into();
            return Err(BackendError::Device { device: "tree".into(), doing, reason: "it was told to.".into() });
        }
        Ok(())
    }

    pub fn most_positions(&self) -> usize {
        let sizes = self.calls.iter().map(|call| match *call {
            Call::Count { positions } | Call::Expand { positions } | Call::Perft { positions, .. } => positions,
        });
        sizes.max().unwrap_or(0)
    }
}

/// Returns the ply of a node, which is kept in a word. Only the root is a position, with kings.
fn ply(node: &Quad48) -> usize {
    if node.kings != 0 { 0 } else { node.white as usize }
}

impl Backend for Tree {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn count(&mut self, _: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError> {
        self.called(Call::Count { positions: positions.len() })?;
        Ok(positions.iter().map(|node| self.children(ply(node)) as u32).collect())
    }

    fn expand(&mut self, _: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
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

    fn perft(&mut self, _: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<u64>, BackendError> {
        self.called(Call::Perft { positions: positions.len(), depth })?;
        let mut counts = Vec::new();
        for node in positions {
            let mut plies = ply(node)..ply(node) + depth as usize;
            let count = plies.try_fold(1u64, |product, ply| product.checked_mul(self.children(ply)));
            counts.push(count.filter(|&count| count <= self.largest).ok_or(BackendError::Overflow)?);
        }
        if counts.iter().map(|&count| u128::from(count)).sum::<u128>() > self.memory.into() {
            return Err(BackendError::OutOfMemory { device: "tree".into(), doing: "in a test".into() });
        }
        if self.forgetful {
            counts.pop();
        }
        Ok(counts)
    }

    fn categories(&mut self, rules: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<Categories>, BackendError> {
        // Every move captures.
        let leaves = self.perft(rules, positions, depth)?.into_iter().map(u128::from);
        Ok(leaves.map(|nodes| Categories { nodes, captures: nodes, ..Categories::default() }).collect())
    }

    fn watched(&mut self) -> Option<&mut dyn Watched> {
        if self.watched { Some(self) } else { None }
    }

    kogge_board::host_merge!();

    kogge_board::host_minimax!();
}

impl Watched for Tree {
    fn perft_watched(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<u64>, BackendError> {
        let counts = self.perft(rules, positions, depth)?;
        let mut leaves = 0_u128;
        for (index, &count) in counts.iter().enumerate() {
            leaves += u128::from(count);
            if watch(leaves, (index + 1) as f64 / counts.len() as f64).is_break() {
                return Err(BackendError::Stopped);
            }
        }
        Ok(counts)
    }

    fn categories_watched(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Categories>, BackendError> {
        let found = self.categories(rules, positions, depth)?;
        let nodes = found.iter().map(|each| each.nodes).sum();
        if watch(nodes, 1.0).is_break() { Err(BackendError::Stopped) } else { Ok(found) }
    }

    fn minimax_watched(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: kogge_board::Leaves,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<kogge_board::Score>, BackendError> {
        let scores = self.minimax(rules, positions, depth, leaves)?;
        if watch(scores.len() as u128, 1.0).is_break() { Err(BackendError::Stopped) } else { Ok(scores) }
    }
}
