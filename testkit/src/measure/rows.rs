//! Options in the form of the command line, and the table with a row for each.

use super::counting::{Workload, best, timed};
use super::{Outcome, Plan, Subject};
use kogge_gpu::GpuOptions;

/// Reads `NAME=VALUE,NAME=VALUE`, or `default` for no option.
pub(super) fn options(row: &str) -> Outcome<GpuOptions> {
    Ok(if row == "default" { GpuOptions::default() } else { row.parse()? })
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
        rows.extend(values("moves", [20, 22, 24, 25, 26, 27, 28].map(|bits| 1 << bits)));
        rows.extend(values("positions", [16, 18, 20, 22, 24].map(|bits| 1 << bits)));
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
