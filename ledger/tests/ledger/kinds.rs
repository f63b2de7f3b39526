//! Merged ledgers whose leaves are counted by kinds of moves.

use std::fs::read_to_string;

use kogge_board::{Categories, Fen};
use kogge_driver::{Driver, MergeDevice, Quantity};
use kogge_ledger::{Answer, Count, Kind, Ledger, LedgerError, LedgerRequest, LedgerStore, Postgres, Sqlite, Total};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;

use super::server::Server;
use super::support::{KIWIPETE, fen};
use super::{cpu, database, device, fresh, options, source};

/// Kiwipete at depth 4; its ply 3 has 57,548 distinct positions.
const KIWIPETE_4: Categories = Categories::from_array([4_085_603, 757_163, 1_929, 128_013, 15_172, 25_523, 42, 6, 43]);
const TOTAL: Total = Total { leaves: KIWIPETE_4.nodes, positions: 57_548, categories: Some(KIWIPETE_4) };

fn request(root: &Fen) -> LedgerRequest<'_> {
    LedgerRequest {
        root,
        depth: 4,
        kind: None,
        counted: Some(Quantity::Categories),
        ply: Some(3),
        entries: Some(30),
        every_path: false,
    }
}

fn kiwipete(store: Box<dyn LedgerStore>) -> Ledger {
    Ledger::start(store, &request(&fen(KIWIPETE)), &mut [cpu()], &()).expect("the ledger can be made").0
}

fn in_file(name: &str) -> Ledger {
    kiwipete(Box::new(Sqlite::open_or_create(&fresh(name)).expect("the file can be made")))
}

/// Returns a CPU whose memory holds ply 1 whole, but not ply 2.
fn narrow() -> MergeDevice {
    MergeDevice::with_memory(Box::new(Cpu::new(Some(1)).expect("there is a CPU")), 400 << 10)
}

fn work(ledger: &Ledger, devices: &mut [MergeDevice]) -> Result<Total, LedgerError> {
    Ok(ledger.work(devices, &options("test"), &())?.0)
}

fn count_of(ledger: &Ledger, id: u64) -> Count {
    let mut found = None;
    let rows = ledger.rows(|row| {
        found = row.given.filter(|_| row.entry.id == id).map(|given| given.count).or(found);
        Ok(())
    });
    rows.expect("the ledger can be read");
    found.expect("it is counted")
}

#[test]
fn all_devices_and_plans_find_the_same_kinds() {
    let mut hashes = std::collections::BTreeSet::new();
    for (name, mut devices) in [
        ("kinds-cpu", vec![cpu()]),
        ("kinds-narrow", vec![narrow()]),
        ("kinds-both", vec![cpu(), device(Mailbox::new())]),
    ] {
        let ledger = in_file(name);
        let header = ledger.header();
        assert_eq!((header.kind, header.counted), (Kind::Ranges, Quantity::Categories));
        assert_eq!(work(&ledger, &mut devices), Ok(TOTAL));
        hashes.insert(ledger.check().expect("it can be read").sha256.expect("it is complete"));
    }
    assert_eq!(hashes.len(), 1, "{hashes:?}");
}

#[test]
fn the_plan_leaves_a_ply_below() {
    for (position, depth) in [(KIWIPETE, 4), ("startpos", 5), ("8/8/8/8/8/k7/p7/K7 w - - 0 1", 3)] {
        let root = if position == "startpos" { Fen::start() } else { fen(position) };
        let store = Box::new(Sqlite::open_or_create(&fresh("kinds-plan")).unwrap());
        let request = LedgerRequest { depth, ply: None, entries: None, ..request(&root) };
        let (ledger, made) = Ledger::start(store, &request, &mut [cpu()], &()).unwrap();
        assert!(made && ledger.header().ply < depth);
        let expected = Driver::new(&mut Mailbox::new(), &()).stats(&root, depth).unwrap();
        assert_eq!(work(&ledger, &mut [cpu()]).unwrap().categories, Some(expected), "{position}");
    }
}

