//! Chess as the rules tell it: every move from every square to every square is tried.

use kogge_board::{
    Backend, BackendError, Color, DeviceInfo, Fen, Move, MoveKind, Piece, Position, Quad48, Rules, Square, Successors,
};

use super::info;

/// A slow backend without any cleverness. Its order of moves is its own.
pub struct Slow {
    info: DeviceInfo,
    /// Leaves out what this says, to have something to find.
    pub bug: fn(&Position, Move) -> bool,
}

impl Slow {
    pub fn new() -> Self {
        Self { info: info("slow", 16), bug: |_, _| false }
    }

    pub fn with_bug(bug: fn(&Position, Move) -> bool) -> Self {
        Self { info: info("slow with a bug", 16), bug }
    }

    fn successors(&self, rules: &Rules, packed: &Quad48) -> Vec<Quad48> {
        let position = packed.unpack_unchecked();
        let moves = pseudo_legal(rules, &position).into_iter().filter(|&played| !(self.bug)(&position, played));
        let after = moves.map(|played| position.play(rules, played));
        let legal = after.filter(|after| {
            let mover = after.turn().opposite();
            let king = after.king(mover).unwrap();
            after.attackers(king, after.turn(), after.occupied()) == 0
        });
        legal.map(|after| Quad48::from(&after)).collect()
    }
}

fn squares(board: u64) -> impl Iterator<Item = Square> {
    (0..64).filter_map(Square::new).filter(move |square| board & square.bit() != 0)
}

fn pseudo_legal(rules: &Rules, position: &Position) -> Vec<Move> {
    let turn = position.turn();
    let mut moves = castlings(rules, position);
    for to in squares(!position.of(turn)) {
        let capture = position.of(turn.opposite()) & to.bit() != 0;
        for from in squares(position.attackers(to, turn, position.occupied())) {
            let pawn = position.pawns & from.bit() != 0;
            match (pawn, capture) {
                (true, true) if to.rank() % 7 == 0 => {
                    moves.extend(Piece::PROMOTIONS.map(|to_be| Move::new(from, to, MoveKind::CapturePromotion(to_be))));
                }
                (_, true) => moves.push(Move::new(from, to, MoveKind::Capture)),
                (true, false) if position.state.en_passant_square() == Some(to) => {
                    moves.push(Move::new(from, to, MoveKind::EnPassant));
                }
                (true, false) => {}
                (false, false) => moves.push(Move::new(from, to, MoveKind::Quiet)),
            }
        }
    }
    for from in squares(position.pawns & position.of(turn)) {
        let (step, start) = if turn == Color::White { (1, 1) } else { (-1, 6) };
        let ahead = |steps: i8| Square::at(from.file(), (from.rank() as i8 + step * steps) as u8);
        let empty = |square: Square| position.occupied() & square.bit() == 0;
        let to = ahead(1);
        if !empty(to) {
            continue;
        }
        if to.rank() % 7 == 0 {
            moves.extend(Piece::PROMOTIONS.map(|to_be| Move::new(from, to, MoveKind::Promotion(to_be))));
        } else {
            moves.push(Move::new(from, to, MoveKind::Quiet));
            if from.rank() == start && empty(ahead(2)) {
                moves.push(Move::new(from, ahead(2), MoveKind::DoublePush));
            }
        }
    }
    moves
}

/// The castlings whose ways are free: the king's of attacks, both of pieces.
fn castlings(rules: &Rules, position: &Position) -> Vec<Move> {
    let turn = position.turn();
    let home = turn.home_rank();
    let king = position.king(turn).unwrap();
    let between = |a: u8, b: u8| (a.min(b)..=a.max(b)).map(|file| Square::at(file, home));
    let mut moves = Vec::new();
    for (side, kind, king_file, rook_file) in
        [(0, MoveKind::CastleKingside, 6, 5), (1, MoveKind::CastleQueenside, 2, 3)]
    {
        let right = side + if turn == Color::White { 0 } else { 2 };
        if position.state.castling() >> right & 1 == 0 {
            continue;
        }
        let rook = Square::at(rules.castling_files[right], home);
        let others = position.occupied() & !king.bit() & !rook.bit();
        let free = between(king.file(), king_file).chain(between(rook.file(), rook_file));
        let safe = |square| position.attackers(square, turn.opposite(), others | square.bit()) == 0;
        if free.into_iter().all(|square| others & square.bit() == 0) && between(king.file(), king_file).all(safe) {
            moves.push(Move::new(king, Square::at(king_file, home), kind));
        }
    }
    moves
}

impl Backend for Slow {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn count(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Vec<u32>, BackendError> {
        Ok(positions.iter().map(|position| self.successors(rules, position).len() as u32).collect())
    }

    fn expand(&mut self, rules: &Rules, positions: &[Quad48]) -> Result<Successors, BackendError> {
        let mut all = Successors::default();
        for position in positions {
            all.positions.extend(self.successors(rules, position));
            all.ends.push(all.positions.len());
        }
        Ok(all)
    }

    fn perft(&mut self, rules: &Rules, positions: &[Quad48], depth: u32) -> Result<Vec<u64>, BackendError> {
        let below = |position| match depth {
            0 => Ok(1),
            1 => Ok(self.successors(rules, position).len() as u64),
            _ => Ok(self.perft_of_all(rules, &self.successors(rules, position), depth - 1)),
        };
        positions.iter().map(below).collect()
    }
}

impl Slow {
    fn perft_of_all(&self, rules: &Rules, positions: &[Quad48], depth: u32) -> u64 {
        let below = |position| {
            let successors = self.successors(rules, position);
            if depth == 1 { successors.len() as u64 } else { self.perft_of_all(rules, &successors, depth - 1) }
        };
        positions.iter().map(below).sum()
    }
}

/// The slow backend is itself no guess: a few published counts.
pub fn assert_right() {
    use super::{KIWIPETE, POSITION_3, fen};
    for (root, counts) in [
        (Fen::start(), [20, 400, 8902]),
        (fen(KIWIPETE), [48, 2039, 97862]),
        (fen(POSITION_3), [14, 191, 2812]),
        (fen("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"), [6, 264, 9467]),
        (fen("bnqnrbkr/1pp2pp1/p7/3pP2p/4P1P1/8/PPPP3P/BNQNRBKR w HEhe d6 0 9"), [31, 984, 28677]),
    ] {
        let mut slow = Slow::new();
        for (depth, expected) in (1..).zip(counts) {
            let found = slow.perft(&root.rules, &[Quad48::from(&root.position)], depth).unwrap();
            assert_eq!(found, [expected], "{root} at {depth}");
        }
    }
}
