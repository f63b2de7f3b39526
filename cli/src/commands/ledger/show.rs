//! Shows the progress of a ledger.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use kogge::ledger::{Given, Ledger, LedgerProgress, Source};
use serde::Serialize;

use super::entry::{Count, Entry};
use crate::context::Context;
use crate::kinds::{self, Kinds};
use crate::monitor::duration;
use crate::outcome::{Answer, Failure};
use crate::output::{magnitude, number_of, record};

/// The device that counted, and its way of counting.
#[derive(Serialize)]
struct Author {
    backend: String,
    device: String,
    variant: String,
    kogge: String,
    /// How the plies above ranges were made.
    plan: Option<String>,
}

#[derive(Serialize)]
struct DisputeRecord {
    #[serde(flatten)]
    entry: Entry,
    answers: Vec<Claim>,
}

/// An answer to a disputed entry.
#[derive(Serialize)]
struct Claim {
    count: Count,
    #[serde(flatten)]
    author: Author,
    at: i64,
}

impl From<Source> for Author {
    fn from(Source { backend, device, variant, kogge, plan }: Source) -> Self {
        Self { backend, device, variant, kogge, plan: Some(plan).filter(|plan| !plan.is_empty()) }
    }
}

impl std::fmt::Display for Author {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { backend, device, variant, kogge, plan } = self;
        write!(f, "{backend}: {device}, {variant}, kogge {kogge}")?;
        plan.iter().try_for_each(|plan| write!(f, ", {plan}"))
    }
}

impl From<Given> for Claim {
    fn from(Given { count, source, at, .. }: Given) -> Self {
        Self { count: count.into(), author: source.into(), at }
    }
}

pub(super) fn run(ledger: &Ledger, context: &mut Context) -> Result<Answer, Failure> {
    let tally = ledger.tally()?;
    let mut sources: BTreeMap<Source, u64> = BTreeMap::new();
    ledger.rows(|row| {
        if let Some(given) = row.given {
            *sources.entry(given.source).or_default() += 1;
        }
        Ok(())
    })?;
    let mut disputes = Vec::new();
    for dispute in ledger.disputes()? {
        let answers = dispute.answers.into_iter().map(Claim::from).collect();
        disputes.push(DisputeRecord { entry: Entry::of(ledger, &dispute.entry)?, answers });
    }
    let nodes = if tally.disputed > 0 { None } else { ledger.total()? };
    let sum = ledger.sum()?;
    let header = ledger.header();
    let merged = header.kind.is_ranges();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs() as i64);
    let per_second = rate(&tally, now);
    let left = tally.entries - tally.done;
    let LedgerProgress { entries, done, leased, disputed, verified, workers, .. } = tally;
    let share = |author: Author, entries| record! { #[serde(flatten)] author, entries };
    let kinds = sum.categories.map(|categories| Kinds { depth: header.depth, categories });
    let report = record! {
        command: "ledger",
        ledger: ledger.location(),
        fen: header.root.to_string(),
        depth: header.depth,
        ply: header.ply,
        merged,
        plan: header.plan.clone(),
        entries,
        paths: header.paths,
        kogge: header.kogge.clone(),
        created: header.created,
        done,
        leased,
        workers,
        verified,
        disputed,
        per_second,
        seconds_left: per_second.map(|rate| left as f64 / rate),
        sum: sum.leaves,
        positions: merged.then_some(sum.positions),
        // Only some ledgers have these fields.
        #[serde(flatten)]
        kinds: kinds.as_ref().map(|kinds| record! { kinds }),
        nodes: nodes.map(|total| total.leaves),
        sources: sources.into_iter().map(|(source, entries)| share(source.into(), entries)).collect::<Vec<_>>(),
        disputes,
    };
    context.output.print(&report, |to| {
        writeln!(to, "Root      {}", report.fen)?;
        let stand_for = if merged { " are ranges of the positions" } else { "" };
        writeln!(
            to,
            "Tree      {} plies; {entries} entries{stand_for} at ply {}, reached in {} ways",
            report.depth, report.ply, report.paths
        )?;
        writeln!(to, "Plan      {}", report.plan)?;
        writeln!(to, "Made      {} by kogge {}", utc(header.created), report.kogge)?;
        let share = 100.0 * done as f64 / entries.max(1) as f64;
        writeln!(to, "Done      {done} of {entries} entries ({share:.1} %), {verified} verified, {disputed} disputed")?;
        report.sources.iter().try_for_each(|share| writeln!(to, "          {} by {}", share.entries, share.author))?;
        if done < entries {
            let devices = number_of(workers, "device", "devices");
            writeln!(to, "At work   {devices} on {}", number_of(leased, "entry", "entries"))?;
            match (report.per_second, report.seconds_left) {
                (Some(rate), Some(left)) => {
                    writeln!(
                        to,
                        "Rate      {} entries/s in the last minute, about {} left",
                        magnitude(rate),
                        duration(left)
                    )?;
                }
                _ => writeln!(to, "Rate      nothing was counted in the last minute")?,
            }
        }
        for DisputeRecord { entry, answers } in &report.disputes {
            writeln!(to, "Disputed  {entry}")?;
            for Claim { count, author, at } in answers {
                writeln!(to, "          {count} by {author}, {}", utc(*at))?;
            }
        }
        if let Some(positions) = report.positions {
            writeln!(to, "Positions {positions} distinct ones of ply {} so far", report.ply)?;
        }
        match report.nodes {
            Some(nodes) => writeln!(to, "Total     {nodes}")?,
            None if disputed > 0 => writeln!(to, "So far    {}; no total before the disputes are settled", report.sum)?,
            None => writeln!(to, "So far    {} (partial: not the total)", report.sum)?,
        }
        match &kinds {
            Some(kinds) => kinds::table([kinds], to),
            None => Ok(()),
        }
    })?;
    Ok(Answer::Done)
}

/// Returns the entries per second in the last minute, if any were counted.
fn rate(tally: &LedgerProgress, now: i64) -> Option<f64> {
    let (first, _) = tally.span?;
    let window = (now - first).clamp(1, 60);
    (tally.last_minute > 0).then(|| tally.last_minute as f64 / window as f64)
}

/// Formats seconds since 1970 as a date and time.
fn utc(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // A year begins in March here, so that the leap day is its last day. 400 years have 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}:{:02} UTC", second / 3600, second / 60 % 60, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_dates() {
        for (seconds, date) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (951_868_800, "2000-03-01 00:00:00 UTC"),
            (1_798_761_599, "2026-12-31 23:59:59 UTC"),
            (4_107_542_400, "2100-03-01 00:00:00 UTC"),
            (-1, "1969-12-31 23:59:59 UTC"),
        ] {
            assert_eq!(utc(seconds), date);
        }
    }

    #[test]
    fn rates_are_of_the_last_minute() {
        let tally = |last_minute, first| LedgerProgress {
            last_minute,
            span: Some((first, first)),
            ..LedgerProgress::default()
        };
        assert_eq!(rate(&tally(120, 0), 1000), Some(2.0));
        assert_eq!(rate(&tally(120, 990), 1000), Some(12.0));
        assert_eq!(rate(&tally(120, 1000), 1000), Some(120.0));
        assert_eq!(rate(&tally(0, 0), 1000), None);
        assert_eq!(rate(&LedgerProgress::default(), 1000), None);
    }
}
