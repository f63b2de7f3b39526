//! Properties of every input. The fuzz targets call these functions with the input of libFuzzer. The plain tests in
//! `cli/tests/fuzz.rs` include this file and call them with random input.

use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use kogge::Game;
use kogge::pgn::PgnReader;
use kogge_board::{Fen, Format, Move, MoveError, MoveKind, Position, Quad48, Rules};
use kogge_driver::{MergeDevice, epd};
use kogge_ledger::{Kind, Ledger, LedgerRequest, Sqlite};
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_movegen_cpu::{LegalMoves, count, expand};
use kogge_search::Signals;
use kogge_search::uci::{Host, serve};

/// Checks that any text is a FEN or gives an error that fits on a line, and that a FEN survives writing and reading.
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

/// Checks that in every format, any bytes are either a position that packs to these bytes or an error, and that the
/// generators return for any bytes.
///
/// The bytes are used both directly and as differences from the start position, where a few set bits move a few pieces.
/// The first byte chooses the files of the castling rooks.
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

/// Checks that any bytes are a suite: each line is a position with counts or gives an error that fits on a line.
pub fn suite(bytes: &[u8]) {
    for (number, line) in epd::lines(bytes) {
        assert!(number <= 1 + bytes.len());
        match line {
            Ok(case) => {
                assert!(!case.counts.is_empty());
                legal(&case.root.rules, &case.root.position);
            }
            Err(error) => one_line(error),
        }
    }
}

/// Checks that any text is a move or gives an error, and that any 16 bits can be played. In any game, every successor must
/// be a legal position with a move that leads to it, and the move must survive writing and reading.
///
/// The first line is the first position, if it is a FEN. After that, every two bytes choose the next move, and each word
/// is read as a move.
pub fn moves(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |&byte| byte == b'\n');
    let first_line = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let fen = first_line.parse().unwrap_or_else(|_| Fen::start());
    let choices = parts.next().unwrap_or_default();
    let (rules, mut position) = (fen.rules, fen.position);
    let text = String::from_utf8_lossy(choices);
    let mut words = text.split_whitespace();
    for choice in choices.chunks_exact(2).take(8) {
        let choice = u16::from_le_bytes([choice[0], choice[1]]);
        if let Some(any) = Move::from_bits(choice) {
            assert_eq!(any.bits(), choice);
            let _ = position.play(&rules, any).undo(&rules, position.undo_move(any));
        }
        let mut successors = Vec::new();
        expand(&rules, &Quad48::from(&position), &mut successors);
        let legal: Vec<_> = successors.iter().map(|successor| move_to(&rules, &position, successor)).collect();
        read_back(&rules, &position, &legal);
        let word = words.next().unwrap_or(&text);
        for read in [Move::from_uci(word, &rules, legal.iter().copied()), from_san(word, &position, &legal)] {
            match read {
                Ok(read) => assert!(legal.contains(&read), "{read:?} from {word:?}"),
                Err(error) => one_line(error),
            }
        }
        let Some(chosen) = successors.get(usize::from(choice) % successors.len().max(1)) else { return };
        position = chosen.unpack_unchecked();
    }
}

/// Checks that a conversation of any lines ends, and that every line of the answers belongs to the protocol. Lines that may
/// take long are left out: changes of sizes or threads, and all limits of searches except the smallest.
pub fn uci(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let takes_long = |line: &&str| {
        line.contains("setoption") && ["hash", "threads"].iter().any(|name| line.to_ascii_lowercase().contains(name))
    };
    let mut talk = String::new();
    for line in text.lines().filter(|line| !takes_long(line)).take(50) {
        // If a line has several limits, the last ones apply, and `infinite` ends with the next command.
        let limits = if line.contains("go") { " depth 1 nodes 50 movetime 1" } else { "" };
        talk.extend([line, limits, "\n"]);
    }
    let answers = Answers::default();
    serve(Cursor::new(talk), answers.clone(), Box::new(Counter)).expect("input and output work");
    let answers = answers.0.lock().expect("no writer panics").clone();
    let answers = String::from_utf8(answers).expect("answers are text");
    for line in answers.lines() {
        let first = line.split(' ').next().unwrap_or_default();
        let is_count = line.split_once(": ").is_some_and(|(_, count)| count.parse::<u64>().is_ok());
        let known = ["", "id", "option", "uciok", "readyok", "info", "bestmove"].contains(&first);
        assert!(known || is_count, "{line:?}");
    }
}

/// The answers of a conversation.
#[derive(Clone, Default)]
struct Answers(Arc<Mutex<Vec<u8>>>);

