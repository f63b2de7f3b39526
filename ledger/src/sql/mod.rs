//! Ledgers in SQL databases: the store, written once for all of them.
//!
//! `rows.rs` contains the statements. The statements are the same for all databases, except for a few words that begin with an
//! at sign. A database replaces these words, and runs the statements in its transactions.

mod database;
mod problem;
mod rows;

use std::time::Duration;

pub(crate) use self::database::{Database, Dialect, Record, Transaction, translate};
pub(crate) use self::problem::Problem;
use crate::record::classify;
use crate::{
    Answer, Count, Dispute, Header, Item, Lease, LedgerEntry, LedgerError, LedgerProgress, LedgerRow, LedgerStore,
    Recorded, Source,
};

impl<D: Database> LedgerStore for D {
    fn location(&self) -> &str {
        Database::location(self)
    }

    fn header(&mut self) -> Result<Option<Header>, LedgerError> {
        self.read(rows::header)
    }

    fn create(&mut self, header: &Header, items: &[Item]) -> Result<(), LedgerError> {
        self.write("when it was made", |transaction| {
            transaction.lock_creation()?;
            if transaction.has_ledger()? { Ok(()) } else { rows::create(transaction, header, items) }
        })
    }

    fn lease(&mut self, worker: &str, most: usize, time: Duration) -> Result<Vec<LedgerEntry>, LedgerError> {
        self.write("when entries were leased", |transaction| rows::lease(transaction, worker, most, time))
    }

    fn extend(&mut self, worker: &str, ids: &[u64], time: Duration) -> Result<u64, LedgerError> {
        self.write("when leases were extended", |transaction| {
            rows::counts(transaction, ids)?;
            rows::extend(transaction, worker, ids, time)
        })
    }

    fn release(&mut self, worker: &str) -> Result<(), LedgerError> {
        self.write("when leases were given back", |transaction| rows::release(transaction, worker))
    }

    fn release_all(&mut self) -> Result<u64, LedgerError> {
        self.write("when leases were ended", rows::release_all)
    }

    fn leases(&mut self) -> Result<Vec<Lease>, LedgerError> {
        self.read(rows::leases)
    }

    fn record(&mut self, source: &Source, answers: &[Answer]) -> Result<Recorded, LedgerError> {
        self.write("when answers were written", |transaction| {
            let source = &rows::source(transaction, source)?;
            let ids: Vec<_> = answers.iter().map(|answer| answer.id).collect();
            let known = rows::counts(transaction, &ids)?;
            let recorded = classify(rows::sort(transaction)?, answers, &known).map_err(Problem::Damaged)?;
            let different: Vec<_> = recorded.different.iter().map(|&(answer, _)| answer).collect();
            rows::accept(transaction, &recorded.new, source)?;
            rows::keep(transaction, &recorded.repeated, source)?;
            rows::dispute(transaction, &different, source)?;
            Ok(recorded)
        })
    }

    fn tally(&mut self) -> Result<LedgerProgress, LedgerError> {
        self.read(rows::tally)
    }

    fn is_complete(&mut self) -> Result<bool, LedgerError> {
        self.read(rows::is_complete)
    }

    fn rows(&mut self, after: Option<u64>, most: usize) -> Result<Vec<LedgerRow>, LedgerError> {
        self.read(|transaction| rows::rows(transaction, after, most))
    }

    fn disputes(&mut self) -> Result<Vec<Dispute>, LedgerError> {
        self.read(rows::disputes)
    }

    fn settle(&mut self, id: u64, count: &Count) -> Result<(), LedgerError> {
        self.write("when a dispute was settled", |transaction| rows::settle(transaction, &Answer { id, count: *count }))
    }
}
