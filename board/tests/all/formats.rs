//! Every packed format: positions survive a round trip, equal positions have equal bytes, different positions
//! different bytes, and bytes that are no position are refused.

use kogge_board::{Circle32, Fen, Five42, Format, PackedPosition, Pieces38, Pieces64, Position, Quad48, UnpackError};
use kogge_testkit::{Placement, placement};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Returns a position reduced to the information that a format keeps.
fn kept(format: Format, position: &Position) -> Position {
    match format.keeps_halfmove_clock() {
        true => *position,
        false => Position { state: position.state.with_halfmove_clock(0), ..*position },
    }
}

/// Returns a legal position that differs in one man removed or in one state bit.
fn neighbour((rules, position): &Placement, which: Index) -> Option<Position> {
    let men = (0..64).map(|square| 1u64 << square).filter(|bit| position.occupied() & bit != 0);
    let without = men.map(|bit| {
        let mut other = *position;
        other.clear(bit);
        other
    });
    let mut others: Vec<_> = without.collect();
    for bit in 0..16 {
        let mut other = *position;
        other.state.0 ^= 1 << bit;
        others.push(other);
    }
    others.retain(|other| other.check(rules).is_ok());
    (!others.is_empty()).then(|| *which.get(&others))
}

/// Returns whether the type of a format agrees with the table of formats.
fn agrees<T: PackedPosition>(position: &Position, bytes: &[u8]) -> bool {
    T::pack(position) == bytemuck::pod_read_unaligned(bytes) && size_of::<T>() == T::FORMAT.size()
}

proptest! {
    #[test]
    fn positions_come_back((rules, position) in placement()) {
        for format in Format::ALL {
            let bytes = format.pack(&position);
            prop_assert_eq!(bytes.len(), format.size());
            prop_assert_eq!(format.unpack(&bytes, &rules), Ok(kept(format, &position)), "{}", format);
            let typed = match format {
                Format::Quad48 => agrees::<Quad48>,
                Format::Circle32 => agrees::<Circle32>,
                Format::Five42 => agrees::<Five42>,
                Format::Pieces38 => agrees::<Pieces38>,
                Format::Pieces64 => agrees::<Pieces64>,
            };
            prop_assert!(typed(&position, &bytes), "{}", format);
        }
    }

    #[test]
    fn bytes_are_equal_only_where_positions_are(one in placement(), other in placement(), which: Index) {
        let (rules, position) = one;
        for other in [Some(other.1), neighbour(&one, which), Fen::new(position, rules).to_string().parse().ok().map(|fen: Fen| fen.position)] {
            let Some(other) = other else { continue };
            for format in Format::ALL {
                let equal = kept(format, &position) == kept(format, &other);
                prop_assert_eq!(format.pack(&position) == format.pack(&other), equal, "{}", format);
            }
        }
    }

    #[test]
    fn changed_bytes_are_refused_or_another_position(
        (rules, position) in placement(),
        format in select(&Format::ALL[..]),
        changes in vec(any::<(Index, u8)>(), 1..4),
    ) {
        let mut bytes = format.pack(&position);
        for (place, bit) in changes {
            *place.get_mut(&mut bytes) ^= 1 << (bit % 8);
        }
        if let Ok(found) = format.unpack(&bytes, &rules) {
            prop_assert_eq!(found.check(&rules), Ok(()));
            prop_assert_eq!(format.pack(&found), bytes);
        }
    }

    #[test]
    fn random_bytes_are_refused_or_a_position(bytes in vec(any::<u8>(), 64), (rules, _) in placement()) {
        for format in Format::ALL {
            let bytes = &bytes[..format.size()];
            match format.unpack(bytes, &rules) {
                Ok(position) => prop_assert_eq!(format.pack(&position), bytes),
                Err(error) => prop_assert!(error.to_string().ends_with('.')),
            }
            prop_assert_eq!(
                format.unpack(&bytes[1..], &rules),
                Err(UnpackError::Length { format, found: format.size() - 1 })
            );
        }
    }

    #[test]
    fn batches_are_what_single_positions_are(placements in vec(placement(), 0..40)) {
        let quads: Vec<_> = placements.iter().map(|(_, position)| Quad48::from(position)).collect();
        let mut circles = vec![Circle32::default(); quads.len()];
        let mut back = vec![Quad48::default(); quads.len()];
        Circle32::pack_all(&quads, &mut circles);
        Circle32::unpack_all(&circles, &mut back);
        prop_assert_eq!(&back, &quads);
        for (quad, circle) in quads.iter().zip(&circles) {
            prop_assert_eq!(circle, &Circle32::from(quad));
            prop_assert_eq!(quad, &Quad48::from(circle));
            prop_assert_eq!(circle.center() & circle.empty(), circle.center());
            let five = Five42::from(quad);
            prop_assert_eq!(quad, &Quad48::from(&five));
        }
        for (quad, circle) in quads.iter().zip(&circles) {
            let stateless = Quad48 { pawns: quad.pawns & 0x00ff_ffff_ffff_ff00, ..*quad };
            let pieces = Circle32::pack_pieces(quad);
            prop_assert_eq!([circle.unpack_pieces(), pieces.unpack_pieces()], [stateless; 2]);
            prop_assert!(pieces.center() == 0 && pieces.white == quad.white);
        }
    }
}
