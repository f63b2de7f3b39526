//! The table-free generator: it writes successors directly.
//!
//! There is no lookup table, no bit scan, no mailbox and no move list. Moves are found set-wise: a capture set per
//! attacker and direction, a wave front for quiet slides. Each move is written as the successor position; no move is
//! tried and taken back, because pins, checks and both en-passant traps are found beforehand.
//!
//! Moves are collected as runs: sets of targets at the same distance from their origins. One loop without inner loops
//! then writes the successors of all runs ([`Generator::flush`]): a loop for each set would end after an unpredictable
//! number of rounds, and the CPU would mispredict its branch.
//!
//! The order is part of the contract of every backend; the crate's front page defines it.

use std::mem::MaybeUninit;

use kogge_board::bits::{Bits, RANK_8, flip};
use kogge_board::{Quad48, Rules, State};

use super::count::THIRD_RANK;
use super::fill::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, Rays, SOUTH, SOUTH_EAST, SOUTH_WEST, Slides, WEST, attacks_east,
    attacks_north, attacks_north_east, attacks_north_west, attacks_south, attacks_south_east, attacks_south_west,
    attacks_west, king_attacks, knight_leaps, step,
};
use super::frame::{ANTIDIAGONAL, Castling, DIAGONAL, FILE, Frame, Limits, RANK, en_passant_captors, file_of};

/// Writes the successors of a position to the end of `out`, in generation order.
///
/// ```
/// use kogge_board::{Fen, Quad48};
/// let fen = Fen::start();
/// let mut successors = Vec::new();
/// kogge_movegen_cpu::expand(&fen.rules, &Quad48::from(&fen.position), &mut successors);
/// assert_eq!(successors.len(), 20);
/// ```
#[inline(always)]
pub fn expand(rules: &Rules, position: &Quad48, out: &mut Vec<Quad48>) {
    successors(rules, position, MoveFilter::All, out);
}

/// The choice of successors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveFilter {
    /// Successors by all moves.
    All,
    /// Successors by captures and promotions, which come first; in check, successors by all moves.
    Tactical,
}

/// Writes successors to the end of `out`, in generation order. Returns whether the position is in check.
#[inline(always)]
pub(crate) fn successors(rules: &Rules, position: &Quad48, wanted: MoveFilter, out: &mut Vec<Quad48>) -> bool {
    if position.pawns & State::BLACK as u64 == 0 {
        Generator::<false>::new(rules, position, out).run(wanted)
    } else {
        Generator::<true>::new(rules, position, out).run(wanted)
    }
}

struct Generator<'a, const BLACK: bool> {
    out: &'a mut Vec<Quad48>,
    /// The parent, not flipped, with a pawn word without state.
    parent: Quad48,
    frame: Frame<u64>,
    slides: Slides<u64>,
    limits: Limits<u64>,
    /// The state bits after a pawn move or a capture, with all castling rights kept.
    state: u64,
    /// The state bits after any other move: the halfmove clock advances.
    state_quiet: u64,
    rights: Rights,
    /// The runs of moves whose successors are still to be written.
    runs: [MaybeUninit<Run>; MOST_RUNS],
    collected: usize,
}

/// Moves of the same distance, or one capture.
#[derive(Clone, Copy)]
struct Run {
    /// The targets, in the frame; never empty.
    targets: u64,
    /// The distance on the real board (modulo 64).
    distance: u32,
    /// The origin of a single capture, on the real board; otherwise 0.
    from: u64,
    /// The state bits of the successors' pawn word, with castling rights kept.
    state: u64,
}

/// The maximum number of runs: captures of each kind of piece by pawns, knights and king, and of each piece by a slider
/// from each side; single and double pushes; quiet moves by knights, king and sliders for each distance; and one spare run
/// that is written but not counted.
const MOST_RUNS: usize = 5 * (2 + 8 + 8) + 16 * 8 + 9 + 8 + 8 + 7 * 8 + 1;

/// Converts a board of the frame to the real board, or back.
#[inline(always)]
const fn view<const BLACK: bool>(board: u64) -> u64 {
    if BLACK { flip(board) } else { board }
}

