//! What must hold for any input. The fuzz targets call these functions with whatever libFuzzer finds; the plain tests
//! in `movegen-cpu/tests/fuzz.rs`, which include this file, with random input.

use kogge_board::{Fen, Move, Position, Quad48, Rules};
use kogge_movegen_cpu::{count, expand};

/// Any text is a FEN or an error that says what is wrong, and what is read is written back the same.
pub fn fen(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match text.parse::<Fen>() {
        Ok(fen) => {
            fen.position.check(&fen.rules).expect("what a FEN gives is legal");
            assert_eq!(fen.to_string().parse(), Ok(fen), "from {text:?}");
            packed_again(&fen.rules, &fen.position);
        }
        Err(error) => assert!(error.to_string().len() < 400, "too long for one line: {error}"),
    }
}

/// Any bytes are a position that packs to the same bytes, or an error; and generators end on any bytes.
///
/// The bytes come as they are and as differences from the start position, so that a few set bits are a few moved
/// pieces. The first byte chooses the castling rooks' files.
pub fn unpack(bytes: &[u8]) {
    let (&choice, bytes) = bytes.split_first().unwrap_or((&0, &[]));
    let rules = match choice {
        0 => Rules::STANDARD,
        _ => Rules { castling_files: [7, choice & 7, choice >> 3 & 7, 0], ..Rules::STANDARD },
    };
    let mut raw = Quad48::default();
    for (to, from) in bytemuck::bytes_of_mut(&mut raw).iter_mut().zip(bytes) {
        *to = *from;
    }
    let mut moved = Quad48::from(&Fen::start().position);
    for (to, from) in bytemuck::bytes_of_mut(&mut moved).iter_mut().zip(bytemuck::bytes_of(&raw)) {
        *to ^= *from;
    }
    for packed in [raw, moved] {
        let mut successors = Vec::new();
        expand(&rules, &packed, &mut successors);
        let counted = count(&rules, &packed);
        if let Ok(position) = packed.unpack(&rules) {
            assert_eq!(Quad48::from(&position), packed);
            assert_eq!(counted as usize, successors.len(), "{position:?}");
            packed_again(&rules, &position);
            let fen = Fen::new(position, rules);
            let read = fen.to_string().parse::<Fen>().map(|fen| fen.position);
            assert_eq!(read, Ok(position), "{fen}");
        }
    }
}

/// In any game, every successor is a legal position that some move leads to; and any 16 bits can be played.
///
/// The first line is the position to begin with, if it is a FEN; each two bytes after it choose the next move.
pub fn moves(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |&byte| byte == b'\n');
    let first_line = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let fen = first_line.parse().unwrap_or_else(|_| Fen::start());
    let (rules, mut position) = (fen.rules, fen.position);
    for choice in parts.next().unwrap_or_default().chunks_exact(2).take(200) {
        let choice = u16::from_le_bytes([choice[0], choice[1]]);
        if let Some(any) = Move::from_bits(choice) {
            assert_eq!(any.bits(), choice);
            let _ = position.play(&rules, any);
        }
        let mut successors = Vec::new();
        expand(&rules, &Quad48::from(&position), &mut successors);
        for successor in &successors {
            let successor = successor.unpack(&rules).expect("successors are legal");
            let found = Move::between(&rules, &position, &successor).expect("a move leads to every successor");
            assert_eq!(position.play(&rules, found), successor, "{found:?} in {position:?}");
        }
        let Some(chosen) = successors.get(usize::from(choice) % successors.len().max(1)) else { return };
        position = chosen.unpack_unchecked();
    }
}

/// A legal position comes out of every packed format as it went in.
fn packed_again(rules: &Rules, position: &Position) {
    assert_eq!(Quad48::from(position).unpack(rules), Ok(*position));
}
