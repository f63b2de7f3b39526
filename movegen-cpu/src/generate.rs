//! The table-free generator: every successor is written when its move is found.
//!
//! There is no lookup table, no bit scan, no mailbox and no move list. Moves are found set-wise: a
//! capture set per attacker and direction, a wave front for quiet slides. What is made from a move
//! is the successor position itself; no move is tried and taken back, since pins, checks and both
//! en-passant traps are known beforehand.
//!
//! The order is part of the contract with every backend; the crate's front page states it.

use kogge_board::bits::{Bits, RANK_8, flip};
use kogge_board::{Piece, Quad48, Rules, State};

use crate::count::THIRD_RANK;
use crate::fill::{
    EAST, NORTH, NORTH_EAST, NORTH_WEST, Rays, SOUTH, SOUTH_EAST, SOUTH_WEST, Slides, WEST, attacks_east,
    attacks_north, attacks_north_east, attacks_north_west, attacks_south, attacks_south_east, attacks_south_west,
    attacks_west, king_attacks, knight_leaps, landing, step,
};
use crate::frame::{ANTIDIAGONAL, Castling, DIAGONAL, FILE, Frame, Limits, RANK, en_passant_captors, file_of};

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
    if position.pawns & State::BLACK as u64 == 0 {
        Generator::<false>::new(rules, position, out).run();
    } else {
        Generator::<true>::new(rules, position, out).run();
    }
}

const PAWN: u8 = Piece::Pawn as u8;
const KNIGHT: u8 = Piece::Knight as u8;
const BISHOP: u8 = Piece::Bishop as u8;
const ROOK: u8 = Piece::Rook as u8;
const QUEEN: u8 = Piece::Queen as u8;
const KING: u8 = Piece::King as u8;

struct Generator<'a, const BLACK: bool> {
    out: &'a mut Vec<Quad48>,
    /// The parent, colours and ranks as they are; its pawn word without state.
    parent: Quad48,
    frame: Frame<u64>,
    slides: Slides<u64>,
    limits: Limits<u64>,
    /// The pawn word's state bits of a successor by a pawn move or a capture, all rights kept.
    state: u64,
    /// The same by any other move: the halfmove clock counts on.
    state_quiet: u64,
    /// The squares (as they are) whose leaving or capture ends the rights K Q k q.
    guards: [u64; 4],
    /// All guards of rights that the parent has.
    guarded: u64,
}

