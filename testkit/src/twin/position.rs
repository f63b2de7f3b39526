//! Positions in device memory. As in the kernels, every position is seen with white to move.

use kogge_board::{Color, Planes32, Position, Quad48, Rules};
use kogge_gpu::kernels::{Binding, Scalar};

use super::arguments::Arguments;

/// The first and the last rank, where no pawn stands.
const PAWNLESS_RANKS: u64 = 0xff00_0000_0000_00ff;

/// A position as the side to move sees it, with this side as white, and rules with the files of the marked castling
/// rooks.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct View {
    pub(super) rules: Rules,
    pub(super) position: Position,
}

impl From<&Planes32> for View {
    fn from(planes: &Planes32) -> Self {
        let position = planes.unpack_unchecked(Color::White);
        let [bit1, bit2, bit4] = planes.codes;
        let mut rules = Rules::STANDARD;
        for square in (0..64_u8).filter(|square| (bit1 & bit2 & bit4) >> square & 1 != 0) {
            let (color, right) = if position.white >> square & 1 != 0 { (Color::White, 0) } else { (Color::Black, 2) };
            let is_below_king = 1_u64 << square < position.kings & position.of(color);
            rules.castling_files[right + usize::from(is_below_king)] = square & 7;
        }
        Self { rules, position }
    }
}

fn word_pairs<const WORDS: usize, const BOARDS: usize>(boards: [u64; BOARDS]) -> [u32; WORDS] {
    std::array::from_fn(|word| (boards[word / 2] >> (32 * (word % 2))) as u32)
}

fn boards<const WORDS: usize, const BOARDS: usize>(words: [u32; WORDS]) -> [u64; BOARDS] {
    std::array::from_fn(|board| u64::from(words[2 * board + 1]) << 32 | u64::from(words[2 * board]))
}

/// Reads a position in the format that the settings select.
pub(super) fn load_planes(arguments: &Arguments<'_>, binding: Binding, index: usize) -> Planes32 {
    if !arguments.settings.variants.boards48 {
        let [bit1, bit2, bit4, own] = boards(arguments.read::<8>(binding, index));
        return Planes32 { codes: [bit1, bit2, bit4], own };
    }
    let [own, pawns, knights, bishops_queens, rooks_queens, kings] = boards(arguments.read::<12>(binding, index));
    let bit1 = pawns | bishops_queens;
    let bit2 = knights | bishops_queens & !rooks_queens | kings | pawns & PAWNLESS_RANKS;
    Planes32 { codes: [bit1, bit2, rooks_queens | kings], own }
}

pub(super) fn load_position(arguments: &Arguments<'_>, binding: Binding, index: usize) -> View {
    View::from(&load_planes(arguments, binding, index))
}

/// Writes a position in the format that the settings select.
pub(super) fn store_position(arguments: &Arguments<'_>, binding: Binding, index: usize, planes: &Planes32) {
    let Planes32 { codes: [bit1, bit2, bit4], own } = *planes;
    if !arguments.settings.variants.boards48 {
        return arguments.write::<8>(binding, index, word_pairs([bit1, bit2, bit4, own]));
    }
    let kings = !bit1 & bit2 & bit4;
    let (pawns, bishops_queens) = (bit1 & !(bit2 ^ bit4), bit1 & (bit2 ^ bit4));
    let boards = [own, pawns, !bit1 & bit2 & !bit4, bishops_queens, bit4 & !kings, kings];
    arguments.write::<12>(binding, index, word_pairs(boards));
}

pub(super) fn load_quad(arguments: &Arguments<'_>, binding: Binding, index: usize) -> Quad48 {
    let [white, pawns, knights, bishops_queens, rooks_queens, kings] = boards(arguments.read::<12>(binding, index));
    Quad48 { white, pawns, knights, bishops_queens, rooks_queens, kings }
}

pub(super) fn store_quad(arguments: &Arguments<'_>, binding: Binding, index: usize, quad: &Quad48) {
    let boards = [quad.white, quad.pawns, quad.knights, quad.bishops_queens, quad.rooks_queens, quad.kings];
    arguments.write::<12>(binding, index, word_pairs(boards));
}

pub(super) fn rules_of(arguments: &Arguments<'_>, halfmove_clock: bool) -> Rules {
    Rules { castling_files: arguments.scalar(Scalar::castling_files).to_le_bytes(), halfmove_clock }
}

/// Unpacks `Quad48` into level 0.
pub(super) fn upload(arguments: &Arguments<'_>) {
    let rules = rules_of(arguments, false);
    for index in arguments.indices(0, arguments.scalar(Scalar::end)) {
        let position = load_quad(arguments, Binding::quads, index).unpack_unchecked();
        store_position(arguments, Binding::successors, index, &Planes32::pack(&rules, &position));
        arguments.set(Binding::successor_roots, index, index as u32);
    }
}
