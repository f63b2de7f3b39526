//! The divide of another program beside ours: the counts that differ, the moves that are missing or extra, and the reasons.

use std::collections::BTreeMap;

use kogge_board::Fen;
use kogge_movegen_cpu::LegalMoves;

use crate::explain::explain;
use crate::text::DivideText;

/// The judgement about a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "lowercase"))]
pub enum RowVerdict {
    /// Both counts are equal.
    Same,
    /// The counts differ.
    Differs,
    /// The move is legal, and the other program does not list it.
    Missing,
    /// The other program lists the move, and it is illegal.
    Extra,
    /// The other program lists the move a second time.
    Repeated,
}

/// A move with both counts, in decimal.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Row {
    /// The move in UCI notation, or as the other program wrote it.
    pub uci: String,
    /// Our count, if the move is legal.
    pub ours: Option<String>,
    /// The other program's count.
    pub theirs: Option<String>,
    /// The judgement.
    pub verdict: RowVerdict,
    /// The reason why a missing move is legal, or why an extra move is illegal.
    pub reason: Option<String>,
    /// The squares that the reason mentions.
    pub squares: Vec<String>,
}

/// Both divides.
#[derive(Clone, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Comparison {
    /// The legal moves in our order, then the other program's extra moves.
    pub rows: Vec<Row>,
    /// The sum of our counts, in decimal.
    pub ours: String,
    /// The sum of the other program's counts, or its total if it lists no moves.
    pub theirs: Option<String>,
    /// The number of rows whose counts are not equal.
    pub wrong: usize,
    /// The first move whose counts differ.
    pub first: Option<String>,
    /// Sentences about the whole comparison.
    pub notes: Vec<String>,
}

/// Compares our counts, by UCI notation, with the text that another program printed.
///
/// # Errors
/// A sentence if the text has neither a move nor a total.
pub fn compare(fen: &Fen, ours: &[(String, u128)], theirs: &DivideText) -> Result<Comparison, String> {
    let DivideText { moves, total, unread } = theirs;
    let total = *total;
    if moves.is_empty() && total.is_none() {
        return Err(
            "No move with a count was found; paste lines such as \"e2e4: 20\", as `go perft` prints them.".into()
        );
    }
    let our_sum = sum(ours.iter().map(|(_, count)| *count))?;
    let their_sum = if moves.is_empty() { total } else { Some(sum(moves.iter().map(|(_, count)| *count))?) };
    let mut notes = Vec::new();
    let mut rows = Vec::new();
    if moves.is_empty() {
        if total != Some(our_sum) {
            notes.push("Paste the count of each move, too: then the page finds the first wrong move.".to_owned());
        }
    } else {
        rows = rows_of(fen, ours, moves);
        if total.is_some_and(|total| Some(total) != their_sum) {
            let (total, sum) = (total.unwrap_or(0), their_sum.unwrap_or(0));
            notes.push(format!("The stated total is {total}, but the counts add up to {sum}."));
        }
    }
    match &unread[..] {
        [] => {}
        [line] => notes.push(format!("One line was not understood: \"{line}\".")),
        [line, ..] => notes.push(format!("{} lines were not understood, such as \"{line}\".", unread.len())),
    }
    let is = |verdict| move |row: &&Row| row.verdict == verdict;
    let differing = rows.iter().filter(is(RowVerdict::Differs)).count();
    if differing > 2 && rows.iter().filter(is(RowVerdict::Same)).count() == 0 {
        notes.push("No count is the same. Was the text made for this position and this depth?".to_owned());
    }
    Ok(Comparison {
        ours: our_sum.to_string(),
        theirs: their_sum.map(|sum| sum.to_string()),
        wrong: rows.iter().filter(|row| row.verdict != RowVerdict::Same).count(),
        first: rows.iter().find(is(RowVerdict::Differs)).map(|row| row.uci.clone()),
        rows,
        notes,
    })
}

fn sum(counts: impl Iterator<Item = u128>) -> Result<u128, String> {
    let mut counts = counts;
    counts.try_fold(0_u128, u128::checked_add).ok_or_else(|| "The counts add up to more than 2^128.".into())
}

