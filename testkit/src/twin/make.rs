//! Packed moves, and making them.
//!
//! An item is two words: a packed move, and the index of its position.
//!
//! | bits | meaning |
//! |---|---|
//! | 0 to 5, 6 to 11 | from, to (in castling, the king's squares) |
//! | 12 to 14 | code of the piece that stands on `to` afterwards |
//! | 15, 16 | kind of move |

use kogge_board::{Color, Move, MoveKind, Piece, Planes32, Position, Square};
use kogge_gpu::kernels::{Binding, Scalar};

use super::arguments::Arguments;
use super::position::{View, load_position, load_quad, rules_of, store_position, store_quad};

const EN_PASSANT: u32 = 1;
const CASTLING: u32 = 2;
/// A double push after which an en-passant capture is legal.
const PASSING: u32 = 3;

pub(super) fn packed_move(seen: &View, played: Move) -> u32 {
    let View { rules, position } = seen;
    let (from, to) = (played.from(), played.to());
    let moving = position.piece_at(from).map_or(Piece::Pawn, |(_, piece)| piece);
    let kind = match played.kind() {
        MoveKind::EnPassant => EN_PASSANT,
        MoveKind::CastleKingside | MoveKind::CastleQueenside => CASTLING,
        _ if position.play(rules, played).state.en_passant_file().is_some() => PASSING,
        _ => 0,
    };
    let code = played.promotion().unwrap_or(moving) as u32 + 1;
    u32::from(from.index()) | u32::from(to.index()) << 6 | code << 12 | kind << 15
}

/// Returns the move packed in these bits. White must be to move in `position`.
fn unpacked_move(position: &Position, packed: u32) -> Move {
    let square = |shift: u32| Square::at((packed >> shift & 7) as u8, (packed >> (shift + 3) & 7) as u8);
    let (from, to) = (square(0), square(6));
    let is_pawn = position.piece_at(from).is_some_and(|(_, piece)| piece == Piece::Pawn);
    let is_capture = position.piece_at(to).is_some();
    let piece = Piece::new((packed >> 12 & 7).saturating_sub(1) as u8).unwrap_or(Piece::Pawn);
    let kind = match packed >> 15 & 3 {
        EN_PASSANT => MoveKind::EnPassant,
        CASTLING if to == Square::at(6, 0) => MoveKind::CastleKingside,
        CASTLING => MoveKind::CastleQueenside,
        _ if is_pawn && piece != Piece::Pawn && is_capture => MoveKind::CapturePromotion(piece),
        _ if is_pawn && piece != Piece::Pawn => MoveKind::Promotion(piece),
        _ if is_capture => MoveKind::Capture,
        _ if is_pawn && to.rank() == from.rank() + 2 => MoveKind::DoublePush,
        _ => MoveKind::Quiet,
    };
    Move::new(from, to, kind)
}

/// Returns the position after a move, from the view of the other side.
pub(super) fn made(seen: &View, packed: u32) -> Planes32 {
    let View { rules, position } = seen;
    let mut child = position.play(rules, unpacked_move(position, packed));
    // Only the mark decides, even if it is wrong.
    let passing = (packed >> 15 & 3 == PASSING).then_some((packed & 7) as u8);
    child.state = child.state.with_en_passant(passing);
    Planes32::pack(rules, &child)
}

pub(super) fn make(arguments: &Arguments<'_>) {
    for index in arguments.indices(0, arguments.scalar(Scalar::end)) {
        let [packed, parent] = arguments.read(Binding::items, index);
        let seen = load_position(arguments, Binding::positions, parent as usize);
        store_position(arguments, Binding::successors, index, &made(&seen, packed));
        let root = arguments.word(Binding::roots, parent as usize);
        arguments.set(Binding::successor_roots, index, root);
    }
}

/// Makes the successor of each item as a `Quad48`, for the host.
pub(super) fn make_quads(arguments: &Arguments<'_>) {
    let rules = rules_of(arguments, arguments.scalar(Scalar::halfmove_clock) != 0);
    for index in arguments.indices(0, arguments.scalar(Scalar::end)) {
        let [packed, parent] = arguments.read(Binding::items, index);
        let quad = load_quad(arguments, Binding::quads, parent as usize);
        let position = quad.unpack_unchecked();
        let black = position.turn() == Color::Black;
        let seen = if black { position.mirrored() } else { position };
        let mut played = unpacked_move(&seen, packed);
        if black {
            let flip = |square: Square| Square::at(square.file(), 7 - square.rank());
            played = Move::new(flip(played.from()), flip(played.to()), played.kind());
        }
        let mut child = position.play(&rules, played);
        let passing = (packed >> 15 & 3 == PASSING).then_some((packed & 7) as u8);
        child.state = child.state.with_en_passant(passing);
        store_quad(arguments, Binding::successor_quads, index, &(&child).into());
    }
}
