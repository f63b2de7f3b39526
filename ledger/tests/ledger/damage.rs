//! A ledger that another program has changed never has a wrong total.

use std::fs;
use std::path::Path;

use kogge_board::Fen;
use kogge_driver::Quantity;
use kogge_ledger::{Kind, Ledger, LedgerError, LedgerRequest, LedgerStore, Sqlite, hex};
use kogge_movegen_cpu::mailbox::Mailbox;
use postgres::{Client, NoTls};
use rusqlite::Connection;

use super::server::Server;
use super::support::{KIWIPETE, fen};
use super::{KIWIPETE_4, cpu, database, device, fresh, options, total, work};

/// Changes of the count of entry 5.
const COUNTS: &[&str] = &["count = count + 1", "count = count * 10", "checksum = '1'"];
/// Changes of a range's size.
const SIZES: &[&str] = &["positions = positions + 1", "paths = paths - 1"];
/// Changes of the leaves of a kind.
const KINDS: &[&str] = &[
    "captures = captures - 1",
    "en_passant = en_passant + 1",
    "castles = castles + 1",
    "promotions = promotions + 1",
    "checks = checks + 1",
    "discovered = discovered + 1",
    "double = double + 1",
    "mates = mates + 1",
];
/// Changes of the position or the range of entry 5.
const POSITION: &[&str] = &["multiplicity = multiplicity + 1", "id = 100000"];
const RANGE: &[&str] = &["first = last"];
/// Changes of the names of what counted.
const SOURCE: &[&str] = &[
    "backend = 'mailbox'",
    "device = device || ' 2'",
    "variant = ''",
    "kogge = '0.0.9'",
    "plan = plan || '.'",
    // The texts together stay the same.
    "device = device || variant, variant = ''",
];
/// Changes of the tree, and of the texts beside it.
const TREE: &[&str] = &[
    "depth = 5",
    "ply = 2",
    "paths = paths + 1",
    "entries = entries + 1",
    "checksum = '1'",
    "kind = CASE kind WHEN 'ranges' THEN 'positions' ELSE 'ranges' END",
    "counted = CASE counted WHEN 'leaves' THEN 'categories' ELSE 'leaves' END",
    "plan = 'another'",
    "kogge = '0.0.9'",
];

/// The sorts of ledgers.
#[derive(Clone, Copy, Debug)]
enum Sort {
    Positions,
    Ranges,
    /// Ranges whose leaves are counted by kind.
    Kinds,
}

/// Fills a store with a ledger of Kiwipete to depth 4 that has some tens of entries.
fn kiwipete(store: Box<dyn LedgerStore>, sort: Sort) -> Ledger {
    let root = &fen(KIWIPETE);
    let (kind, counted, ply, entries) = match sort {
        Sort::Positions => (Kind::Positions, None, 1, None),
        Sort::Ranges => (Kind::Ranges, None, 3, Some(30)),
        Sort::Kinds => (Kind::Ranges, Some(Quantity::Categories), 3, Some(30)),
    };
    let request =
        LedgerRequest { root, depth: 4, kind: Some(kind), counted, ply: Some(ply), entries, every_path: false };
    Ledger::start(store, &request, &mut [cpu()], &()).expect("the ledger can be made").0
}

