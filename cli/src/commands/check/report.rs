//! The report of a check, as text and as JSON.

use std::io::{self, Write};

use kogge_check::{CheckReport, Fault, RuleTally};
use serde::Serialize;

use crate::board::rows;
use crate::context::Context;
use crate::output::{magnitude, number_of, record};

/// The number of moves that are listed.
const MOVES: usize = 8;
/// The number of rules that are listed.
const RULES: usize = 12;

pub(super) fn print(context: &mut Context, report: &CheckReport, seed: Option<u64>) -> io::Result<()> {
    let CheckReport {
        name,
        faults,
        rules,
        answers,
        given,
        random,
        leaves,
        restarts,
        chess960,
        elapsed,
        waited,
        was_stopped,
    } = report;
    let json = record! {
        command: "check",
        program: name,
        faults: faults.iter().map(record_of).collect::<Vec<_>>(),
        rules: rules.iter().map(|RuleTally { rule, passed, failed }| record! { rule: rule.name(), passed, failed }).collect::<Vec<_>>(),
        answers,
        positions: given.0,
        left: given.1,
        random,
        nodes: leaves,
        restarts,
        chess960,
        seed,
        seconds: elapsed.as_secs_f64(),
        waited,
        stopped: was_stopped,
    };
    let quiet = context.output.quiet;
    context.output.print(&json, |to| {
        for (index, fault) in faults.iter().enumerate() {
            describe(to, index + 1, fault)?;
        }
        let found = match faults.len() {
            0 => "No fault was found".to_owned(),
            faults => format!("{} found", number_of(faults as u64, "fault was", "faults were")),
        };
        writeln!(to, "{found} in {name}.")?;
        if quiet {
            return Ok(());
        }
        failed_rules(to, rules)?;
        let source = if seed.is_some() { "of the corpus" } else { "of the file" };
        write!(
            to,
            "{} in {:.1} s: {} {source}",
            number_of(*answers, "answer", "answers"),
            elapsed.as_secs_f64(),
            number_of(given.0, "position", "positions"),
        )?;
        if *random > 0 {
            write!(to, ", {}", number_of(*random, "random position", "random positions"))?;
        }
        write!(to, "; {} leaves", if *leaves < 1000 { leaves.to_string() } else { magnitude(*leaves as f64) })?;
        let passed = rules.iter().filter(|tally| tally.failed == 0).count();
        writeln!(to, "; {passed} of {} without a fault", number_of(rules.len() as u64, "rule", "rules"))?;
        if given.1 > 0 {
            let left = number_of(given.1, "position", "positions");
            let reason = if *chess960 { "there was no time for more" } else { "Chess960, or no time" };
            writeln!(to, "{left} {source} left out ({reason})")?;
        }
        if *restarts > 0 {
            writeln!(to, "The program was started anew {}.", number_of(*restarts, "time", "times"))?;
        }
        match seed {
            Some(seed) => writeln!(
                to,
                "The program waited for kogge {:.1} % of the time; --seed {seed} repeats the random positions.",
                100.0 * waited
            ),
            None => Ok(()),
        }
    })
}

fn record_of(fault: &Fault) -> impl Serialize {
    let Fault {
        kind,
        rule,
        times,
        position,
        line,
        depth,
        missing,
        extra,
        repeated,
        counts,
        reasons,
        commands,
        found_in,
        found_at,
    } = fault;
    let counts =
        counts.iter().map(|(name, ours, theirs)| record! { r#move: name.clone(), ours: *ours, theirs: *theirs });
    record! {
        kind: *kind,
        rule: rule.map(|rule| rule.name()),
        title: fault.to_string(),
        times: *times,
        fen: position.to_string(),
        line: line.clone(),
        depth: *depth,
        missing: missing.clone(),
        extra: extra.clone(),
        repeated: repeated.clone(),
        counts: counts.collect::<Vec<_>>(),
        reasons: reasons.clone(),
        commands: commands.clone(),
        found_in: found_in.to_string(),
        found_at: *found_at,
    }
}

/// Describes a fault: the board with the moves beside it, the reasons, and the commands to paste.
pub(super) fn describe(to: &mut dyn Write, number: usize, fault: &Fault) -> io::Result<()> {
    let Fault { times, position, line, depth, missing, extra, repeated, counts, reasons, commands, .. } = fault;
    writeln!(to, "{number}. {fault} (seen {})", number_of(*times, "time", "times"))?;
    writeln!(to, "   {position}")?;
    let mut beside = Vec::new();
    if !line.is_empty() {
        beside.push(format!("after {}", line.join(" ")));
    }
    for (label, moves) in [("missing", missing), ("illegal", extra), ("repeated", repeated)] {
        if !moves.is_empty() {
            beside.push(format!("{label}: {}", shortened(moves)));
        }
    }
    if !counts.is_empty() {
        beside.push(format!("wrong counts at depth {depth}:"));
    }
    for (name, ours, theirs) in counts.iter().take(MOVES - 3) {
        beside.push(format!("{name}: {theirs}, right is {ours}"));
    }
    if counts.len() > MOVES - 3 {
        beside.push(format!("and {} more", counts.len() - (MOVES - 3)));
    }
    let mut beside = beside.into_iter();
    for row in rows(position) {
        match beside.next() {
            Some(text) => writeln!(to, "   {row:<17}   {text}")?,
            None => writeln!(to, "   {row}")?,
        }
    }
    for reason in reasons {
        writeln!(to, "   {reason}")?;
    }
    for command in commands {
        writeln!(to, "   > {command}")?;
    }
    writeln!(to)
}

fn shortened(moves: &[String]) -> String {
    let listed = moves[..moves.len().min(MOVES)].join(" ");
    match moves.len() {
        ..=MOVES => listed,
        len => format!("{listed} and {} more", len - MOVES),
    }
}

/// Lists the rules that a wrong answer broke, with the numbers of wrong and right answers.
fn failed_rules(to: &mut dyn Write, rules: &[RuleTally]) -> io::Result<()> {
    let failed: Vec<_> = rules.iter().filter(|tally| tally.failed > 0).collect();
    if failed.is_empty() {
        return Ok(());
    }
    writeln!(to, "\n{:>7} {:>7}  rule", "wrong", "right")?;
    for RuleTally { rule, passed, failed } in failed.iter().take(RULES) {
        writeln!(to, "{failed:>7} {passed:>7}  {}", rule.title())?;
    }
    if failed.len() > RULES {
        writeln!(to, "{:>7} {:>7}  and {} more rules", "", "", failed.len() - RULES)?;
    }
    writeln!(to)
}
