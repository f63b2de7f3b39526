//! Tests a full disk, which only files can simulate.

use kogge_board::Fen;
use kogge_movegen_cpu::Cpu;

use super::*;
use crate::{Kind, Ledger, LedgerRequest, LedgerStore, WorkOptions};
use kogge_driver::MergeDevice;

/// Returns the path of a missing file with this name.
fn fresh(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("kogge-ledger-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
    folder.join(name)
}

fn store(path: &Path, spare_pages: Option<i64>) -> Box<dyn LedgerStore> {
    let store = Sqlite::open_or_create(path).expect("the file can be made");
    if let Some(spare) = spare_pages {
        let pages: i64 = store.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).expect("a number");
        let limit = format!("PRAGMA max_page_count = {}", pages + spare);
        store.connection.query_row(&limit, [], |_| Ok(())).expect("it can be set");
    }
    Box::new(store)
}

fn start(path: &Path, spare_pages: Option<i64>) -> Result<Ledger, LedgerError> {
    let request = LedgerRequest {
        root: &Fen::start(),
        depth: 4,
        kind: Some(Kind::Positions),
        counted: None,
        ply: Some(3),
        entries: None,
        every_path: false,
    };
    Ok(Ledger::start(store(path, spare_pages), &request, &mut [cpu()], &())?.0)
}

fn cpu() -> MergeDevice {
    MergeDevice::with_memory(Box::new(Cpu::new(Some(1)).expect("there is a CPU")), 1 << 26)
}

fn work(ledger: &Ledger) -> Result<u128, LedgerError> {
    let options = WorkOptions { worker: "test".to_owned(), lease: Duration::from_secs(10), alone: false };
    Ok(ledger.work(&mut [cpu()], &options, &())?.0.leaves)
}

#[test]
fn a_full_disk_stops_the_work_and_the_ledger_still_opens() {
    let path = fresh("full");
    // A limit needs a file, even an empty one.
    File::create(&path).expect("the file can be made");
    // Not even the frontier fits, so no ledger is created.
    assert!(matches!(start(&path, Some(20)), Err(LedgerError::Full { .. })));
    assert_eq!(Sqlite::open(&path).expect("there is a file").header(), Ok(None));

    drop(start(&path, None).expect("there is room"));
    let ledger = start(&path, Some(2)).expect("it exists");
    let error = work(&ledger).expect_err("the counts do not fit");
    assert!(matches!(error, LedgerError::Full { .. }), "{error}");
    assert!(error.to_string().contains("free some space and run the same command again"), "{error}");
    drop(ledger);

    let ledger = start(&path, None).expect("it opens");
    let tally = ledger.tally().expect("it can be read");
    assert!(tally.done < tally.entries, "{tally:?}");
    assert_eq!(work(&ledger), Ok(197_281));
    remove_file(path).expect("it is there");
}

#[test]
fn a_damaged_schema_is_told_in_one_line() {
    let path = fresh("schema");
    drop(start(&path, None).expect("there is room"));
    let mut bytes = std::fs::read(&path).expect("it is there");
    let place = bytes.windows(7).position(|word| word == b"castlin").expect("the schema names a column");
    // An open quote before the column turns the rest of the schema, which has several lines, into one token.
    bytes[place - 1] = b'\'';
    std::fs::write(&path, bytes).expect("it can be written");
    let error =
        Sqlite::open(&path).and_then(|store| Ledger::open(Box::new(store))).map(drop).expect_err("it is damaged");
    let text = error.to_string();
    assert!(!text.contains('\n') && text.len() < 500 && text.ends_with('.'), "{text:?}");
    assert!(text.contains("malformed database schema"), "{text}");
    remove_file(path).expect("it is there");
}