/// Tests that `check` finds changes of a finished ledger. `open` makes an empty store when it is called with a new name, and
/// opens that store when it is called with the name again. `execute` runs SQL on it.
fn changes_are_found(open: impl Fn(&str) -> Result<Box<dyn LedgerStore>, LedgerError>, execute: impl Fn(&str, &str)) {
    let changed = |sort, name: &str, table: &str, change: &str| {
        work(&kiwipete(open(name).expect("it can be made"), sort)).expect("all is well");
        execute(name, &format!("UPDATE kogge_{table} SET {change}"));
        let ledger = Ledger::open(open(name)?)?;
        Ok::<_, LedgerError>((total(&ledger), ledger.check()))
    };
    for sort in [Sort::Positions, Sort::Ranges, Sort::Kinds] {
        let (sizes, kinds, item): (&[&str], &[&str], &[&str]) = match sort {
            Sort::Positions => (&[], &[], POSITION),
            Sort::Ranges => (SIZES, &[], RANGE),
            Sort::Kinds => (SIZES, KINDS, &[]),
        };
        for (number, change) in COUNTS.iter().chain(sizes).chain(kinds).enumerate() {
            let name = format!("count{number}_{sort:?}").to_lowercase();
            let (total, checked) =
                changed(sort, &name, "entry", &format!("{change} WHERE id = 5")).expect("it can be opened");
            let named = |error: &LedgerError| error.to_string().contains("the count of entry 5 ");
            assert!(total.as_ref().is_err_and(named), "{change}: {total:?}");
            let checked = checked.expect("it can be read");
            assert_eq!(checked.changed.iter().map(|row| row.entry.id).collect::<Vec<_>>(), [5], "{change}");
            assert_eq!((checked.counted, checked.sha256), (checked.entries, None), "{change}");
        }
        for (number, change) in SOURCE.iter().enumerate() {
            let name = format!("source{number}_{sort:?}").to_lowercase();
            let (total, checked) = changed(sort, &name, "source", change).expect("it can be opened");
            let named = |error: &LedgerError| error.to_string().contains("the count of entry 0 ");
            assert!(total.as_ref().is_err_and(named), "{change}: {total:?}");
            let checked = checked.expect("it can be read");
            assert_eq!((checked.changed.len() as u64, checked.sha256), (checked.entries, None), "{change}");
        }
        let items = item.iter().map(|change| ("entry", format!("{change} WHERE id = 5")));
        let tree = TREE.iter().map(|&change| ("ledger", change.to_owned()));
        for (number, (table, change)) in items.chain(tree).enumerate() {
            let name = format!("tree{number}_{sort:?}").to_lowercase();
            let damaged = |error: &LedgerError| matches!(error, LedgerError::Damaged { .. });
            let (total, checked) = changed(sort, &name, table, &change).expect("it can be opened");
            assert!(total.as_ref().is_err_and(damaged), "{change}: {total:?}");
            assert!(checked.as_ref().is_err_and(damaged), "{change}: {checked:?}");
        }
    }
}

#[test]
fn changes_of_a_file_are_found() {
    let path = |name: &str| Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("changed-{name}.ledger"));
    let open = |name: &str| -> Result<Box<dyn LedgerStore>, LedgerError> {
        Ok(Box::new(Sqlite::open_or_create(&path(name))?))
    };
    let execute = |name: &str, sql: &str| {
        let connection = Connection::open(path(name)).expect("it is there");
        let set = format!("PRAGMA ignore_check_constraints = 1; PRAGMA foreign_keys = 0; {sql}");
        connection.execute_batch(&set).unwrap_or_else(|error| panic!("{sql}: {error}"));
    };
    let _ = fs::read_dir(env!("CARGO_TARGET_TMPDIR")).map(|files| {
        let stale = files.flatten().filter(|file| file.file_name().to_string_lossy().starts_with("changed-"));
        stale.for_each(|file| drop(fs::remove_file(file.path())));
    });
    changes_are_found(open, execute);
}

