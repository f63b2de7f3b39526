//! Ledgers: both stores behave the same, and faults cost time but never give a wrong total.

mod damage;
mod database;
mod devices;
mod kinds;
mod merged;
mod network;
#[path = "../support/server.rs"]
mod server;
mod sharing;
mod stores;
#[path = "../../../driver/tests/support/mod.rs"]
mod support;
mod tables;

use std::path::PathBuf;
use std::time::Duration;

use kogge_board::{Backend, Fen};
use kogge_driver::MergeDevice;
use kogge_ledger::{
    Answer, Count, Kind, Ledger, LedgerError, LedgerRequest, LedgerRow, LedgerStore, Postgres, Size, Source, Sqlite,
    WorkOptions,
};
use kogge_movegen_cpu::Cpu;
use support::{KIWIPETE, fen};

/// Returns the path of a missing file with this name.
fn fresh(name: &str) -> PathBuf {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.ledger"));
    let _ = std::fs::remove_file(&file);
    file
}

/// Returns a device with enough memory for all plies of these tests.
fn device(backend: impl Backend + 'static) -> MergeDevice {
    MergeDevice::with_memory(Box::new(backend), 1 << 26)
}

fn cpu() -> MergeDevice {
    device(Cpu::new(Some(1)).expect("there is a CPU"))
}

/// Returns a request for positions of a tree of Kiwipete.
fn positions(root: &Fen, depth: u32, ply: u32) -> LedgerRequest<'_> {
    LedgerRequest {
        root,
        depth,
        kind: Some(Kind::Positions),
        counted: None,
        ply: Some(ply),
        entries: None,
        every_path: false,
    }
}

/// Returns a ledger of Kiwipete to depth 3 with 48 entries at ply 1: little work for slow devices.
fn small(name: &str) -> Ledger {
    let store = Box::new(Sqlite::open_or_create(&fresh(name)).expect("the file can be made"));
    let root = fen(KIWIPETE);
    Ledger::start(store, &positions(&root, 3, 1), &mut [cpu()], &()).expect("the ledger can be made").0
}

const KIWIPETE_3: u128 = 97_862;

/// Returns a ledger of Kiwipete to depth 4, with 2,038 entries at ply 2 and 2,039 paths to them.
fn kiwipete(store: Box<dyn LedgerStore>) -> Ledger {
    let root = fen(KIWIPETE);
    Ledger::start(store, &positions(&root, 4, 2), &mut [cpu()], &()).expect("the ledger can be made").0
}

const KIWIPETE_4: u128 = 4_085_603;

fn in_file(name: &str) -> Ledger {
    kiwipete(Box::new(Sqlite::open_or_create(&fresh(name)).expect("the file can be made")))
}

fn database(address: &str) -> Box<dyn LedgerStore> {
    Box::new(Postgres::connect(address, LEASE, Duration::from_secs(60), || false).expect("the server runs"))
}

/// The length of leases.
const LEASE: Duration = Duration::from_secs(2);

fn options(worker: &str) -> WorkOptions {
    WorkOptions { worker: worker.to_owned(), lease: LEASE, alone: false }
}

fn work(ledger: &Ledger) -> Result<u128, LedgerError> {
    Ok(ledger.work(&mut [cpu()], &options("test"), &())?.0.leaves)
}

/// Returns the rows of all entries.
fn rows(ledger: &Ledger) -> Result<Vec<LedgerRow>, LedgerError> {
    let mut rows = Vec::new();
    ledger.rows(|row| {
        rows.push(row);
        Ok(())
    })?;
    Ok(rows)
}

/// Returns the count and the size of a range.
fn counted(row: &LedgerRow) -> (Count, Size) {
    let count = row.given.as_ref().expect("it is counted").count;
    (count, count.size.expect("it is a range"))
}

fn total(ledger: &Ledger) -> Result<Option<u128>, LedgerError> {
    Ok(ledger.total()?.map(|total| total.leaves))
}

fn source(backend: &str) -> Source {
    let [device, variant, kogge] = ["a device", "a variant", "0"].map(str::to_owned);
    Source { backend: backend.to_owned(), device, variant, kogge, plan: String::new() }
}

fn answer(id: u64, leaves: u128) -> Answer {
    Answer { id, count: leaves.into() }
}
