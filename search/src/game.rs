//! The game so far, with its history for repetition and the fifty-move rule.

use kogge_board::attacks::in_check;
use kogge_board::minimax::FIFTY_MOVES;
use kogge_board::{BackendError, Fen, Move, Quad48, Rules};
use kogge_movegen_cpu::{Code, MoveFilter};

use crate::table::key;

/// A position and the positions before it.
#[derive(Clone, Debug)]
pub struct Game {
    rules: Rules,
    position: Quad48,
    /// The keys of all positions, the current one last.
    pub(crate) keys: Vec<u64>,
    code: Code,
}

/// The end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The side to move is mated.
    Mate,
    /// The side to move has no legal move, and is not in check.
    Stalemate,
    /// Both sides have made fifty moves without a capture or a pawn move.
    FiftyMoves,
    /// The position has occurred three times.
    Repetition,
    /// Neither side has the material to mate.
    Material,
}

impl Game {
    /// Starts a game from a position with its halfmove clock.
    ///
    /// # Errors
    /// If the environment variable `KOGGE_CPU` names code that this CPU cannot run.
    pub fn new(start: &Fen) -> Result<Self, BackendError> {
        let position = Quad48::from(&start.position);
        let rules = start.rules.with_halfmove_clock(true);
        Ok(Self { rules, position, keys: vec![key(&position)], code: Code::chosen()? })
    }

    /// Returns the current position.
    pub fn position(&self) -> &Quad48 {
        &self.position
    }

    /// Returns the rules, with the halfmove clock on.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the legal moves in generation order, each with its successor.
    pub fn moves(&self) -> Vec<(Move, Quad48)> {
        let mut successors = Vec::new();
        self.code.successors(&self.rules, &self.position, MoveFilter::All, &mut successors);
        let before = self.position.unpack_unchecked();
        // Every successor has a move.
        let name = |after: Quad48| Some((Move::between(&self.rules, &before, &after.unpack_unchecked())?, after));
        successors.into_iter().filter_map(name).collect()
    }

    /// Plays a move if it is legal. Returns whether it is legal.
    pub fn play(&mut self, played: Move) -> bool {
        let Some((_, after)) = self.moves().into_iter().find(|(legal, _)| *legal == played) else { return false };
        self.position = after;
        self.keys.push(key(&after));
        true
    }

    /// Returns the end of the game, if it has ended.
    pub fn end(&self) -> Option<End> {
        let clock = self.position.state().halfmove_clock();
        let back = self.keys.iter().rev().take(usize::from(clock) + 1).step_by(2);
        let occurred = back.filter(|&&key| Some(&key) == self.keys.last()).count();
        let Quad48 { knights, bishops_queens, rooks_queens, .. } = self.position;
        let pawns = self.position.unpack_unchecked().pawns;
        if self.moves().is_empty() {
            Some(if in_check(&self.position) { End::Mate } else { End::Stalemate })
        } else if clock >= FIFTY_MOVES {
            Some(End::FiftyMoves)
        } else if occurred >= 3 {
            Some(End::Repetition)
        } else if pawns | rooks_queens == 0 && (knights | bishops_queens).count_ones() <= 1 {
            Some(End::Material)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(fen: &str, moves: &str) -> Game {
        let start: Fen = fen.parse().unwrap();
        let mut game = Game::new(&start).unwrap();
        for text in moves.split_whitespace() {
            let legal: Vec<Move> = game.moves().into_iter().map(|(played, _)| played).collect();
            assert!(game.play(Move::from_uci(text, &start.rules, false, &legal).unwrap()), "{text}");
        }
        game
    }

    #[test]
    fn games_end() {
        let start = kogge_board::START;
        let shuffle = "g1f3 g8f6 f3g1 f6g8";
        for (fen, moves, end) in [
            (start, "", None),
            (start, "f2f3 e7e5 g2g4 d8h4", Some(End::Mate)),
            (start, shuffle, None),
            (start, &format!("{shuffle} {shuffle}"), Some(End::Repetition)),
            (start, &format!("e2e4 e7e5 {shuffle} {shuffle}"), Some(End::Repetition)),
            // The right to capture en passant makes the first position different.
            ("4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4 e8e7 e1d1 e7e8 d1e1 e8e7 e1d1 e7e8 d1e1", None),
            ("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "g5g6", Some(End::Stalemate)),
            ("7k/8/8/8/8/8/R7/1R2K3 w - - 98 80", "a2a3 h8g8", Some(End::FiftyMoves)),
            ("7k/8/8/8/8/8/R7/1R2K3 w - - 98 80", "a2a7 h8g8", Some(End::FiftyMoves)),
            ("4k3/8/8/8/8/8/p7/1N2K3 b - - 0 1", "a2b1n", Some(End::Material)),
            ("4k3/8/8/8/8/8/p7/1N2K3 b - - 0 1", "a2b1r", None),
        ] {
            assert_eq!(game(fen, moves).end(), end, "{fen} {moves}");
        }
    }

    #[test]
    fn only_legal_moves_are_played() {
        let mut game = game(kogge_board::START, "");
        let illegal = Move::from_bits(0).unwrap();
        assert!(!game.play(illegal));
        assert_eq!((game.moves().len(), game.keys.len()), (20, 1));
    }
}
