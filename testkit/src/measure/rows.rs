//! Options in the form of the command line, and the table with a row for each.

use super::counting::{Workload, best, timed};
use super::{Options, Outcome, Plan, Subject};

/// Reads `NAME=VALUE,NAME=VALUE`, or `default` for no option.
pub(super) fn options<S: Subject>(row: &str) -> Outcome<Options<S::Device>> {
    let mut options = Options::<S::Device>::default();
    for pair in row.split(',').filter(|_| row != "default") {
        let (name, value) = pair.split_once('=').ok_or(format!("{pair} is no section and no option NAME=VALUE."))?;
        let host = options.as_mut();
        match name {
            "group_size" => host.group_size = Some(value.parse()?),
            "closed_form_group_size" => host.closed_form_group_size = Some(value.parse()?),
            "closed_form_turns" => host.closed_form_turns = Some(value.parse()?),
            "count_group_size" => host.count_group_size = Some(value.parse()?),
            "count_groups" => host.count_groups = Some(value.parse()?),
            "queued_per_lane" => host.queued_per_lane = Some(value.parse()?),
            "closed_form" => host.closed_form = Some(value.parse()?),
            "positions" => host.positions = Some(1 << value.parse::<u32>()?.min(63)),
            "moves" => host.moves = Some(1 << value.parse::<u32>()?.min(63)),
            "memory" => host.memory = Some(value.parse()?),
            _ if S::set(&mut options, name, value)? => {}
            _ => return Err(format!("{name} is no option.").into()),
        }
    }
    Ok(options)
}

/// Returns a row for each value of an option.
pub fn values<T: std::fmt::Display>(name: &str, values: impl IntoIterator<Item = T>) -> Vec<String> {
    values.into_iter().map(|value| format!("{name}={value}")).collect()
}

/// Returns a row for each pair of a row of `a` and a row of `b`.
pub fn product(a: &[String], b: &[String]) -> Vec<String> {
    a.iter().flat_map(|a| b.iter().map(move |b| format!("{a},{b}"))).collect()
}

impl<S: Subject> Plan<S> {
    /// Measures the rates with each variant and with other values of each option.
    pub(super) fn sweep(&self) -> Outcome {
        let mut rows = vec!["default".to_owned(), "closed_form=false".to_owned()];
        rows.extend(S::variants(&self.device));
        rows.extend(S::sweep(&self.device));
        for name in ["group_size", "closed_form_group_size", "count_group_size"] {
            rows.extend(values(name, [32, 64, 96, 128, 160, 192, 256, 512]));
        }
        rows.extend(values("count_groups", (8..=18).step_by(2).map(|shift| 1 << shift)));
        rows.extend(values("queued_per_lane", [4, 8, 16, 24, 40, 60]));
        rows.extend(values("moves", [20, 22, 24, 25, 26, 27, 28]));
        rows.extend(values("positions", [16, 18, 20, 22, 24]));
        self.table(rows)
    }

    /// Prints a row of rates for each of these options.
    pub(super) fn table(&self, rows: Vec<String>) -> Outcome {
        let workloads = self.workloads()?;
        let names: Vec<_> = workloads.iter().map(|work| format!("{} {}, Gnps", work.name, work.depth)).collect();
        println!("| options | {} |\n|---|{}", names.join(" | "), "---:|".repeat(names.len()));
        for row in rows {
            let rates = self.rates(&row, &workloads);
            println!("| {row} | {} |", rates.unwrap_or_else(|error| error.to_string().replace('\n', " ")));
        }
        Ok(())
    }

    /// Returns the rates of all workloads, as cells of a row.
    fn rates(&self, row: &str, workloads: &[Workload]) -> Outcome<String> {
        let mut backend = self.open_row(row)?;
        let mut cells = Vec::new();
        for work in workloads {
            timed(&mut backend, work)?;
            cells.push(format!("{:.3}", work.leaves as f64 / best(&mut backend, work)? * 1e-9));
        }
        Ok(cells.join(" | "))
    }
}