impl<'a, const BLACK: bool> Generator<'a, BLACK> {
    #[inline(always)]
    fn new(rules: &Rules, position: &Quad48, out: &'a mut Vec<Quad48>) -> Self {
        let frame = Frame::new::<BLACK>(rules, position);
        let slides = Slides::new(frame.empty);
        let limits = Limits::of(&frame, &slides);
        let old = position.state();
        let state = State(old.0 & State::CASTLING | !BLACK as u16);
        let clock = if rules.halfmove_clock { old.halfmove_clock() + 1 } else { 0 };

        Self {
            out,
            parent: Quad48 { pawns: position.pawns & kogge_board::bits::PAWN_RANKS, ..*position },
            frame,
            slides,
            limits,
            state: Quad48::state_bits(state),
            state_quiet: Quad48::state_bits(state.with_halfmove_clock(clock)),
            rights: Rights::of(rules, position),
            runs: [const { MaybeUninit::uninit() }; MOST_RUNS],
            collected: 0,
        }
    }

    #[inline(always)]
    fn run(mut self, wanted: MoveFilter) -> bool {
        let check = self.limits.check != 0;
        self.captures();
        let single = self.promoting_pushes();
        if wanted == MoveFilter::All || check {
            self.quiets(single);
        } else {
            self.flush();
        }
        check
    }

    /// Generates captures: for each victim from queen to pawn, the attackers from pawn to king.
    #[inline(always)]
    fn captures(&mut self) {
        let Frame { own, their, .. } = self.frame;
        let limits = self.limits;
        let targets = their & limits.evasion;
        let king = self.frame.kings & own;
        let pawns = self.frame.pawns & own;
        let [bishops, rooks, queens] = self.sliders(own);

        let by_pawns = [
            step::<NORTH_WEST, u64>(limits.free(pawns, ANTIDIAGONAL)) & targets,
            step::<NORTH_EAST, u64>(limits.free(pawns, DIAGONAL)) & targets,
        ];
        // A pinned knight never moves.
        let by_knights = knight_leaps(self.frame.knights & own & !limits.pinned).map(|leaps| leaps & targets);
        let by_king = king_attacks(king) & their & !limits.danger;
        let by_sliders = self.slides.rays(&self.free_sliders(rooks | queens, bishops | queens)).all();
        let by_sliders = by_sliders.map(|reached| reached & targets);
        let mut captured = by_pawns[0] | by_pawns[1] | by_king;
        for set in by_knights.into_iter().chain(by_sliders) {
            captured |= set;
        }
        if captured | self.frame.en_passant == 0 {
            return;
        }

        let knight_hits = by_knights.iter().fold(0, |hits, leaps| hits | leaps);
        let [orthogonal_hits, diagonal_hits] = [0, 4]
            .map(|first| (by_sliders[first] | by_sliders[first + 1]) | (by_sliders[first + 2] | by_sliders[first + 3]));
        let [their_bishops, their_rooks, their_queens] = self.sliders(their);
        let their_pawns = self.frame.pawns & their;
        for (victims, are_pawns) in [
            (their_queens, false),
            (their_rooks, false),
            (their_bishops, false),
            (self.frame.knights & their, false),
            (their_pawns, true),
        ] {
            let victims = victims & captured;
            if (by_pawns[0] | by_pawns[1]) & victims != 0 {
                self.pawn_captures(NORTH_WEST, by_pawns[0] & victims);
                self.pawn_captures(NORTH_EAST, by_pawns[1] & victims);
            }
            if are_pawns && self.frame.en_passant != 0 {
                self.flush_early();
                self.en_passant();
            }
            if knight_hits & victims != 0 {
                for index in 0..8 {
                    self.collect(by_knights[index] & victims, real::<BLACK>(KNIGHT_LEAPS[index]), self.state);
                }
            }
            // At most one slider per direction reaches a square; from the square, it is the first piece in the opposite
            // direction.
            macro_rules! slider_captures {
                ($pieces:expr; $($index:literal $attacks_back:ident $back:ident),*) => {$(
                    for to in Bits(by_sliders[$index] & victims) {
                        self.collect_one($attacks_back(to, &self.slides.$back) & $pieces, to);
                    }
                )*};
            }
            let (orthogonal, diagonal) = (orthogonal_hits & victims, diagonal_hits & victims);
            if bishops != 0 && diagonal != 0 {
                slider_captures!(bishops; 4 attacks_south_west south_west, 5 attacks_south_east south_east,
                    6 attacks_north_west north_west, 7 attacks_north_east north_east);
            }
            if rooks != 0 && orthogonal != 0 {
                slider_captures!(rooks; 0 attacks_south south, 1 attacks_north north,
                    2 attacks_west west, 3 attacks_east east);
            }
            if queens != 0 && orthogonal != 0 {
                slider_captures!(queens; 0 attacks_south south, 1 attacks_north north,
                    2 attacks_west west, 3 attacks_east east);
            }
            if queens != 0 && diagonal != 0 {
                slider_captures!(queens; 4 attacks_south_west south_west, 5 attacks_south_east south_east,
                    6 attacks_north_west north_west, 7 attacks_north_east north_east);
            }
            self.king_steps(by_king & victims, self.state);
        }
    }

