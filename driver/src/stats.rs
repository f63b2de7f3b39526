//! Kinds of moves that lead to the leaves: captures, castlings, checks, mates and so on.

use std::ops::AddAssign;

use kogge_board::bits::{PAWN_RANKS, file};
use kogge_board::{Color, Fen, Position, Quad48, Rules, Square, Successors};
use rayon::prelude::*;

use crate::attacks::{attackers, watched};
use crate::calls::{count, expand};
use crate::driver::Span;
use crate::{Driver, Error};

/// The leaves of a tree by the kinds of moves that lead to them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stats {
    /// All leaves.
    pub nodes: u128,
    /// Captures, en passant included.
    pub captures: u128,
    /// Captures en passant.
    pub en_passant: u128,
    /// Castlings.
    pub castles: u128,
    /// Promotions.
    pub promotions: u128,
    /// Checks of every kind, mates included.
    pub checks: u128,
    /// Checks by exactly one piece, which is not the piece that moved. In castling the rook moves
    /// too, so its check is not discovered.
    pub discovered: u128,
    /// Checks by two pieces.
    pub double: u128,
    /// Checks that leave no legal move.
    pub mates: u128,
}

impl AddAssign for Stats {
    /// Adds all numbers. Every leaf was visited, so no sum comes near 2^128.
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.captures += other.captures;
        self.en_passant += other.en_passant;
        self.castles += other.castles;
        self.promotions += other.promotions;
        self.checks += other.checks;
        self.discovered += other.discovered;
        self.double += other.double;
        self.mates += other.mates;
    }
}

impl Driver<'_> {
    /// Counts the leaves `depth` plies below the root by the moves that lead to them. At depth 0 there is
    /// one leaf and no move.
    ///
    /// # Errors
    /// As [`Driver::perft`].
    pub fn stats(&mut self, root: &Fen, depth: u32) -> Result<Stats, Error> {
        let Some(plies) = depth.checked_sub(1) else { return Ok(Stats { nodes: 1, ..Stats::default() }) };
        let frontier = self.frontier(root, plies)?;
        let rules = *frontier.rules();
        self.begin(frontier.len());
        let mut stats = Stats::default();
        let plies = plies - frontier.ply();
        self.walk(&rules, frontier.positions(), plies, Span::WHOLE, &mut |backend, parents| {
            let successors = expand(backend, &rules, parents)?;
            let tally = tally(&rules, parents, &successors);
            let replies = count(backend, &rules, &tally.checked)?;
            let nodes = successors.positions.len() as u128;
            stats += Stats {
                nodes,
                captures: tally.captures.into(),
                en_passant: tally.en_passant.into(),
                castles: tally.castles.into(),
                promotions: tally.promotions.into(),
                checks: tally.checked.len() as u128,
                discovered: tally.discovered.into(),
                double: tally.double.into(),
                mates: replies.iter().filter(|&&replies| replies == 0).count() as u128,
            };
            Ok(nodes)
        })?;
        Ok(stats)
    }
}

/// The leaves of one batch by kinds of moves, and the positions that may be mate.
#[derive(Default)]
struct Tally {
    captures: u64,
    en_passant: u64,
    castles: u64,
    promotions: u64,
    discovered: u64,
    double: u64,
    /// The leaves whose side to move is in check.
    checked: Vec<Quad48>,
}

/// Classifies all successors, on all cores.
fn tally(rules: &Rules, parents: &[Quad48], successors: &Successors) -> Tally {
    const PARENTS_AT_ONCE: usize = 256;
    let tallies = parents.par_chunks(PARENTS_AT_ONCE).enumerate().map(|(chunk, parents)| {
        let mut tally = Tally::default();
        for (index, parent) in parents.iter().enumerate() {
            let children = successors.of(chunk * PARENTS_AT_ONCE + index);
            let parent = Parent::new(rules, parent);
            children.iter().for_each(|child| parent.look_at(child, &mut tally));
        }
        tally
    });
    tallies.reduce(Tally::default, |mut all, part| {
        all.captures += part.captures;
        all.en_passant += part.en_passant;
        all.castles += part.castles;
        all.promotions += part.promotions;
        all.discovered += part.discovered;
        all.double += part.double;
        all.checked.extend(part.checked);
        all
    })
}

/// A position before the last move, prepared for comparison with its successors.
struct Parent {
    turn: Color,
    own: u64,
    other: u64,
    /// Own pawns.
    pawns: u32,
    /// The king to be checked.
    king: u64,
    /// The squares where a move must change something to give check.
    watched: u64,
    /// The own king and rooks after each castling, or impossible boards if the side has no such right.
    castled: [(u64, u64); 2],
}

impl Parent {
    fn new(rules: &Rules, packed: &Quad48) -> Self {
        let position = packed.unpack_unchecked();
        let turn = position.turn();
        let (own, other) = (position.of(turn), position.of(turn.opposite()));
        let king = position.kings & other;
        Self {
            turn,
            own,
            other,
            pawns: (position.pawns & own).count_ones(),
            king,
            watched: watched(king, own | other),
            castled: castled(rules, &position),
        }
    }

    /// Classifies the move that leads to a successor.
    fn look_at(&self, child: &Quad48, tally: &mut Tally) {
        let occupied =
            child.pawns & PAWN_RANKS | child.knights | child.bishops_queens | child.rooks_queens | child.kings;
        let own = match self.turn {
            Color::White => child.white,
            Color::Black => occupied & !child.white,
        };
        let captured = self.other & !(occupied & !own);
        let landed = own & !self.own;
        let king_and_rooks = (child.kings & own, child.rooks_queens & !child.bishops_queens & own);
        let castles = self.castled.contains(&king_and_rooks);
        let pawns = (child.pawns & own & PAWN_RANKS).count_ones();

        tally.captures += u64::from(captured != 0);
        tally.en_passant += u64::from(captured & !landed != 0);
        tally.castles += u64::from(castles);
        tally.promotions += u64::from(pawns != self.pawns);

        let changed = own ^ self.own | captured;
        if changed & self.watched == 0 && !castles {
            return;
        }
        let checkers = attackers(child, self.king, self.turn, own, occupied);
        if checkers != 0 {
            let moved = if castles { castled_to(king_and_rooks.0) } else { landed };
            tally.double += u64::from(checkers.count_ones() > 1);
            tally.discovered += u64::from(checkers.count_ones() == 1 && checkers & moved == 0);
            tally.checked.push(*child);
        }
    }
}

/// Returns the king and rooks of the side to move after each castling that its rights allow. No other move leads to
/// these boards, because an ordinary move does not move king and rook together.
fn castled(rules: &Rules, position: &Position) -> [(u64, u64); 2] {
    /// A board that never occurs: a king and rooks on all squares.
    const NEVER: (u64, u64) = (u64::MAX, u64::MAX);
    let turn = position.turn();
    let first_right = if turn == Color::White { 0 } else { 2 };
    let rooks = position.rooks_queens & !position.bishops_queens & position.of(turn);
    [(0, 6, 5), (1, 2, 3)].map(|(side, king_file, rook_file)| {
        let right = first_right + side;
        let [king, rook] = [king_file, rook_file].map(|file| Square::at(file, turn.home_rank()).bit());
        match position.state.castling() >> right & 1 {
            0 => NEVER,
            _ => (king, rooks & !rules.castling_rooks()[right] | rook),
        }
    })
}

/// Returns the squares of king and rook after castling.
fn castled_to(king: u64) -> u64 {
    let kingside = king & file(6) != 0;
    king | if kingside { king >> 1 } else { king << 1 }
}
