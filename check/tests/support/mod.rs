//! Positions, and an observer that stops work.

#![allow(unreachable_pub, reason = "each test file is a crate of its own")]

use std::sync::atomic::{AtomicUsize, Ordering};

use kogge_board::{Fen, known};
use kogge_driver::Observer;

pub const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
pub const MATE: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";

/// Reads a FEN or the name of a standard position.
pub fn fen(text: &str) -> Fen {
    known::root(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Stops work at a question.
pub struct Watch {
    stop_at: usize,
    asked: AtomicUsize,
}

impl Watch {
    pub fn stopping_at(stop_at: usize) -> Self {
        Self { stop_at, asked: AtomicUsize::new(0) }
    }
}

impl Observer for Watch {
    fn is_cancelled(&self) -> bool {
        self.asked.fetch_add(1, Ordering::Relaxed) + 1 == self.stop_at
    }
}