    #[inline(always)]
    fn free_sliders(&self, orthogonal: u64, diagonal: u64) -> Rays<u64> {
        Rays::from_axes([
            self.limits.free(orthogonal, FILE),
            self.limits.free(orthogonal, RANK),
            self.limits.free(diagonal, DIAGONAL),
            self.limits.free(diagonal, ANTIDIAGONAL),
        ])
    }

    #[inline(always)]
    fn sliders(&self, pieces: u64) -> [u64; 3] {
        let queens = self.frame.bishops_queens & self.frame.rooks_queens & pieces;
        [self.frame.bishops_queens & pieces & !queens, self.frame.rooks_queens & pieces & !queens, queens]
    }

    #[inline(always)]
    fn pawn_captures(&mut self, direction: i32, targets: u64) {
        self.collect(targets & !RANK_8, real::<BLACK>(direction), self.state);
        if targets & RANK_8 != 0 {
            self.flush_early();
            for to in Bits(targets & RANK_8) {
                self.promotions(back(to, direction), to);
            }
        }
    }

    /// Generates king steps to `targets`, direction by direction.
    #[inline(always)]
    fn king_steps(&mut self, targets: u64, state: u64) {
        if targets != 0 {
            let king = self.frame.kings & self.frame.own;
            macro_rules! step {
                ($($direction:ident),*) => {$(
                    self.collect(step::<$direction, u64>(king) & targets, real::<BLACK>($direction), state);
                )*};
            }
            step!(NORTH, SOUTH, EAST, WEST, NORTH_EAST, NORTH_WEST, SOUTH_EAST, SOUTH_WEST);
        }
    }

    #[inline(never)]
    fn promotions(&mut self, from: u64, to: u64) {
        let (from, to) = (view::<BLACK>(from), view::<BLACK>(to));
        let keep = !(from | to);
        let Quad48 { white, pawns, knights, bishops_queens, rooks_queens, kings } = self.parent;
        let [knights, bishops_queens, rooks_queens] = [knights, bishops_queens, rooks_queens].map(|board| board & keep);
        let white = white & keep | if BLACK { 0 } else { to };
        let pawns = pawns & keep | self.rights.kept(self.state, from | to);
        let rest = Quad48 { white, pawns, knights, bishops_queens, rooks_queens, kings };
        self.out.extend([
            Quad48 { bishops_queens: bishops_queens | to, rooks_queens: rooks_queens | to, ..rest },
            Quad48 { rooks_queens: rooks_queens | to, ..rest },
            Quad48 { bishops_queens: bishops_queens | to, ..rest },
            Quad48 { knights: knights | to, ..rest },
        ]);
    }

    #[inline(never)]
    fn en_passant(&mut self) {
        let to = self.frame.en_passant;
        for from in en_passant_captors(&self.frame).into_iter().filter(|&from| from != 0) {
            let victim = view::<BLACK>(to >> 8);
            let moved = view::<BLACK>(from | to);
            let white = if BLACK { self.parent.white & !victim } else { self.parent.white ^ moved };
            let pawns = (self.parent.pawns & !victim) ^ moved | self.state;
            self.out.push(Quad48 { white, pawns, ..self.parent });
        }
    }

    /// Generates promotions without capture. Returns the targets of all single pushes, whether or not they end a check.
    #[inline(always)]
    fn promoting_pushes(&mut self) -> u64 {
        let Frame { own, empty, .. } = self.frame;
        let single = step::<NORTH, u64>(self.limits.free(self.frame.pawns & own, FILE)) & empty;
        let promoting = single & self.limits.evasion & RANK_8;
        if promoting != 0 {
            self.flush_early();
            for to in Bits(promoting) {
                self.promotions(back(to, NORTH), to);
            }
        }
        single
    }