#[test]
fn changes_of_a_database_are_found() {
    let server = Server::start();
    let made = std::cell::RefCell::new(std::collections::BTreeSet::new());
    let open = |name: &str| -> Result<Box<dyn LedgerStore>, LedgerError> {
        let is_new = made.borrow_mut().insert(name.to_owned());
        Ok(database(&if is_new { server.schema(name) } else { server.address(name) }))
    };
    let execute = |name: &str, sql: &str| {
        let mut client = Client::connect(&server.address(name), NoTls).expect("the server runs");
        client.batch_execute(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    };
    changes_are_found(open, execute);
}

/// The schema does not allow removing a checksum, but a damaged file may lack one.
#[test]
fn missing_checksums_are_found() {
    for (table, name) in [("kogge_entry", "missing-count"), ("kogge_ledger", "missing-tree")] {
        let file = fresh(name);
        work(&kiwipete(Box::new(Sqlite::open_or_create(&file).unwrap()), Sort::Positions)).unwrap();
        let connection = Connection::open(&file).unwrap();
        let nullable = "PRAGMA writable_schema = 1; PRAGMA ignore_check_constraints = 1;
            UPDATE sqlite_schema SET sql = replace(sql, 'checksum TEXT NOT NULL', 'checksum TEXT');
            PRAGMA writable_schema = RESET;";
        connection.execute_batch(&format!("{nullable} UPDATE {table} SET checksum = NULL")).unwrap();
        drop(connection);
        let found = Ledger::open(Box::new(Sqlite::open(&file).unwrap())).and_then(|ledger| total(&ledger));
        assert!(
            matches!(&found, Err(LedgerError::Damaged { what, .. }) if what.contains("checksum")),
            "{name}: {found:?}"
        );
    }
}

/// Flips single bits of a file. Some flips change nothing that is read, and others make the file unreadable.
#[test]
fn a_flipped_bit_never_gives_a_wrong_total() {
    for (sort, name) in [(Sort::Positions, "bit-position"), (Sort::Ranges, "bit-range"), (Sort::Kinds, "bit-kinds")] {
        let file = fresh(name);
        work(&kiwipete(Box::new(Sqlite::open_or_create(&file).unwrap()), sort)).unwrap();
        let bytes = fs::read(&file).unwrap();
        let mut damaged = 0;
        // The step has no common factor with the page size, so it reaches all parts of all pages.
        for bit in (0..8 * bytes.len()).step_by((8 * bytes.len() / 1500) | 1) {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            fs::write(&file, changed).unwrap();
            match Sqlite::open(&file).and_then(|store| Ledger::open(Box::new(store))).and_then(|ledger| total(&ledger))
            {
                Ok(leaves) => {
                    assert!(leaves.is_none_or(|leaves| leaves == KIWIPETE_4), "bit {bit} of {name}: {leaves:?}")
                }
                Err(_) => damaged += 1,
            }
        }
        assert!(damaged > 100, "only {damaged} bits of {name} were noticed");
    }
}

#[test]
fn equal_ledgers_have_equal_hashes() {
    for (sort, name) in [(Sort::Positions, "hash-position"), (Sort::Ranges, "hash-range"), (Sort::Kinds, "hash-kinds")]
    {
        let [one, two] = ["one", "two"].map(|number| {
            let store = Sqlite::open_or_create(&fresh(&format!("{name}-{number}"))).unwrap();
            kiwipete(Box::new(store), sort)
        });
        assert_eq!(one.check().unwrap().sha256, None, "nothing is counted");
        work(&one).unwrap();
        two.work(&mut [device(Mailbox::new())], &options("test"), &()).unwrap();
        let hash = one.check().unwrap().sha256;
        assert!(hash.is_some() && hash == two.check().unwrap().sha256);
    }
}

/// Checks a ledger of `data/ledgers`: its root, entries, total, and hash, all of which `RESULTS.md` states.
fn is_as_it_was(name: &str, root: &Fen, entries: u64, leaves: u128) {
    let results = include_str!("../../../RESULTS.md");
    let file = fresh(name);
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../data/ledgers/{name}.sqlite")), &file).unwrap();
    let ledger = Ledger::open(Box::new(Sqlite::open(&file).unwrap())).unwrap();
    assert_eq!(&ledger.header().root, root, "{name}");
    assert_eq!(total(&ledger), Ok(Some(leaves)), "{name}");
    let checked = ledger.check().unwrap();
    assert_eq!((checked.entries, checked.counted, checked.changed.len()), (entries, entries, 0), "{name}");
    let hash = hex(&checked.sha256.unwrap());
    assert!(results.contains(&format!("(data/ledgers/{name}.sqlite)")) && results.contains(&hash), "{name}: {hash}");
}

#[test]
fn the_ledgers_of_the_data_are_as_they_were() {
    is_as_it_was("start13", &Fen::start(), 1024, 1_981_066_775_000_396_239);
    is_as_it_was("start14", &Fen::start(), 10_000, 61_885_021_521_585_529_237);
    is_as_it_was("start12-stats", &Fen::start(), 148, 62_854_969_236_701_747);
    is_as_it_was("kiwipete10", &fen(KIWIPETE), 123, 29_344_805_396_643_919);
}
