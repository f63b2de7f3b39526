//! `kogge position`: show, pack, unpack.

use kogge::{Fen, Format, Game, PositionError, Rules, Status, UnpackError};
use serde::Serialize;

use crate::args::{CastlingFiles, Position};
use crate::board::rows;
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};
use crate::output::record;
use crate::root::{position, read};

impl Job for Position {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        match self {
            Self::Show { fen, game, moves } => show(&position(fen.as_deref(), game, moves)?, context)?,
            Self::Pack { format, fen } => {
                let fen = read(fen)?;
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
    let game = Game::new(*fen);
    let legal = game.legal_moves();
    let check = legal.checkers() != 0;
    let mut moves: Vec<_> = legal.clone().map(|played| (game.uci(played), legal.san(played))).collect();
    moves.sort();
    let moves: Vec<_> = moves.into_iter().map(|(uci, san)| record! { uci, san }).collect();
    let state = match game.status() {
        Status::Checkmate => "checkmate",
        Status::Stalemate => "stalemate",
        _ => "play",
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
        rows(fen).iter().try_for_each(|row| writeln!(to, "{row}"))?;
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