    /// Generates the other quiet moves: pawn pushes, knights, sliders, king, castling.
    #[inline(always)]
    fn quiets(&mut self, single: u64) {
        let Frame { own, empty, .. } = self.frame;
        let limits = self.limits;
        let targets = empty & limits.evasion;

        let double = step::<NORTH, u64>(single & THIRD_RANK) & targets;
        self.collect(single & targets & !RANK_8, real::<BLACK>(NORTH), self.state);
        let beside = step::<EAST, u64>(double) | step::<WEST, u64>(double);
        if beside & self.frame.pawns & self.frame.their == 0 {
            self.collect(double, real::<BLACK>(2 * NORTH), self.state);
        } else {
            for to in Bits(double) {
                let state = self.state | self.en_passant_state(back(to, 2 * NORTH), to);
                self.collect(to, real::<BLACK>(2 * NORTH), state);
            }
        }

        let knights = self.frame.knights & own & !limits.pinned;
        if knights != 0 {
            let leaps = knight_leaps(knights);
            for index in 0..8 {
                let distance = real::<BLACK>(KNIGHT_LEAPS[index]);
                self.collect(leaps[index] & targets, distance, self.state_quiet);
            }
        }

        let free = self.free_sliders(self.frame.rooks_queens & own, self.frame.bishops_queens & own);
        self.slides::<NORTH_EAST>(free.north_east, targets);
        self.slides::<NORTH_WEST>(free.north_west, targets);
        self.slides::<SOUTH_EAST>(free.south_east, targets);
        self.slides::<SOUTH_WEST>(free.south_west, targets);
        self.slides::<NORTH>(free.north, targets);
        self.slides::<SOUTH>(free.south, targets);
        self.slides::<EAST>(free.east, targets);
        self.slides::<WEST>(free.west, targets);

        self.king_steps(king_attacks(self.frame.kings & own) & empty & !limits.danger, self.state_quiet);
        self.flush();
        if self.frame.castling_rooks & own != 0 {
            for side in [0, 1] {
                let castling = Castling::new(&self.frame, side);
                if castling.is_legal(&self.frame, &limits) != 0 {
                    self.castle(&castling);
                }
            }
        }
    }

    /// Generates quiet slides in one direction: all sliders advance together, one square at a time, until all are
    /// blocked.
    #[inline(always)]
    fn slides<const DIRECTION: i32>(&mut self, sliders: u64, targets: u64) {
        let mut front = sliders;
        for distance in 1..8 {
            front = step::<DIRECTION, u64>(front) & self.frame.empty;
            if front == 0 {
                break;
            }
            self.collect(front & targets, distance * real::<BLACK>(DIRECTION), self.state_quiet);
        }
    }

    /// Collects moves of the same distance on the real board, to these targets.
    #[inline(always)]
    fn collect(&mut self, targets: u64, distance: i32, state: u64) {
        self.remember(targets != 0, Run { targets, distance: distance.cast_unsigned() & 63, from: 0, state });
    }

    /// Collects a capture by the slider on `from`, if there is one.
    #[inline(always)]
    fn collect_one(&mut self, from: u64, to: u64) {
        self.remember(from != 0, Run { targets: to, distance: 0, from: view::<BLACK>(from), state: self.state });
    }

    /// Always writes a run, but counts it only if it is wanted, so that no branch can be mispredicted.
    #[inline(always)]
    fn remember(&mut self, wanted: bool, run: Run) {
        if let Some(slot) = self.runs.get_mut(self.collected) {
            slot.write(run);
            self.collected += usize::from(wanted);
        }
    }

    /// Writes the collected runs before a rare move. It is compiled once, not inlined at every call, so that the
    /// generator fits in the cache; it does not use the newest instructions.
    #[inline(never)]
    fn flush_early(&mut self) {
        self.flush();
    }

