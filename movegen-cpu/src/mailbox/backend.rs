//! The oracle as a backend.

use kogge_board::{
    Backend, BackendError, Categories, DeviceInfo, DeviceKind, Leaves, Quad48, Rules, Score, Successors, check_depth,
};

use super::list_move::ListMove;

use super::board::Board;

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
        };
        Self { info, moves: Vec::new() }
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

    fn count(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError> {
        let mut board = Board::empty(rules);
        let count = |position: &Quad48| {
            board.set(&position.unpack_unchecked());
            board.legal_moves(&mut self.moves);
            self.moves.len() as u32
        };
        Ok(positions.iter().map(count).collect())
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

    fn perft(&mut self, rules: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<u64>, BackendError> {
        let mut board = Board::empty(rules);
        let perft = |position: &Quad48| {
            board.set(&position.unpack_unchecked());
            board.perft(depth, &mut self.moves)
        };
        positions.iter().map(perft).collect()
    }

    fn categories(&mut self, rules: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<Categories>, BackendError> {
        let mut board = Board::empty(rules);
        let categories = |position: &Quad48| {
            board.set(&position.unpack_unchecked());
            board.categories(depth, &mut self.moves)
        };
        Ok(positions.iter().map(categories).collect())
    }

    kogge_board::host_merge!();

    fn minimax(
        &mut self,
        rules: &Rules,
        positions: &[Quad48],
        depth: u32,
        leaves: Leaves,
    ) -> Result<Vec<Score>, BackendError> {
        check_depth(depth)?;
        let mut board = Board::empty(rules);
        let minimax = |position: &Quad48| {
            board.set(&position.unpack_unchecked());
            board.minimax(depth, leaves)
        };
        Ok(positions.iter().map(minimax).collect())
    }
}