#[test]
fn ledgers_without_kinds_are_other_ledgers() {
    let root = fen(KIWIPETE);
    let (kinds, file) = (request(&root), fresh("kinds-refused"));
    let open = || Box::new(Sqlite::open_or_create(&file).unwrap());
    let start =
        |request: &LedgerRequest<'_>| Ledger::start(open(), request, &mut [cpu()], &()).map(|(ledger, _)| ledger);
    let refused = |request: &LedgerRequest<'_>| start(request).map(drop).unwrap_err();
    assert_eq!(refused(&LedgerRequest { kind: Some(Kind::Positions), ..kinds }), LedgerError::KindsOfPositions);
    let no_ply_below = LedgerError::MergedPly { ply: 4, depth: 4, least: 1, most: 3 };
    assert_eq!(refused(&LedgerRequest { ply: Some(4), ..kinds }), no_ply_below);
    assert!(matches!(refused(&LedgerRequest { depth: 0, ply: None, ..kinds }), LedgerError::KindsOfPositions));
    let made = start(&kinds).unwrap();
    // A request that does not name a quantity resumes the ledger as it is.
    assert_eq!(start(&LedgerRequest { counted: None, ..kinds }).unwrap().header(), made.header());
    let error = refused(&LedgerRequest { counted: Some(Quantity::Leaves), ..kinds }).to_string();
    assert!(error.contains("counting leaves by kinds of moves, not of"), "{error}");
}

#[test]
fn any_kind_makes_a_dispute() {
    let server = Server::start();
    let address = server.schema("kinds");
    let postgres = Postgres::connect(&address, super::LEASE, std::time::Duration::from_secs(60), || false).unwrap();
    for ledger in [in_file("kinds-differ"), kiwipete(Box::new(postgres))] {
        assert_eq!(work(&ledger, &mut [cpu()]), Ok(TOTAL));
        let open = || match ledger.location() {
            location if location.starts_with("the database") => database(&address),
            location => Box::new(Sqlite::open(std::path::Path::new(&location)).unwrap()),
        };
        let (mut store, count) = (open(), count_of(&ledger, 2));
        for kind in 1..Categories::COUNT {
            let mut numbers = count.categories.expect("kinds are counted").to_array();
            numbers[kind] += 1;
            let other = Answer { id: 2, count: Count { categories: Some(Categories::from_array(numbers)), ..count } };
            assert_eq!(store.record(&source("liar"), &[other]).unwrap().different, [(other, count)]);
            assert_eq!(store.disputes().unwrap()[0].answers.len(), 1 + kind);
        }
        assert!(matches!(ledger.total(), Err(LedgerError::Disputed { entries: 1, .. })));
        let disputes = ledger.disputes().unwrap();
        let settled = ledger.settle(&disputes, &mut device(Mailbox::new()), &()).unwrap();
        assert_eq!(settled[0].count, Some(count));
        assert_eq!(ledger.total(), Ok(Some(TOTAL)));
        // An answer without kinds belongs to another ledger.
        let without = Answer { id: 2, count: Count { categories: None, ..count } };
        assert!(store.record(&source("other"), &[without]).is_err());
    }
}

#[test]
fn kinds_are_verified_and_exported() {
    let ledger = in_file("kinds-tables");
    assert_eq!(work(&ledger, &mut [cpu()]), Ok(TOTAL));
    let sample = ledger.sample(1.0, 0).unwrap();
    let verified = ledger.verify(&sample, &mut device(Mailbox::new()), &()).unwrap();
    assert_eq!((verified.checked as usize, verified.contradictions.len()), (sample.len(), 0));
    let csv = fresh("kinds-csv").with_extension("csv");
    assert_eq!(ledger.export_csv(&csv), Ok(sample.len() as u64));
    let text = read_to_string(&csv).unwrap();
    let mut lines = text.lines();
    let names = "id,first,last,disputed,count,positions,paths,captures,en_passant,castles,promotions,checks,discovered,\
                 double,mates,at,backend,device,variant,kogge,plan";
    assert_eq!(lines.next(), Some(names));
    let mut sums = [0; Categories::COUNT];
    for line in lines {
        let fields: Vec<_> = line.split(',').collect();
        let kinds = fields[7..15].iter();
        sums.iter_mut().zip([&fields[4]].into_iter().chain(kinds)).for_each(|(sum, field)| {
            *sum += field.parse::<u128>().unwrap();
        });
    }
    assert_eq!(Categories::from_array(sums), KIWIPETE_4);
    let table = fresh("kinds-parquet").with_extension("parquet");
    assert_eq!(ledger.export_parquet(&table), Ok(sample.len() as u64));
}