/// A board of the frame as it is on the real board, or the other way round.
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

        let rooks = rules.castling_rooks();
        let white_king = position.kings & position.white;
        let black_king = position.kings & !position.white;
        let guards = [rooks[0] | white_king, rooks[1] | white_king, rooks[2] | black_king, rooks[3] | black_king];
        let mut guarded = 0;
        for (right, guard) in guards.into_iter().enumerate() {
            if old.castling() >> right & 1 != 0 {
                guarded |= guard;
            }
        }
        Self {
            out,
            parent: Quad48 { pawns: position.pawns & kogge_board::bits::PAWN_RANKS, ..*position },
            frame,
            slides,
            limits,
            state: Quad48::state_bits(state),
            state_quiet: Quad48::state_bits(state.with_halfmove_clock(clock)),
            guards,
            guarded,
        }
    }

    #[inline(always)]
    fn run(mut self) {
        self.captures();
        self.quiets();
    }

    /// Captures: victims from queen to pawn, for each the attackers from pawn to king.
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

        let [their_bishops, their_rooks, their_queens] = self.sliders(their);
        for (victim, victims) in [
            (QUEEN, their_queens),
            (ROOK, their_rooks),
            (BISHOP, their_bishops),
            (KNIGHT, self.frame.knights & their),
            (PAWN, self.frame.pawns & their),
        ] {
            let victims = victims & captured;
            if victims != 0 {
                self.pawn_captures::<NORTH_WEST>(by_pawns[0] & victims);
                self.pawn_captures::<NORTH_EAST>(by_pawns[1] & victims);
            }
            if victim == PAWN && self.frame.en_passant != 0 {
                self.en_passant();
            }
            if victims == 0 {
                continue;
            }
            for (leaps, distance) in by_knights.into_iter().zip(KNIGHT_LEAPS) {
                for to in Bits(leaps & victims) {
                    self.emit::<KNIGHT>(back(to, distance), to, self.state);
                }
            }
            // Each square is reached by one slider per direction; seen from the square, it is the
            // first piece the other way.
            macro_rules! slider_captures {
                ($kind:ident $pieces:expr; $($index:literal $attacks_back:ident $back:ident),*) => {
                    if $pieces != 0 {$(
                        for to in Bits(by_sliders[$index] & victims) {
                            let from = $attacks_back(to, &self.slides.$back) & $pieces;
                            if from != 0 {
                                self.emit::<$kind>(from, to, self.state);
                            }
                        }
                    )*}
                };
            }
            slider_captures!(BISHOP bishops; 4 attacks_south_west south_west, 5 attacks_south_east south_east,
                6 attacks_north_west north_west, 7 attacks_north_east north_east);
            slider_captures!(ROOK rooks; 0 attacks_south south, 1 attacks_north north, 2 attacks_west west, 3 attacks_east east);
            slider_captures!(QUEEN queens; 0 attacks_south south, 1 attacks_north north, 2 attacks_west west, 3 attacks_east east,
                4 attacks_south_west south_west, 5 attacks_south_east south_east,
                6 attacks_north_west north_west, 7 attacks_north_east north_east);
            for to in king_steps(king, by_king & victims) {
                self.emit::<KING>(king, to, self.state);
            }
        }
    }

    /// Own sliders that may move, for each direction.
    #[inline(always)]
    fn free_sliders(&self, orthogonal: u64, diagonal: u64) -> Rays<u64> {
        Rays::from_axes([
            self.limits.free(orthogonal, FILE),
            self.limits.free(orthogonal, RANK),
            self.limits.free(diagonal, DIAGONAL),
            self.limits.free(diagonal, ANTIDIAGONAL),
        ])
    }

    /// Bishops, rooks and queens among these pieces.
    #[inline(always)]
    fn sliders(&self, pieces: u64) -> [u64; 3] {
        let queens = self.frame.bishops_queens & self.frame.rooks_queens & pieces;
        [self.frame.bishops_queens & pieces & !queens, self.frame.rooks_queens & pieces & !queens, queens]
    }

    #[inline(always)]
    fn pawn_captures<const DIRECTION: i32>(&mut self, targets: u64) {
        for to in Bits(targets) {
            let from = back(to, DIRECTION);
            if to & RANK_8 == 0 {
                self.emit::<PAWN>(from, to, self.state);
            } else {
                self.promotions(from, to);
            }
        }
    }

    #[inline(always)]
    fn promotions(&mut self, from: u64, to: u64) {
        self.emit::<QUEEN>(from, to, self.state);
        self.emit::<ROOK>(from, to, self.state);
        self.emit::<BISHOP>(from, to, self.state);
        self.emit::<KNIGHT>(from, to, self.state);
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

    /// Quiet moves: promotions, pawn pushes, knights, sliders, king, castling.
    #[inline(always)]
    fn quiets(&mut self) {
        let Frame { own, empty, .. } = self.frame;
        let limits = self.limits;
        let targets = empty & limits.evasion;

        let single = step::<NORTH, u64>(limits.free(self.frame.pawns & own, FILE)) & empty;
        let double = step::<NORTH, u64>(single & THIRD_RANK) & targets;
        for to in Bits(single & targets & RANK_8) {
            self.promotions(back(to, NORTH), to);
        }
        for to in Bits(single & targets & !RANK_8) {
            self.quiet::<PAWN>(back(to, NORTH), to, self.state);
        }
        for to in Bits(double) {
            self.double_push(back(to, 2 * NORTH), to);
        }

        let knights = self.frame.knights & own & !limits.pinned;
        for (leaps, distance) in knight_leaps(knights).into_iter().zip(KNIGHT_LEAPS) {
            for to in Bits(leaps & targets) {
                self.quiet::<KNIGHT>(back(to, distance), to, self.state_quiet);
            }
        }

        let free = self.free_sliders(self.frame.rooks_queens & own, self.frame.bishops_queens & own);
        self.slides::<NORTH_EAST, BISHOP>(free.north_east, targets);
        self.slides::<NORTH_WEST, BISHOP>(free.north_west, targets);
        self.slides::<SOUTH_EAST, BISHOP>(free.south_east, targets);
        self.slides::<SOUTH_WEST, BISHOP>(free.south_west, targets);
        self.slides::<NORTH, ROOK>(free.north, targets);
        self.slides::<SOUTH, ROOK>(free.south, targets);
        self.slides::<EAST, ROOK>(free.east, targets);
        self.slides::<WEST, ROOK>(free.west, targets);

        let king = self.frame.kings & own;
        for to in king_steps(king, king_attacks(king) & empty & !limits.danger) {
            self.quiet::<KING>(king, to, self.state_quiet);
        }
        if self.frame.castling_rooks & own != 0 {
            for side in [0, 1] {
                let castling = Castling::new(&self.frame, side);
                if castling.is_legal(&self.frame, &limits) != 0 {
                    self.castle(&castling);
                }
            }
        }
    }

    /// Quiet slides in one direction: all sliders advance together, one square at a time, until all
    /// are blocked. The distance says where each came from.
    #[inline(always)]
    fn slides<const DIRECTION: i32, const KIND: u8>(&mut self, sliders: u64, targets: u64) {
        let mut front = sliders;
        let mut distance = 0;
        loop {
            front = step::<DIRECTION, u64>(front) & self.frame.empty;
            distance += DIRECTION.abs();
            if front == 0 {
                break;
            }
            for to in Bits(front & targets) {
                let from = if DIRECTION > 0 { to >> distance } else { to << distance };
                self.quiet::<KIND>(from, to, self.state_quiet);
            }
        }
    }

    #[inline(always)]
    fn double_push(&mut self, from: u64, to: u64) {
        let beside = step::<EAST, u64>(to) | step::<WEST, u64>(to);
        let mut state = self.state;
        if beside & self.frame.pawns & self.frame.their != 0 {
            state |= self.en_passant_state(from, to);
        }
        self.quiet::<PAWN>(from, to, state);
    }

    /// State bits that record en passant if the other side can legally capture the pawn that has
    /// been pushed from `from` to `to`.
    #[inline(never)]
    fn en_passant_state(&self, from: u64, to: u64) -> u64 {
        let mut pushed = self.frame;
        let moved = from | to;
        pushed.own ^= moved;
        pushed.pawns ^= moved;
        pushed.empty ^= moved;
        let mut pushed = pushed.turned();
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
            pawns: parent.pawns | self.kept(self.state_quiet, king),
            kings: parent.kings & !king | king_to,
            rooks_queens: parent.rooks_queens & !rook | rook_to,
            ..*parent
        };
        self.out.push(successor);
    }

    /// Writes the successor after any move that is not special: a piece leaves `from`, what stands
    /// on `to` goes, and a piece of kind `KIND` stands there.
    #[inline(always)]
    fn emit<const KIND: u8>(&mut self, from: u64, to: u64, state: u64) {
        let (from, to) = (view::<BLACK>(from), view::<BLACK>(to));
        let parent = &self.parent;
        let place = |board: u64, stands: bool| board & !(from | to) | if stands { to } else { 0 };
        let successor = Quad48 {
            white: place(parent.white, !BLACK),
            pawns: place(parent.pawns, KIND == PAWN) | self.kept(state, from | to),
            knights: place(parent.knights, KIND == KNIGHT),
            bishops_queens: place(parent.bishops_queens, KIND == BISHOP || KIND == QUEEN),
            rooks_queens: place(parent.rooks_queens, KIND == ROOK || KIND == QUEEN),
            kings: place(parent.kings, KIND == KING),
        };
        self.out.push(successor);
    }

    /// The same for a quiet move without promotion, which changes fewer boards. A `BISHOP` or `ROOK`
    /// may be a queen.
    #[inline(always)]
    fn quiet<const KIND: u8>(&mut self, from: u64, to: u64, state: u64) {
        let moved = view::<BLACK>(from | to);
        let mut successor = self.parent;
        if !BLACK {
            successor.white ^= moved;
        }
        let if_queen = |board: u64| if board & view::<BLACK>(from) != 0 { moved } else { 0 };
        match KIND {
            PAWN => successor.pawns ^= moved,
            KNIGHT => successor.knights ^= moved,
            BISHOP => {
                successor.bishops_queens ^= moved;
                successor.rooks_queens ^= if_queen(successor.rooks_queens);
            }
            ROOK => {
                successor.rooks_queens ^= moved;
                successor.bishops_queens ^= if_queen(successor.bishops_queens);
            }
            _ => successor.kings ^= moved,
        }
        successor.pawns |= self.kept(state, moved);
        self.out.push(successor);
    }

    /// The state bits less the castling rights that a move over these squares ends.
    #[inline(always)]
    fn kept(&self, state: u64, moved: u64) -> u64 {
        if moved & self.guarded == 0 { state } else { self.lose_rights(state, moved) }
    }

    #[inline(never)]
    fn lose_rights(&self, mut state: u64, moved: u64) -> u64 {
        for (right, guard) in self.guards.into_iter().enumerate() {
            if moved & guard != 0 {
                state &= !(2 << right);
            }
        }
        state
    }
}

/// The distances of [`knight_leaps`].
const KNIGHT_LEAPS: [i32; 8] = [17, 15, 10, 6, -6, -10, -15, -17];

/// A square moved back by a distance.
#[inline(always)]
const fn back(to: u64, distance: i32) -> u64 {
    if distance >= 0 { to >> distance } else { to << -distance }
}

/// The king's targets among these squares, in the order of directions.
#[inline(always)]
fn king_steps(king: u64, targets: u64) -> impl Iterator<Item = u64> {
    [NORTH, SOUTH, EAST, WEST, NORTH_EAST, NORTH_WEST, SOUTH_EAST, SOUTH_WEST]
        .into_iter()
        .map(move |direction| back(king, -direction) & landing(direction) & targets)
        .filter(|&to| to != 0)
}
