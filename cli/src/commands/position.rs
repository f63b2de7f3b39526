//! `kogge position`: show, pack, unpack.

use std::io::{self, Write};

use kogge_board::{Color, Fen, Format, Move, PositionError, Rules, Square, UnpackError};
use kogge_driver::legal_moves;
use kogge_movegen_cpu::mailbox::Mailbox;
use serde::Serialize;

use crate::args::{CastlingFiles, Position};
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::root::position;

impl Job for Position {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        match self {
            Self::Show { fen, moves } => show(&position(fen.as_deref(), moves)?, context)?,
            Self::Pack { format, fen } => {
                let fen = position(Some(fen), &[])?;
                let packed = Packed::new(*format, &fen);
                let report = PackReport { command: "position pack", fen: fen.to_string(), packed };
                context.output.print(&report, |to| writeln!(to, "{}", report.packed.hex))?;
            }
            Self::Unpack { format, hex, castling } => {
                let fen = unpack(*format, hex, *castling)?.to_string();
                let report = UnpackReport { command: "position unpack", format: format.name(), fen };
                context.output.print(&report, |to| writeln!(to, "{}", report.fen))?;
            }
        }
        Ok(Answer::Done)
    }
}

#[derive(Serialize)]
struct Shown {
    command: &'static str,
    fen: String,
    chess960: bool,
    turn: String,
    check: bool,
    /// `play`, `checkmate` or `stalemate`.
    state: &'static str,
    moves: Vec<Written>,
    packed: Vec<Packed>,
}

/// A move as text.
#[derive(Serialize)]
struct Written {
    uci: String,
    san: String,
}

/// A position packed in one format.
#[derive(Serialize)]
struct Packed {
    format: &'static str,
    bytes: usize,
    hex: String,
}

impl Packed {
    fn new(format: Format, fen: &Fen) -> Self {
        let bytes = format.pack(&fen.position);
        let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { format: format.name(), bytes: bytes.len(), hex }
    }
}

/// Shows a position.
fn show(fen: &Fen, context: &mut Context) -> Result<(), Failure> {
    let check = fen.position.checkers() != 0;
    let moves = written_moves(fen)?;
    let state = match (moves.is_empty(), check) {
        (false, _) => "play",
        (true, true) => "checkmate",
        (true, false) => "stalemate",
    };
    let shown = Shown {
        command: "position show",
        fen: fen.to_string(),
        chess960: fen.is_chess960(),
        turn: fen.position.turn().to_string(),
        check,
        state,
        moves,
        packed: Format::ALL.iter().map(|&format| Packed::new(format, fen)).collect(),
    };
    context.output.print(&shown, |to| {
        draw(to, fen)?;
        writeln!(to, "\nFEN    {}", shown.fen)?;
        let check = if check { ", in check" } else { "" };
        match state {
            "play" => writeln!(to, "Turn   {}{check}, {} moves", shown.turn, shown.moves.len())?,
            end => writeln!(to, "Turn   {}{check}, {end}", shown.turn)?,
        }
        if shown.chess960 {
            writeln!(to, "Rules  Chess960: castling is written as the king's move to its rook")?;
        }
        writeln!(to)?;
        for row in shown.moves.chunks(6) {
            let cells = row.iter().map(|Written { uci, san }| format!("{uci:<5} {san:<7}"));
            writeln!(to, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        writeln!(to)?;
        shown
            .packed
            .iter()
            .try_for_each(|Packed { format, bytes, hex }| writeln!(to, "{format:<8}  {bytes:>2} bytes  {hex}"))
    })?;
    Ok(())
}

/// Returns the legal moves in UCI notation and SAN, sorted by their UCI notation.
fn written_moves(fen: &Fen) -> Result<Vec<Written>, Failure> {
    let mut mailbox = Mailbox::new();
    let moves: Vec<Move> = legal_moves(&mut mailbox, fen)?.into_iter().map(|(played, _)| played).collect();
    let mut written = Vec::new();
    for &played in &moves {
        let mut replies = Ok(Vec::new());
        let san = played.san(&fen.position, &fen.rules, &moves, |after| {
            replies = legal_moves(&mut mailbox, &Fen::new(*after, fen.rules));
            replies.as_ref().is_ok_and(|replies| !replies.is_empty())
        });
        replies?;
        written.push(Written { uci: played.uci(&fen.rules, fen.is_chess960()), san });
    }
    written.sort_by(|a, b| a.uci.cmp(&b.uci));
    Ok(written)
}

/// Draws the board from white's side.
fn draw(to: &mut dyn Write, fen: &Fen) -> io::Result<()> {
    for rank in (0..8).rev() {
        write!(to, "{}", rank + 1)?;
        for file in 0..8 {
            let letter = match fen.position.piece_at(Square::at(file, rank)) {
                Some((Color::White, piece)) => piece.letter().to_ascii_uppercase(),
                Some((Color::Black, piece)) => piece.letter(),
                None => '.',
            };
            write!(to, " {letter}")?;
        }
        writeln!(to)?;
    }
    writeln!(to, "  a b c d e f g h")
}

#[derive(Serialize)]
struct PackReport {
    command: &'static str,
    fen: String,
    #[serde(flatten)]
    packed: Packed,
}

#[derive(Serialize)]
struct UnpackReport {
    command: &'static str,
    format: &'static str,
    fen: String,
}

fn unpack(format: Format, hex: &str, castling_files: CastlingFiles) -> Result<Fen, Failure> {
    let bytes = parse_hex(hex)?;
    let rules = Rules { castling_files, ..Rules::STANDARD };
    let position = format.unpack(&bytes, &rules).map_err(|error| {
        let hint = match error {
            UnpackError::Position(PositionError::CastlingRook { .. }) => {
                " If this is Chess960, give the files of the castling rooks with --castling."
            }
            _ => "",
        };
        Failure::Input(format!("{error}{hint}"))
    })?;
    Ok(Fen::new(position, rules))
}

fn parse_hex(text: &str) -> Result<Vec<u8>, Failure> {
    let digit = |index: usize, letter: char| {
        let wrong = || {
            Failure::Input(format!("Character {} of the bytes is {letter:?}; expected 0 to 9 or a to f.", index + 1))
        };
        letter.to_digit(16).map(|digit| digit as u8).ok_or_else(wrong)
    };
    let digits =
        text.trim().chars().enumerate().map(|(index, letter)| digit(index, letter)).collect::<Result<Vec<_>, _>>()?;
    if digits.len() % 2 == 1 {
        return Err(Failure::Input(format!("There are {} hex digits; expected two for each byte.", digits.len())));
    }
    Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}
