//! A backend with something wrong on purpose (feature `testing`): what is to find errors must find these.

use crate::{Backend, BackendError, DeviceInfo, Position, Quad48, Rules, Successors};

/// What becomes of a successor: itself, another, or nothing.
pub type Bug = fn(parent: &Position, child: Position) -> Option<Position>;

/// Another backend, with a bug in making moves.
pub struct Buggy<B> {
    backend: B,
    bug: Bug,
}

impl<B: Backend> Buggy<B> {
    /// Gives this backend that bug.
    pub fn new(backend: B, bug: Bug) -> Self {
        Self { backend, bug }
    }
}

impl<B: Backend> Backend for Buggy<B> {
    fn info(&self) -> &DeviceInfo {
        self.backend.info()
    }

    fn count(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError> {
        Ok(self.expand(rules, positions)?.iter().map(|children| children.len() as u32).collect())
    }

    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
        let mut all = Successors::default();
        for (parent, children) in positions.iter().zip(self.backend.expand(rules, positions)?.iter()) {
            let parent = parent.unpack_unchecked();
            let children = children.iter().filter_map(|child| (self.bug)(&parent, child.unpack_unchecked()));
            all.positions.extend(children.map(|child| Quad48::from(&child)));
            all.ends.push(all.positions.len());
        }
        Ok(all)
    }

    fn perft(&mut self, rules: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<u64>, BackendError> {
        let mut counts = Vec::new();
        for position in positions {
            counts.push(match depth {
                0 => 1,
                _ => {
                    let children = self.expand(rules, &[*position])?.positions;
                    self.perft(rules, &children, depth - 1)?.into_iter().sum()
                }
            });
        }
        Ok(counts)
    }
}

/// No castling queenside for black.
pub fn no_black_queenside(parent: &Position, child: Position) -> Option<Position> {
    let castled = parent.kings & 1 << 60 != 0 && child.kings & 1 << 58 != 0;
    (!castled).then_some(child)
}
