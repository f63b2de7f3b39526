//! `kogge ledger`, `kogge run`, and counts by several devices: all that needs ledgers.

mod check;
mod entry;
mod recount;
mod reporter;
mod run;
mod shared;
mod show;
mod store;

use std::path::{Path, PathBuf};

use kogge::ledger::{Ledger, LedgerError};

use crate::args;
use crate::context::{Context, Job};
use crate::monitor::saying;
use crate::outcome::{Answer, Failure};
use crate::output::{number_of, record};

/// Files to export to.
struct Export {
    /// The folder, which must be created before the files.
    folder: Option<PathBuf>,
    csv: Option<PathBuf>,
    parquet: Option<PathBuf>,
}

impl Job for args::Ledger {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let export = self.export.as_deref().map(Export::new).transpose()?;
        let ledger = saying("Opening the ledger", context.output.quiet, || Ledger::open(self.ledger.open()?))?;
        let memory = self.memory.memory;
        match (export, self.verify) {
            (Some(export), _) => export.run(&ledger, context),
            (_, Some(share)) => recount::verify(&ledger, share, memory, context),
            _ if self.release => release(&ledger, context),
            _ if self.check => check::run(&ledger, context),
            _ if self.settle => recount::settle(&ledger, memory, context),
            _ => show::run(&ledger, context),
        }
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        let sentence = error.to_string();
        match error {
            LedgerError::Driver(error) => error.into(),
            LedgerError::Disputed { .. } | LedgerError::Paths { .. } => Self::No(sentence),
            LedgerError::Stopped { .. } | LedgerError::StoppedWaiting { .. } => Self::Interrupted(sentence),
            LedgerError::Full { .. }
            | LedgerError::Storage { .. }
            | LedgerError::NoDevice(_)
            | LedgerError::Export { .. } => Self::Device(sentence),
            _ => Self::Input(sentence),
        }
    }
}

fn release(ledger: &Ledger, context: &mut Context) -> Result<Answer, Failure> {
    let entries = ledger.release()?;
    let report = record! { command: "ledger release", ledger: ledger.location(), entries };
    context.output.print(&report, |to| {
        let were = if entries == 1 { "was" } else { "were" };
        writeln!(to, "{} {were} leased, and can be counted by any process now.", number_of(entries, "entry", "entries"))
    })?;
    Ok(Answer::Done)
}

impl Export {
    fn new(to: &Path) -> Result<Self, Failure> {
        let export = Self::files(to)?;
        // The ledger would refuse the second file only after it has written the first one.
        if export.parquet.is_some() && cfg!(not(feature = "parquet")) {
            return Err(LedgerError::NO_PARQUET.into());
        }
        Ok(export)
    }

    fn files(to: &Path) -> Result<Self, Failure> {
        if to == Path::new("-") {
            let reason = "A ledger cannot be exported to standard output; name a .csv or .parquet file, or a folder.";
            return Err(Failure::Input(reason.to_owned()));
        }
        let file = || Some(to.to_owned());
        match to.extension().and_then(|extension| extension.to_str()) {
            Some("csv") => Ok(Self { folder: None, csv: file(), parquet: None }),
            Some("parquet") => Ok(Self { folder: None, csv: None, parquet: file() }),
            Some(_) if !to.is_dir() => {
                Err(Failure::Input(format!("{} is neither a .csv nor a .parquet file nor a folder.", to.display())))
            }
            _ => Ok(Self {
                folder: file(),
                csv: Some(to.join("entries.csv")),
                parquet: Some(to.join("entries.parquet")),
            }),
        }
    }

    fn run(&self, ledger: &Ledger, context: &mut Context) -> Result<Answer, Failure> {
        let Self { folder, csv, parquet } = self;
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)
                .map_err(|error| Failure::Device(format!("{} could not be created: {error}.", folder.display())))?;
        }
        let mut entries = 0;
        if let Some(file) = csv {
            entries = ledger.export_csv(file)?;
        }
        if let Some(file) = parquet {
            entries = ledger.export_parquet(file)?;
        }
        let files: Vec<_> = csv.iter().chain(parquet).map(|file| file.display().to_string()).collect();
        let names = files.join(" and ");
        let report = record! { command: "ledger export", ledger: ledger.location(), entries, files };
        context.output.print(&report, |to| writeln!(to, "{entries} entries are in {names}."))?;
        Ok(Answer::Done)
    }
}
