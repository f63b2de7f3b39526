//! `kogge position`: show, pack, unpack.

use std::collections::BTreeMap;
use std::io::{self, Write};

use kogge_board::{Color, Fen, Format, Move, PositionError, Rules, Square, UnpackError};
use kogge_driver::legal_moves;
use kogge_movegen_cpu::mailbox::Mailbox;
use serde::Serialize;

use crate::args::{CastlingFiles, Position};
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::record;
use crate::root::position;

impl Job for Position {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        match self {
            Self::Show { fen, moves } => show(&position(fen.as_deref(), moves)?, context)?,
            Self::Pack { format, fen } => {
                let fen = position(Some(fen), &[])?;
                let packed = PackedForm::new(*format, &fen);
                let report = record! { command: "position pack", fen: fen.to_string(), #[serde(flatten)] packed };
                context.output.print(&report, |to| writeln!(to, "{}", report.packed.hex))?;
            }
            Self::Unpack { format, hex, castling } => {
                let fen = unpack(*format, hex, *castling)?.to_string();
                let report = record! { command: "position unpack", format: format.name(), fen };
                context.output.print(&report, |to| writeln!(to, "{}", report.fen))?;
            }
        }
        Ok(Answer::Done)
    }
}

/// A position packed in one format.
#[derive(Serialize)]
struct PackedForm {
    format: &'static str,
    bytes: usize,
    hex: String,
}

impl PackedForm {
    fn new(format: Format, fen: &Fen) -> Self {
        let bytes = format.pack(&fen.position);
        let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Self { format: format.name(), bytes: bytes.len(), hex }
    }
}

/// Shows a position.
fn show(fen: &Fen, context: &mut Context) -> Result<(), Failure> {
    let check = fen.position.checkers() != 0;
    let mut moves = Vec::new();
    for (uci, san) in moves_in_words(fen)? {
        moves.push(record! { uci, san });
    }
    let state = match (moves.is_empty(), check) {
        (false, _) => "play",
        (true, true) => "checkmate",
        (true, false) => "stalemate",
    };
    let report = record! {
        command: "position show",
        fen: fen.to_string(),
        chess960: fen.is_chess960(),
        turn: fen.position.turn().to_string(),
        check,
        // `play`, `checkmate` or `stalemate`.
        state,
        moves,
        packed: Format::ALL.map(|format| PackedForm::new(format, fen)),
    };
    context.output.print(&report, |to| {
        draw(to, fen)?;
        writeln!(to, "\nFEN    {}", report.fen)?;
        let check = if check { ", in check" } else { "" };
        match state {
            "play" => writeln!(to, "Turn   {}{check}, {} moves", report.turn, report.moves.len())?,
            end => writeln!(to, "Turn   {}{check}, {end}", report.turn)?,
        }
        if report.chess960 {
            writeln!(to, "Rules  Chess960: castling is written as the king's move to its rook")?;
        }
        writeln!(to)?;
        for row in report.moves.chunks(6) {
            let cells = row.iter().map(|played| format!("{:<5} {:<7}", played.uci, played.san));
            writeln!(to, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        writeln!(to)?;
        let mut packed = report.packed.iter();
        packed.try_for_each(|PackedForm { format, bytes, hex }| writeln!(to, "{format:<8}  {bytes:>2} bytes  {hex}"))
    })?;
    Ok(())
}

/// Returns the legal moves in UCI notation and SAN, sorted by their UCI notation.
fn moves_in_words(fen: &Fen) -> Result<BTreeMap<String, String>, Failure> {
    let mut mailbox = Mailbox::new();
    let moves: Vec<Move> = legal_moves(&mut mailbox, fen)?.into_iter().map(|(played, _)| played).collect();
    let mut words = BTreeMap::new();
    for &played in &moves {
        let mut replies = Ok(Vec::new());
        let san = played.san(&fen.position, &fen.rules, &moves, |after| {
            replies = legal_moves(&mut mailbox, &Fen::new(*after, fen.rules));
            replies.as_ref().is_ok_and(|replies| !replies.is_empty())
        });
        replies?;
        words.insert(played.uci(&fen.rules, fen.is_chess960()), san);
    }
    Ok(words)
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
