//! Static exchange evaluation: the gain of a sequence of captures on one square.

use kogge_board::attacks::{attackers, bishop_attacks, rook_attacks};
use kogge_board::bits::{PAWN_RANKS, lowest};
use kogge_board::{Piece, Quad48};

/// The values of pieces in exchanges, in hundredths of a pawn, pawn first. A king is worth more than
/// all other pieces, so it captures last.
pub(crate) const VALUES: [i32; 6] = [100, 325, 325, 500, 975, 20_000];

#[inline]
pub(crate) fn kind(position: &Quad48, square: u64) -> Piece {
    let diagonal = position.bishops_queens & square != 0;
    let orthogonal = position.rooks_queens & square != 0;
    match (diagonal, orthogonal) {
        (true, true) => Piece::Queen,
        (true, false) => Piece::Bishop,
        (false, true) => Piece::Rook,
        _ if position.knights & square != 0 => Piece::Knight,
        _ if position.kings & square != 0 => Piece::King,
        _ => Piece::Pawn,
    }
}

/// Returns the least gain of the side to move by capturing on `to` with the piece on `from`, if both sides then
/// keep capturing there, least valuable piece first, as long as it pays. En passant counts as the capture of a
/// pawn; promotions are ignored.
pub(crate) fn exchange(position: &Quad48, from: u64, to: u64, mut empty: u64) -> i32 {
    let is_capture = empty & to == 0;
    let mover = kind(position, from);
    let is_en_passant = !is_capture && mover == Piece::Pawn && (from.trailing_zeros() ^ to.trailing_zeros()) & 7 != 0;
    // gains[n] is the gain of the side that makes capture number n, if this is the last capture.
    let mut gains = [0; 32];
    gains[0] = match (is_capture, is_en_passant) {
        (true, _) => VALUES[kind(position, to) as usize],
        (_, true) => VALUES[0],
        _ => 0,
    };
    let mut on_square = VALUES[mover as usize];
    let mut white = position.white & from == 0;
    empty |= from;
    empty &= !to;
    let mut all = attackers(position, to, empty) & !empty;
    let mut last = 0;
    while last < 31 {
        let mine = all & if white { position.white } else { !position.white };
        let Some((attacker, value)) = least_valuable(position, mine) else { break };
        // A king cannot capture a protected piece.
        let theirs = all & if white { !position.white } else { position.white };
        if value == VALUES[5] && theirs != 0 {
            break;
        }
        last += 1;
        gains[last] = on_square - gains[last - 1];
        on_square = value;
        empty |= attacker;
        // Sliders behind the attacker now attack the square.
        all |= rook_attacks(to, empty) & position.rooks_queens | bishop_attacks(to, empty) & position.bishops_queens;
        all &= !empty;
        white = !white;
    }
    // Either side may stop before a capture that does not pay.
    while last > 0 {
        gains[last - 1] = -gains[last].max(-gains[last - 1]);
        last -= 1;
    }
    gains[0]
}

#[inline]
fn least_valuable(position: &Quad48, pieces: u64) -> Option<(u64, i32)> {
    let queens = position.bishops_queens & position.rooks_queens;
    let kinds = [
        position.pawns & PAWN_RANKS,
        position.knights,
        position.bishops_queens & !queens,
        position.rooks_queens & !queens,
        queens,
        position.kings,
    ];
    let found = kinds.into_iter().zip(VALUES).find(|(kind, _)| kind & pieces != 0);
    found.map(|(kind, value)| (lowest(kind & pieces), value))
}

#[cfg(test)]
mod tests {
    use kogge_board::attacks::Sides;
    use kogge_board::{Fen, Square};

    use super::*;

    #[test]
    fn exchanges() {
        for (fen, from, to, gain) in [
            ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4", "d5", 100),
            ("4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 1", "e4", "d5", 0),
            ("4k3/8/2p5/3p4/8/8/3R4/4K3 w - - 0 1", "d2", "d5", -400),
            ("3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2", "d5", 100),
            ("3rk3/3r4/8/3p4/8/8/3R4/3RK3 w - - 0 1", "d2", "d5", -400),
            // The knight takes a pawn that knight and bishop protect; rook and queen attack from behind.
            ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3", "e5", -225),
            ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1", "e5", 100),
            // En passant.
            ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5", "d6", 100),
            ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5", "d6", 0),
            // A king protects, but cannot take a protected piece.
            ("8/8/3k4/3p4/4P3/8/8/4K3 w - - 0 1", "e4", "d5", 0),
            ("8/8/3k4/3p4/4P3/5B2/8/4K3 w - - 0 1", "e4", "d5", 100),
            // A quiet move onto an attacked square.
            ("4k3/8/2p5/8/8/8/3R4/4K3 w - - 0 1", "d2", "d5", -500),
        ] {
            let position = Quad48::from(&fen.parse::<Fen>().unwrap().position);
            let [from, to] = [from, to].map(|square| square.parse::<Square>().unwrap().bit());
            assert_eq!(exchange(&position, from, to, Sides::of(&position).empty), gain, "{fen}");
        }
    }
}