    #[inline(always)]
    fn flush(&mut self) {
        // SAFETY: `remember` has written every run that it counted.
        let runs = unsafe { self.runs[..self.collected].assume_init_ref() };
        let mut moves = 0;
        for run in runs {
            moves += run.targets.count_ones() as usize;
        }
        self.out.reserve(moves);
        let &Quad48 { white, pawns, knights, bishops_queens, rooks_queens, kings } = &self.parent;
        let parent = [white, pawns, knights, bishops_queens, rooks_queens, kings];
        let rights = self.rights;
        let (mut next, mut targets) = (0, 0);
        for slot in &mut self.out.spare_capacity_mut()[..moves] {
            // When the targets of a run are used up, the next run's targets follow.
            let refill = 0_u64.wrapping_sub(u64::from(targets == 0));
            targets |= runs[next].targets & refill;
            let Run { distance, from, state, .. } = runs[next];
            let to = targets & targets.wrapping_neg();
            targets ^= to;
            next += usize::from(targets == 0);

            let to = view::<BLACK>(to);
            let from = if from != 0 { from } else { to.rotate_right(distance) };
            // Every board loses `to`; each board that contains `from` gets `to` instead.
            let mut boards = parent;
            for index in 0..6 {
                let arrives = if boards[index] & from != 0 { to } else { 0 };
                boards[index] = boards[index] & !(from | to) | arrives;
            }
            let [white, pawns, knights, bishops_queens, rooks_queens, kings] = boards;
            let pawns = pawns | rights.kept(state, from | to);
            slot.write(Quad48 { white, pawns, knights, bishops_queens, rooks_queens, kings });
        }
        // SAFETY: the loop has written `moves` slots.
        unsafe { self.out.set_len(self.out.len() + moves) };
        self.collected = 0;
    }

    /// Returns the state bits for en passant if the other side can legally capture the pawn that has been pushed from
    /// `from` to `to`.
    #[inline(never)]
    fn en_passant_state(&self, from: u64, to: u64) -> u64 {
        let beside = step::<EAST, u64>(to) | step::<WEST, u64>(to);
        if beside & self.frame.pawns & self.frame.their == 0 {
            return 0;
        }
        let mut pushed = self.frame;
        let moved = from | to;
        pushed.own ^= moved;
        pushed.pawns ^= moved;
        pushed.empty ^= moved;
        let mut pushed = pushed.flipped();
        pushed.en_passant = flip(from << 8);
        match en_passant_captors(&pushed) {
            [0, 0] => 0,
            _ => Quad48::state_bits(State(State::EN_PASSANT_FLAG | file_of(to) << 5)),
        }
    }

    #[inline(never)]
    fn castle(&mut self, castling: &Castling<u64>) {
        let king = self.frame.kings & self.frame.own;
        let &Castling { rook, king_to, rook_to, .. } = castling;
        let [king, rook, king_to, rook_to] = [king, rook, king_to, rook_to].map(view::<BLACK>);
        let parent = &self.parent;
        let white = if BLACK { parent.white } else { parent.white & !(king | rook) | king_to | rook_to };
        let successor = Quad48 {
            white,
            pawns: parent.pawns | self.rights.kept(self.state_quiet, king),
            kings: parent.kings & !king | king_to,
            rooks_queens: parent.rooks_queens & !rook | rook_to,
            ..*parent
        };
        self.out.push(successor);
    }
}

/// The squares that the castling rights depend on.
#[derive(Clone, Copy)]
struct Rights {
    /// The squares (on the real board) of king and rook for each right, K Q k q. A move from or to one of these squares
    /// ends the right.
    guards: [u64; 4],
    /// Whether the parent has any castling right.
    any: bool,
}

impl Rights {
    #[inline(always)]
    fn of(rules: &Rules, position: &Quad48) -> Self {
        let rooks = rules.castling_rooks();
        let white_king = position.kings & position.white;
        let black_king = position.kings & !position.white;
        let guards = [rooks[0] | white_king, rooks[1] | white_king, rooks[2] | black_king, rooks[3] | black_king];
        Self { guards, any: position.state().castling() != 0 }
    }

    /// Returns the state bits without the castling rights that a move from and to these squares ends.
    #[inline(always)]
    fn kept(&self, mut state: u64, moved: u64) -> u64 {
        if self.any {
            for right in 0..4 {
                state &= !(u64::from(moved & self.guards[right] != 0) << (1 + right));
            }
        }
        state
    }
}

/// Converts the distance of a step or a leap from the frame to the real board: for black, ranks are reversed.
#[inline(always)]
const fn real<const BLACK: bool>(distance: i32) -> i32 {
    let files = (distance + 36).rem_euclid(8) - 4;
    if BLACK { 2 * files - distance } else { distance }
}

/// The distances of [`knight_leaps`].
const KNIGHT_LEAPS: [i32; 8] = [17, 15, 10, 6, -6, -10, -15, -17];

#[inline(always)]
const fn back(to: u64, distance: i32) -> u64 {
    if distance >= 0 { to >> distance } else { to << -distance }
}
