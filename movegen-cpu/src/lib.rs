//! The reference: table-free move generation, counting and perft on CPUs.
//!
//! * [`expand`] writes the successors of a position; [`count`] only counts them. Both find moves
//!   set-wise with Kogge-Stone fills; there is no lookup table, no bit scan, no move list
//!   and no make and unmake.
//! * [`Cpu`] is the [`Backend`](kogge_board::Backend) over all cores.
//! * [`Code`] is the generator and the evaluation compiled for this CPU, for searches that visit single positions.
//! * [`mailbox`] is the oracle: a classical generator that shares no rules with the fast one, so that each
//!   checks the other.
//!
//! ```
//! use kogge_board::{unwatched, Backend, Fen, Quad48};
//! use kogge_movegen_cpu::Cpu;
//!
//! let kiwipete: Fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1".parse()?;
//! let leaves = Cpu::new(None)?.perft(&kiwipete.rules, &[Quad48::from(&kiwipete.position)], 4, &mut unwatched)?;
//! assert_eq!(leaves, [4_085_603]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Generation order
//!
//! Every backend writes successors in this order, byte for byte. The side to move always moves up: for
//! black, the board is flipped (a byte swap). Directions refer to this board, and "to ascending" means
//! lowest bit first on it.
//!
//! | pieces | directions, in order |
//! |---|---|
//! | pawns capturing | NW (+7), NE (+9) |
//! | knights | +17, +15, +10, +6, -6, -10, -15, -17 |
//! | bishops | NE (+9), NW (+7), SE (-7), SW (-9) |
//! | rooks | N (+8), S (-8), E (+1), W (-1) |
//! | queens, kings | as rooks, then as bishops |
//!
//! 1. Captures, most valuable victim first, least valuable attacker first: for each victim Q R B N
//!    P, for each attacker P N B R Q K, for each direction, to ascending. A pawn that captures on
//!    the last rank becomes Q, R, B, N. En passant follows the captures of pawns by pawns, NW first.
//! 2. Promotions without capture, to ascending, each Q R B N.
//! 3. Single pawn pushes, then double pushes, each to ascending.
//! 4. Knights: per direction, to ascending.
//! 5. Bishops and queens on diagonals, then rooks and queens on files and ranks: per direction, per
//!    distance from 1 to 7, to ascending.
//! 6. King steps, per direction; then castling towards file h, then towards file a.
//!
//! # How it counts
//!
//! * **In lanes.** The counting code is written once over a lane vector, a register of bitboards with one position per
//!   lane, and compiled for one, two, four and eight lanes. [`Cpu::variants`] names the compilations that this CPU can
//!   run: `portable`, `avx2`, `avx512` and `avx512-popcount` on x86-64, `portable` and `neon` on AArch64.
//!   [`Cpu::new`] takes the best one, or the one that the environment variable `KOGGE_CPU` names; a variant that the
//!   CPU cannot run is an error.
//! * **In batches.** A level of the tree is a batch of 256 positions of 32 bytes plus at most the successors of one
//!   more register, so it stays in the first-level cache. The moves of a register of positions go to a queue, which is
//!   processed one register after another, so lanes are full for any number of moves per position.
//! * **Two plies in closed form.** The number of replies to most moves is known without making the move. If a move does
//!   not touch the limits of the other side's moves, it changes the number of replies by the difference of two squares'
//!   values, and the values of all squares are computed at once. The other moves are made, and their replies are
//!   counted set-wise. Other programs had the same aim before: MPerft 5 counts the replies to a null move and corrects
//!   the count, templechess multiplies the numbers of moves that do not touch each other, and H. G. Muller sketched an
//!   incremental perft.
//! * **With an optional hash table** ([`Cpu::set_hash`]). All threads share it without locks. It compares
//!   the whole position, 32 bytes, and the depth, so no count depends on a hash.
//!
//! [`measurements`] lists the gain of each part and the failed attempts.

// The compiler may compile iterators over lane vectors as functions without the caller's vector instructions; index loops
// stay in the caller.
#![allow(clippy::needless_range_loop)]

/// A page of measurements, without code.
#[cfg(doc)]
pub mod measurements {
    #![doc = include_str!("../MEASUREMENTS.md")]
}

mod backend;
mod game;
mod lanes;
mod legal;
pub mod mailbox;
mod watched;

pub use backend::Cpu;
pub use game::{Game, LineError, Status, is_material_insufficient};
pub use lanes::code::Code;
pub use lanes::count::count;
pub use lanes::generate::{MoveFilter, expand};
pub use legal::{LegalMoves, PieceMoves};