impl Write for Answers {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().map_err(|_| io::Error::other("a writer has panicked"))?.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Counts the replies to each move, whatever the requested depth.
struct Counter;

impl Host for Counter {
    fn divide(&mut self, root: &Fen, _: u32, _: &Signals) -> Result<Vec<(Move, u128)>, String> {
        let mut successors = Vec::new();
        expand(&root.rules, &Quad48::from(&root.position), &mut successors);
        let count = |successor: &Quad48| {
            (move_to(&root.rules, &root.position, successor), u128::from(count(&root.rules, successor)))
        };
        Ok(successors.iter().map(count).collect())
    }
}

/// Checks that a file of any bytes is a ledger or gives an error, and that a file that is not a ledger stays unchanged. The
/// bytes are the whole file, or they replace bytes of a ledger at the offset in the first two bytes.
pub fn ledger(bytes: &[u8]) {
    static LEDGER: OnceLock<Vec<u8>> = OnceLock::new();
    let file = Scratch::new();
    let mut changed = LEDGER.get_or_init(|| small_ledger(&file.0)).clone();
    if let Some((at, new)) = bytes.split_first_chunk() {
        let at = usize::from(u16::from_le_bytes(*at)) % changed.len();
        changed.iter_mut().skip(at).zip(new).for_each(|(to, from)| *to = *from);
    }
    for contents in [bytes, &changed] {
        std::fs::write(&file.0, contents).expect("a temporary file");
        let opened = Sqlite::open(&file.0).and_then(|store| Ledger::open(Box::new(store)));
        if let Err(error) = opened.and_then(|ledger| ledger.total().and_then(|_| ledger.tally())) {
            assert_eq!(std::fs::read(&file.0).expect("it is still there"), contents, "{error}");
            let text = error.to_string();
            assert!(text.ends_with('.') && !text.contains('\n'), "{text:?}");
        }
    }
}

/// Makes a ledger of a few positions in this file, and returns the file's bytes.
fn small_ledger(file: &Path) -> Vec<u8> {
    // A leftover file of an earlier process with the same number.
    let _ = std::fs::remove_file(file);
    let root: Fen = "8/8/8/8/8/1k6/p7/K7 b - - 0 1".parse().expect("a position");
    let request = LedgerRequest {
        root: &root,
        depth: 3,
        kind: Some(Kind::Positions),
        counted: None,
        ply: Some(1),
        entries: None,
        every_path: false,
    };
    let store = Box::new(Sqlite::open_or_create(file).expect("a temporary file"));
    let device = MergeDevice::with_memory(Box::new(Mailbox::new()), 1 << 20);
    let (ledger, _) = Ledger::start(store, &request, &mut [device], &()).expect("a ledger");
    drop(ledger);
    std::fs::read(file).expect("it was made")
}

/// A file of this process, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let id = std::thread::current().id();
        Self(std::env::temp_dir().join(format!("kogge-fuzz-{}-{id:?}.ledger", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The file is gone already, or it does not matter.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Returns the move from a position to `successor`, and checks that playing it gives `successor`.
fn move_to(rules: &Rules, position: &Position, successor: &Quad48) -> Move {
    let successor = successor.unpack(rules).expect("successors are legal");
    let found = Move::between(rules, position, &successor).expect("a move leads to every successor");
    assert_eq!(position.play(rules, found), successor, "{found:?} in {position:?}");
    assert_eq!(successor.undo(rules, position.undo_move(found)), *position, "{found:?} taken back");
    found
}

/// Checks that every legal move survives writing and reading.
fn read_back(rules: &Rules, position: &Position, legal: &[Move]) {
    for &written in legal {
        let text = written.uci(rules, true);
        assert_eq!(Move::from_uci(&text, rules, legal.iter().copied()), Ok(written), "{text}");
        // With castling files other than h and a, the king's step to file g or c may look like castling.
        let text = written.uci(rules, false);
        let read = Move::from_uci(&text, rules, legal.iter().copied());
        assert!(read == Ok(written) || read.as_ref().is_ok_and(|read| !read.is_castling()), "{text}: {read:?}");
        let moves = LegalMoves::of(rules, position);
        let text = moves.san(written);
        assert_eq!(moves.parse_san(&text), Ok(written), "{text}");
        assert_eq!(from_san(&text, position, legal), Ok(written), "{text}");
    }
}

/// Reads one of the legal moves in SAN.
fn from_san(text: &str, position: &Position, legal: &[Move]) -> Result<Move, MoveError> {
    let castling = |kind| legal.iter().copied().find(|found| found.kind() == kind);
    let castlings = [MoveKind::CastleKingside, MoveKind::CastleQueenside].map(castling);
    Move::from_san(text, position, castlings, |piece, to| {
        let goes_there = |found: &&Move| {
            let kind = position.piece_at(found.from()).map(|(_, kind)| kind);
            found.to() == to && !found.is_castling() && kind == Some(piece)
        };
        legal.iter().filter(goes_there).fold(0, |from, found| from | found.from().bit())
    })
}

/// Checks that any bytes are games in PGN whose moves can be played, or errors that fit on a line.
pub fn pgn(bytes: &[u8]) {
    for game in PgnReader::new(bytes) {
        match game {
            Ok(found) => {
                let mut game = Game::new(found.start);
                found.moves().for_each(|played| game.play(played).expect("the moves of a game are legal"));
                assert_eq!(game.to_string(), found.end().to_string());
            }
            Err(error) => one_line(error),
        }
    }
}

/// Checks properties of any accepted position.
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

/// Checks that an error is one or two sentences, for any input.
fn one_line(error: impl std::error::Error) {
    let text = error.to_string();
    assert!(text.len() < 400 && !text.contains('\n') && text.ends_with('.'), "{text:?}");
}
