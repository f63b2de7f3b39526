//! What must hold for any input. The fuzz targets call these functions with whatever libFuzzer finds; the plain tests
//! in `movegen-cpu/tests/fuzz.rs`, which include this file, with random input.

use kogge_board::{Fen, Format, Move, Position, Quad48, Rules};
use kogge_movegen_cpu::{count, expand};

/// Any text is a FEN or an error that fits on a line, and what is read is written back the same.
pub fn fen(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match text.parse::<Fen>() {
        Ok(fen) => {
            assert_eq!(fen.to_string().parse(), Ok(fen), "from {text:?}");
            legal(&fen.rules, &fen.position);
        }
        Err(error) => one_line(error),
    }
}

/// In every format, any bytes are a position that packs to the same bytes, or an error; and generators end on any
/// bytes.
///
/// The bytes come as they are and as differences from the start position, so that a few set bits are a few moved
/// pieces. The first byte chooses the castling rooks' files.
pub fn unpack(bytes: &[u8]) {
    let (&choice, bytes) = bytes.split_first().unwrap_or((&0, &[]));
    let rules = match choice {
        0 => Rules::STANDARD,
        _ => Rules { castling_files: [7, choice & 7, choice >> 3 & 7, 0], ..Rules::STANDARD },
    };
    for format in Format::ALL {
        let mut raw = vec![0; format.size()];
        raw.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        let mut moved = format.pack(&Fen::start().position);
        moved.iter_mut().zip(bytes).for_each(|(to, from)| *to ^= *from);
        for packed in [bytes, &raw, &moved] {
            match format.unpack(packed, &rules) {
                Ok(position) => {
                    assert_eq!(format.pack(&position), packed, "{format}");
                    legal(&rules, &position);
                }
                Err(error) => one_line(error),
            }
        }
        if format == Format::Quad48 {
            for packed in [raw, moved] {
                let packed = bytemuck::pod_read_unaligned(&packed);
                count(&rules, &packed);
                expand(&rules, &packed, &mut Vec::new());
            }
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

/// What holds for any position that was accepted.
fn legal(rules: &Rules, position: &Position) {
    assert_eq!(position.check(rules), Ok(()));
    for format in Format::ALL {
        let clock = if format.keeps_halfmove_clock() { position.state.halfmove_clock() } else { 0 };
        let expected = Position { state: position.state.with_halfmove_clock(clock), ..*position };
        assert_eq!(format.unpack(&format.pack(position), rules), Ok(expected), "{format}");
    }
    let fen = Fen::new(*position, *rules).to_string();
    assert_eq!(fen.parse().map(|fen: Fen| fen.position), Ok(*position), "{fen}");
    let quad = Quad48::from(position);
    let mut successors = Vec::new();
    expand(rules, &quad, &mut successors);
    assert_eq!(count(rules, &quad) as usize, successors.len(), "{fen}");
}

/// An error is one sentence or two, however long or strange the input.
fn one_line(error: impl std::error::Error) {
    let text = error.to_string();
    assert!(text.len() < 400 && !text.contains('\n') && text.ends_with('.'), "{text:?}");
}
