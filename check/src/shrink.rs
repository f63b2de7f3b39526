//! Making a position smaller that shows a mistake of a program.

use kogge_board::bits::Bits;
use kogge_board::{Color, Fen, Piece, Position, Rules, Square};

/// Takes away what a mistake does not need: pieces, castling rights, the en-passant square and the clocks; then moves the pieces towards
/// the corners. Every position tried is legal, and a position that is not of Chess960 stays so.
///
/// `is_wrong` tries a position and returns whether the mistake still shows. The result shows it; taking away any one piece or right, or
/// moving any one piece a step closer to a corner, would hide it or give a position that is not legal.
///
/// The idea of taking away halves, quarters and so on before single pieces is Zeller's delta debugging.
///
/// ```
/// use kogge_board::Fen;
/// use kogge_check::shrink;
/// use kogge_movegen_cpu::LegalMoves;
///
/// let start: Fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse()?;
/// // A program that does not know castling.
/// let shrunk = shrink(&start, |fen| {
///     Ok::<_, std::convert::Infallible>(LegalMoves::of(&fen.rules, &fen.position).any(|played| played.is_castling()))
/// });
/// assert_eq!(shrunk.unwrap().to_string(), "6k1/8/8/8/8/8/8/4K2R w K - 0 1");
/// # Ok::<(), kogge_board::FenError>(())
/// ```
///
/// # Errors
/// The first error of `is_wrong`.
pub fn shrink<E>(start: &Fen, is_wrong: impl FnMut(&Fen) -> Result<bool, E>) -> Result<Fen, E> {
    let rules = start.rules.with_halfmove_clock(false);
    let mut smaller = Smaller { here: *start, rules, is_chess960: start.is_chess960(), is_wrong };
    smaller.change(|position| position.state = position.state.with_halfmove_clock(0))?;
    loop {
        let before = smaller.here;
        smaller.remove_pieces()?;
        for right in 0..4 {
            smaller.change(|position| {
                position.state = position.state.with_castling(position.state.castling() & !(1 << right));
            })?;
        }
        smaller.forget_passed()?;
        for square in Bits(before.position.occupied()).filter_map(Square::of) {
            smaller.move_to_corner(square)?;
        }
        if smaller.here == before {
            return Ok(smaller.here);
        }
    }
}

/// A position that shows a mistake, and becomes smaller.
struct Smaller<F> {
    here: Fen,
    rules: Rules,
    is_chess960: bool,
    is_wrong: F,
}

impl<E, F: FnMut(&Fen) -> Result<bool, E>> Smaller<F> {
    /// Changes the position if it stays legal and wrong, and returns whether it was changed.
    fn change(&mut self, change: impl FnOnce(&mut Position)) -> Result<bool, E> {
        let mut position = self.here.position;
        change(&mut position);
        let Some(position) = repaired(position, &self.rules) else { return Ok(false) };
        let fen = Fen::new(position, self.rules);
        // A FEN may name an en-passant square where the capture is not legal.
        let passed = Fen { passed: self.here.passed, ..fen }.to_string().parse();
        self.accept(passed.unwrap_or(fen))
    }

    /// Takes away the en-passant square.
    fn forget_passed(&mut self) -> Result<bool, E> {
        let state = self.here.position.state.with_en_passant(None);
        let position = Position { state, ..self.here.position };
        self.accept(Fen::new(position, self.rules))
    }

    fn accept(&mut self, fen: Fen) -> Result<bool, E> {
        let is_new = (fen.position, fen.passed) != (self.here.position, self.here.passed);
        let is_of_the_game = self.is_chess960 || !fen.is_chess960();
        let accepts = is_new && is_of_the_game && (self.is_wrong)(&fen)?;
        if accepts {
            self.here = fen;
        }
        Ok(accepts)
    }

    /// Takes away groups of pieces, half of them first, then ever smaller groups.
    fn remove_pieces(&mut self) -> Result<(), E> {
        let mut size = 16;
        while size > 0 {
            let pieces: Vec<u64> = Bits(self.here.position.occupied() & !self.here.position.kings).collect();
            for group in pieces.chunks(size) {
                self.change(|position| position.clear(group.iter().fold(0, |squares, square| squares | square)))?;
            }
            size /= 2;
        }
        Ok(())
    }

    /// Moves a piece towards its corner, step by step, as far as the mistake shows.
    fn move_to_corner(&mut self, mut square: Square) -> Result<(), E> {
        'steps: while let Some((color, piece)) = self.here.position.piece_at(square) {
            for to in steps_to_corner(square, piece).into_iter().flatten() {
                let is_free = self.here.position.occupied() & to.bit() == 0;
                let step = |position: &mut Position| {
                    position.clear(square.bit());
                    position.put(color, piece, to);
                };
                if is_free && self.change(step)? {
                    square = to;
                    continue 'steps;
                }
            }
            break;
        }
        Ok(())
    }
}

/// Returns the squares one step closer to the nearest corner: by file and rank, by file, by rank.
fn steps_to_corner(square: Square, piece: Piece) -> [Option<Square>; 3] {
    let towards = |at: u8| match at {
        0 | 7 => 0,
        1..4 => -1,
        _ => 1,
    };
    let (file, rank) = (towards(square.file()), towards(square.rank()));
    let rank = if piece == Piece::Pawn && matches!(square.rank(), 1 | 6) { 0 } else { rank };
    let step = |files, ranks| if (files, ranks) == (0, 0) { None } else { square.offset((files, ranks)) };
    [if file != 0 && rank != 0 { step(file, rank) } else { None }, step(file, 0), step(0, rank)]
}

/// Takes away the rights that a position can no longer have, and returns it if it is legal.
fn repaired(mut position: Position, rules: &Rules) -> Option<Position> {
    let mut rights = position.state.castling();
    for (right, rook) in rules.castling_rooks().into_iter().enumerate() {
        let color = if right < 2 { Color::White } else { Color::Black };
        let has_rook = rook & position.kind(Piece::Rook) & position.of(color) != 0;
        let king = position.king(color).filter(|king| king.rank() == color.home_rank());
        let is_on_its_side = king.is_some_and(|king| (rook > king.bit()) == (right & 1 == 0));
        if !has_rook || !is_on_its_side {
            rights &= !(1 << right);
        }
    }
    position.state = position.state.with_castling(rights);
    let passed = position.state.en_passant_square();
    if passed.is_some_and(|square| !position.en_passant_is_legal(square)) {
        position.state = position.state.with_en_passant(None);
    }
    position.check(rules).is_ok().then_some(position)
}
