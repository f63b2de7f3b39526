//! `kogge ledger`.

mod check;
mod recount;
mod show;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use kogge_ledger::LedgerError;
use serde::Serialize;

use crate::args::{self, LedgerLocation};
use crate::context::{Context, Job};
use crate::outcome::{Answer, Failure};

/// Shows, checks, settles or exports a ledger.
pub(super) struct Ledger {
    location: LedgerLocation,
    action: Action,
    /// The memory for recounts, if given.
    memory: Option<NonZeroUsize>,
}

enum Action {
    /// Shows the progress.
    Show,
    /// Checks the checksums.
    Check,
    /// Recounts this share of the entries.
    Verify(f64),
    /// Recounts the disputed entries.
    Settle,
    /// Writes the entries to these files.
    Export(Export),
}

/// Files to export to.
struct Export {
    /// The folder to create first.
    folder: Option<PathBuf>,
    csv: Option<PathBuf>,
    parquet: Option<PathBuf>,
}

#[derive(Serialize)]
struct Exported {
    command: &'static str,
    ledger: String,
    entries: u64,
    files: Vec<String>,
}

impl Ledger {
    pub(super) fn new(args: &args::Ledger) -> Result<Self, Failure> {
        let action = match args {
            args::Ledger { check: true, .. } => Action::Check,
            args::Ledger { verify: Some(share), .. } => Action::Verify(*share),
            args::Ledger { settle: true, .. } => Action::Settle,
            args::Ledger { export: Some(to), .. } => Action::Export(Export::new(to)?),
            _ => Action::Show,
        };
        Ok(Self { location: args.ledger.clone(), action, memory: args.memory.memory })
    }
}

impl Job for Ledger {
    fn run(&self, context: &mut Context) -> Result<Answer, Failure> {
        let ledger = kogge_ledger::Ledger::open(self.location.open()?)?;
        match &self.action {
            Action::Show => show::run(&ledger, context),
            Action::Check => check::run(&ledger, context),
            Action::Verify(share) => recount::verify(&ledger, *share, self.memory, context),
            Action::Settle => recount::settle(&ledger, self.memory, context),
            Action::Export(export) => export.run(&ledger, context),
        }
    }
}

impl Export {
    fn new(to: &Path) -> Result<Self, Failure> {
        let export = Self::files(to)?;
        // The ledger would refuse the file only after it has written the other one.
        if export.parquet.is_some() && cfg!(not(feature = "parquet")) {
            return Err(LedgerError::NO_PARQUET.into());
        }
        Ok(export)
    }

    /// Returns the files to write.
    fn files(to: &Path) -> Result<Self, Failure> {
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

    fn run(&self, ledger: &kogge_ledger::Ledger, context: &mut Context) -> Result<Answer, Failure> {
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
        let report = Exported { command: "ledger export", ledger: ledger.location(), entries, files };
        context.output.print(&report, |to| writeln!(to, "{entries} entries are in {names}."))?;
        Ok(Answer::Done)
    }
}
