//! Positions as six bitboards, 48 bytes, in device memory.

use kogge_board::Planes32;

use crate::kernels::Part;
use crate::settings::PositionForm;

/// The first and the last rank, where no pawn stands.
const PAWNLESS_RANKS: u64 = 0xff00_0000_0000_00ff;

/// Returns a position in device memory as [`Planes32`].
pub(crate) fn planes_of(form: PositionForm, parts: &[Part]) -> Planes32 {
    match (form, parts) {
        (PositionForm::Planes32, &[[bit1, bit2], [bit4, own]]) => Planes32 { codes: [bit1, bit2, bit4], own },
        (PositionForm::Boards48, &[[own, pawns], [knights, bishops_queens], [rooks_queens, kings]]) => {
            let castling_rooks = pawns & PAWNLESS_RANKS;
            let bit1 = pawns | bishops_queens;
            let bit2 = knights | bishops_queens & !rooks_queens | kings | castling_rooks;
            Planes32 { codes: [bit1, bit2, rooks_queens | kings], own }
        }
        _ => Planes32::default(),
    }
}
