//! `kogge ledger`.

mod check;
mod show;

use std::path::Path;

use kogge_driver::ledger::Ledger;
use serde::Serialize;

use super::Context;
use crate::Answer;
use crate::args;
use crate::failure::Failure;

#[derive(Serialize)]
struct Exported {
    command: &'static str,
    ledger: String,
    entries: u64,
    files: Vec<String>,
}

pub(super) fn run(arguments: &args::Ledger, context: &mut Context) -> Result<Answer, Failure> {
    let ledger = Ledger::open(arguments.ledger.open()?)?;
    match arguments {
        args::Ledger { verify: Some(share), .. } => check::verify(&ledger, *share, context),
        args::Ledger { settle: true, .. } => check::settle(&ledger, context),
        args::Ledger { export: Some(to), .. } => export(&ledger, to, context),
        _ => show::run(&ledger, context),
    }
}

fn export(ledger: &Ledger, to: &Path, context: &mut Context) -> Result<Answer, Failure> {
    let extension = to.extension().and_then(|extension| extension.to_str());
    let (csv, parquet) = match extension {
        Some("csv") => (Some(to.to_owned()), None),
        Some("parquet") => (None, Some(to.to_owned())),
        Some(_) if !to.is_dir() => {
            let to = to.display();
            return Err(Failure::Input(format!("{to} is neither a .csv nor a .parquet file nor a folder.")));
        }
        _ => {
            let made = std::fs::create_dir_all(to);
            made.map_err(|error| Failure::Device(format!("{} could not be made: {error}.", to.display())))?;
            (Some(to.join("entries.csv")), Some(to.join("entries.parquet")))
        }
    };
    let mut entries = 0;
    if let Some(file) = &csv {
        entries = ledger.export_csv(file)?;
    }
    if let Some(file) = &parquet {
        entries = ledger.export_parquet(file)?;
    }
    let files: Vec<_> = csv.iter().chain(&parquet).map(|file| file.display().to_string()).collect();
    let names = files.join(" and ");
    let report = Exported { command: "ledger export", ledger: ledger.place(), entries, files };
    context.output.print(&report, |to| writeln!(to, "{entries} entries are in {names}."))?;
    Ok(Answer::Done)
}