fn rows_of(fen: &Fen, ours: &[(String, u128)], moves: &[(String, u128)]) -> Vec<Row> {
    let legal = LegalMoves::of(&fen.rules, &fen.position);
    // Our counts write castling as the page does, because the page knows whether the tree is one of Chess960.
    let is_ours = |uci: String| ours.iter().any(|(our, _)| *our == uci);
    let chess960 = legal.clone().any(|found| found.is_castling() && is_ours(found.uci(&fen.rules, true)));
    let mut theirs: BTreeMap<String, u128> = BTreeMap::new();
    let mut others = Vec::new();
    for (text, count) in moves {
        let uci = uci_of(fen, chess960, &legal, text);
        let explained = |verdict, reason: String, squares| Row {
            uci: uci.clone().unwrap_or_else(|| text.clone()),
            ours: None,
            theirs: Some(count.to_string()),
            verdict,
            reason: Some(reason),
            squares,
        };
        match &uci {
            Some(known) if !theirs.contains_key(known) => {
                theirs.insert(known.clone(), *count);
            }
            Some(known) => {
                let reason = format!("{known} is listed more than once; a move must be generated once.");
                others.push(explained(RowVerdict::Repeated, reason, Vec::new()));
            }
            None => {
                let explanation = explain(fen, text);
                others.push(explained(RowVerdict::Extra, explanation.text, explanation.squares));
            }
        }
    }
    let row = |(uci, count): &(String, u128)| {
        let their = theirs.get(uci);
        let verdict = match their {
            Some(their) if their == count => RowVerdict::Same,
            Some(_) => RowVerdict::Differs,
            None => RowVerdict::Missing,
        };
        let explanation = (verdict == RowVerdict::Missing).then(|| explain(fen, uci));
        let (reason, squares) = explanation.map(|found| (found.text, found.squares)).unzip();
        Row {
            uci: uci.clone(),
            ours: Some(count.to_string()),
            theirs: their.map(ToString::to_string),
            verdict,
            reason,
            squares: squares.unwrap_or_default(),
        }
    };
    ours.iter().map(row).chain(others).collect()
}

/// Returns the UCI notation of a legal move that a program wrote in any notation.
pub(crate) fn uci_of(fen: &Fen, chess960: bool, legal: &LegalMoves<'_>, text: &str) -> Option<String> {
    let found = legal.parse_uci(text).or_else(|_| legal.parse_san(text)).ok()?;
    Some(found.uci(&fen.rules, chess960))
}

#[cfg(test)]
mod tests {
    use kogge_board::START;
    use kogge_movegen_cpu::Game;

    use super::*;

    fn ones(fen: &str) -> Vec<(String, u128)> {
        let game: Game = fen.parse().unwrap();
        let mut moves: Vec<_> = game.legal_moves().map(|found| (game.uci(found), 1)).collect();
        moves.sort();
        moves
    }

    fn compare(fen: &str, ours: &[(String, u128)], text: &str) -> Result<Comparison, String> {
        super::compare(&fen.parse().unwrap(), ours, &DivideText::read(text))
    }

    #[test]
    fn equal_divides_are_the_same_in_any_notation() {
        let ours = ones(START);
        let uci: String = ours.iter().map(|(uci, count)| format!("{uci}: {count}\n")).collect();
        let game = Game::default();
        let san: String = game.legal_moves().map(|found| format!("{} 1\n", game.san(found))).collect();
        for text in [uci, san] {
            let compared = compare(START, &ours, &(text + "\nNodes searched: 20")).unwrap();
            assert_eq!((compared.wrong, compared.first, compared.notes), (0, None, vec![]));
            assert_eq!(compared.theirs.as_deref(), Some("20"));
        }
    }

    #[test]
    fn every_kind_of_difference_is_found() {
        let mut ours = ones(START);
        ours.iter_mut().for_each(|(_, count)| *count = 20);
        let theirs: String = ours.iter().skip(1).map(|(uci, count)| format!("{uci}: {count}\n")).collect();
        let theirs = theirs.replace("e2e4: 20", "e2e4: 19") + "e2e5: 3\ng1f3: 20\n";
        let compared = compare(START, &ours, &theirs).unwrap();
        let wrong: Vec<_> = compared.rows.iter().filter(|row| row.verdict != RowVerdict::Same).collect();
        let verdicts: Vec<_> = wrong.iter().map(|row| (row.uci.as_str(), row.verdict)).collect();
        let expected = [
            ("a2a3", RowVerdict::Missing),
            ("e2e4", RowVerdict::Differs),
            ("e2e5", RowVerdict::Extra),
            ("g1f3", RowVerdict::Repeated),
        ];
        assert_eq!(verdicts, expected);
        assert!(wrong[0].reason.as_ref().unwrap().contains("a2a3 is legal"));
        assert!(wrong[2].reason.as_ref().unwrap().contains("e2e5 is illegal"));
        assert_eq!((compared.wrong, compared.first.as_deref()), (4, Some("e2e4")));
    }

    #[test]
    fn castling_is_recognised_in_both_notations() {
        let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        let ours = ones(fen);
        let text: String = ours.iter().map(|(uci, count)| format!("{uci} {count}\n")).collect();
        assert_eq!(compare(fen, &ours, &text.replace("e1g1", "e1h1")).unwrap().wrong, 0);
        assert_eq!(compare(fen, &ours, &text.replace("e1g1", "O-O")).unwrap().wrong, 0);
    }

    #[test]
    fn notes_help() {
        let ours = ones(START);
        assert!(compare(START, &ours, "hello").unwrap_err().contains("e2e4: 20"));
        assert!(compare(START, &ours, "Nodes searched: 400").unwrap().notes[0].contains("the count of each move"));
        assert!(compare(START, &ours, "Nodes searched: 20").unwrap().notes.is_empty());
        let other: String = ours.iter().map(|(uci, _)| format!("{uci}: 20\n")).collect();
        assert!(compare(START, &ours, &other).unwrap().notes[0].contains("No count is the same"));
        assert!(compare(START, &ours, "e2e4 1\nTotal: 20").unwrap().notes[0].contains("add up to 1"));
    }
}
