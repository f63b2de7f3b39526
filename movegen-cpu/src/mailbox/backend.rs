//! The oracle as a backend.

use kogge_board::host::HostMerge;
use kogge_board::merge::{Merge, MergeOptions};
use kogge_board::{
    Backend, BackendError, Categories, DeviceInfo, DeviceKind, Leaves, Quad48, Rules, Score, Successors, Watch,
    check_depth, report,
};

use super::board::Board;
use super::list_move::ListMove;

/// The mailbox generator as a [`Backend`]: it uses one thread and makes every leaf; slow and obviously correct.
#[derive(Clone, Debug)]
pub struct Mailbox {
    info: DeviceInfo,
    /// The buffer for generated moves, kept from call to call.
    moves: Vec<ListMove>,
}

impl Mailbox {
    /// Creates a mailbox backend.
    pub fn new() -> Self {
        let info = DeviceInfo {
            backend: "mailbox",
            name: "one CPU thread".to_owned(),
            driver: concat!("kogge ", env!("CARGO_PKG_VERSION")).to_owned(),
            kind: DeviceKind::Cpu,
            memory: None,
            batch: 1,
            variant: "10x12 board, make and unmake".to_owned(),
            counts_diagrams: false,
        };
        Self { info, moves: Vec::new() }
    }
}

/// The number of leaves between two reports: a few milliseconds of work.
const LEAVES_PER_REPORT: u128 = 1 << 12;

/// Notes a leaf.
pub(super) type Report<'r> = dyn FnMut() -> Result<(), BackendError> + 'r;

impl Mailbox {
    /// Computes an answer for each position. The function reports each leaf that it visits.
    fn each<T>(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        watch: &mut Watch<'_>,
        mut of: impl FnMut(&mut Board, &mut Vec<ListMove>, &mut Report<'_>) -> Result<T, BackendError>,
    ) -> Result<Vec<T>, BackendError> {
        let mut board = Board::empty(rules);
        let mut counted = 0;
        let answer = |(index, position): (usize, &Quad48)| {
            board.set(&position.unpack_unchecked());
            of(&mut board, &mut self.moves, &mut || {
                counted += 1;
                if counted % LEAVES_PER_REPORT != 0 {
                    return Ok(());
                }
                report(watch, counted, index as f64 / positions.len() as f64)
            })
        };
        positions.iter().enumerate().map(answer).collect()
    }
}

impl Default for Mailbox {
    fn default() -> Self {
        Self::new()
    }
}

impl Backend for Mailbox {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
        let mut board = Board::empty(rules);
        let mut successors = Successors::default();
        for position in positions {
            board.set(&position.unpack_unchecked());
            board.legal_moves(&mut self.moves);
            successors.positions.try_reserve(self.moves.len()).map_err(|_| BackendError::OutOfMemory {
                device: self.info.name.clone(),
                doing: format!("writing the successors of {} positions", positions.len()),
            })?;
            for &played in &self.moves {
                if board.make(played) {
                    successors.positions.push(Quad48::from(&board.position()));
                    board.unmake();
                }
            }
            successors.ends.push(successors.positions.len());
        }
        Ok(successors)
    }

    fn perft(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<u128>, BackendError> {
        self.each(rules, positions, watch, |board, moves, report| board.perft(depth, moves, report))
    }

    fn categories(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Categories>, BackendError> {
        self.each(rules, positions, watch, |board, moves, report| board.categories(depth, moves, report))
    }

    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Score>, BackendError> {
        check_depth(depth)?;
        self.each(rules, positions, watch, |board, _, report| board.minimax(depth, leaves, report))
    }

    fn merge(&mut self, rules: &Rules, options: &MergeOptions) -> Result<Box<dyn Merge + '_>, BackendError> {
        Ok(Box::new(HostMerge::new(self, rules, *options)))
    }
}
