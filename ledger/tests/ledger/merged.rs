//! Merged ledgers: entries are ranges of the last merged ply.

use std::fs::{File, read_to_string};
use std::thread;
use std::time::Duration;

use kogge_board::merge::{Key, KeyRange};
use kogge_driver::{MergeDevice, Observer, Progress};
use kogge_ledger::{
    Answer, Count, Item, Kind, Ledger, LedgerError, LedgerRequest, LedgerStore, Size, Sqlite, Total, Watcher, hex,
    key_bytes,
};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;
use kogge_testkit::buggy::{buggy, no_black_queenside};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::RowAccessor;

use super::server::Server;
use super::support::{KIWIPETE, fen};
use super::{KIWIPETE_4, counted, cpu, database, device, fresh, options, rows, source};

/// Kiwipete to depth 4, merged down to ply 3, which has 57,548 distinct positions and 97,862 paths.
const TOTAL: Total = Total { leaves: KIWIPETE_4, positions: 57_548, categories: None };
const PATHS: u128 = 97_862;

/// Returns a merged ledger with about 30 ranges.
fn kiwipete(store: Box<dyn LedgerStore>) -> Ledger {
    let root = &fen(KIWIPETE);
    let request =
        LedgerRequest { root, depth: 4, kind: None, counted: None, ply: Some(3), entries: Some(30), every_path: false };
    Ledger::start(store, &request, &mut [cpu()], &()).expect("the ledger can be made").0
}

fn in_file(name: &str) -> Ledger {
    kiwipete(Box::new(Sqlite::open_or_create(&fresh(name)).expect("the file can be made")))
}

/// Returns a CPU whose memory holds ply 1 whole, but not ply 2.
fn narrow() -> MergeDevice {
    MergeDevice::with_memory(Box::new(Cpu::new(Some(1)).expect("there is a CPU")), 200 << 10)
}

fn work(ledger: &Ledger, devices: &mut [MergeDevice]) -> Result<Total, LedgerError> {
    Ok(ledger.work(devices, &options("test"), &())?.0)
}

#[test]
fn all_devices_and_plans_count_the_same() {
    let mut known = None;
    for (name, mut devices, plan) in [
        ("merged-cpu", vec![cpu()], "whole down to ply 2"),
        ("merged-narrow", vec![narrow()], "whole down to ply 1"),
        ("merged-both", vec![cpu(), device(Mailbox::new())], "whole down to ply 2"),
    ] {
        let ledger = in_file(name);
        let header = ledger.header();
        assert_eq!((header.kind, header.ply, header.paths), (Kind::Ranges, 3, PATHS));
        assert!((20..=30).contains(&header.entries), "{}", header.entries);
        assert_eq!(ledger.total(), Ok(None));
        assert_eq!(work(&ledger, &mut devices), Ok(TOTAL));
        let rows = rows(&ledger).unwrap();
        assert!(rows.iter().all(|row| row.given.as_ref().is_some_and(|given| given.source.plan == plan)), "{rows:?}");
        let counts: Vec<_> = rows.iter().map(|row| (row.entry.item, counted(row).0)).collect();
        assert_eq!(known.get_or_insert_with(|| counts.clone()), &counts);
        // A run on a complete ledger only returns its total.
        assert_eq!(work(&ledger, &mut [device(Mailbox::new())]), Ok(TOTAL));
    }
}

#[test]
fn the_plan_chooses_ply_and_ranges() {
    let root = &fen(KIWIPETE);
    let request =
        LedgerRequest { root, depth: 5, kind: None, counted: None, ply: None, entries: None, every_path: false };
    let store = || Box::new(Sqlite::open_or_create(&fresh("merged-default")).unwrap());
    let (ledger, made) = Ledger::start(store(), &request, &mut [cpu()], &()).unwrap();
    let header = ledger.header();
    assert!(made && header.kind == Kind::Ranges && (1..=4).contains(&header.ply), "{header:?}");
    assert!(header.entries <= 64);
    assert_eq!(work(&ledger, &mut [cpu()]).unwrap().leaves, 193_690_690);
    // Shallow trees are not merged, and a tree without moves has no positions.
    let (shallow, _) = Ledger::start(store(), &LedgerRequest { depth: 3, ..request }, &mut [cpu()], &()).unwrap();
    assert_eq!(shallow.header().kind, Kind::Positions);
    let root = &fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    let (ended, _) = Ledger::start(store(), &LedgerRequest { root, ..request }, &mut [cpu()], &()).unwrap();
    assert_eq!(work(&ended, &mut [cpu()]), Ok(Total { leaves: 0, positions: 0, categories: None }));
}

#[test]
fn plies_and_kinds_that_do_not_fit_are_refused() {
    let root = &fen(KIWIPETE);
    let request =
        LedgerRequest { root, depth: 10, kind: None, counted: None, ply: Some(2), entries: None, every_path: false };
    let file = fresh("merged-refused");
    let store = || Box::new(Sqlite::open_or_create(&file).unwrap());
    let start =
        |request: &LedgerRequest<'_>| Ledger::start(store(), request, &mut [cpu()], &()).map(|_| ()).unwrap_err();
    assert_eq!(start(&request), LedgerError::MergedPly { ply: 2, depth: 10, least: 3, most: 10 });
    let none = LedgerRequest { ply: Some(0), depth: 5, ..request };
    assert_eq!(start(&none), LedgerError::MergedPly { ply: 0, depth: 5, least: 1, most: 5 });
    assert_eq!(start(&LedgerRequest { ply: Some(11), ..request }), LedgerError::Ply { ply: 11, depth: 10 });
    drop(kiwipete(store()));
    let raw = LedgerRequest { kind: Some(Kind::Positions), ply: None, depth: 4, ..request };
    let error = start(&raw).to_string();
    assert!(error.contains("with merging, not of") && error.contains("without merging; name another"), "{error}");
    // A request that does not name a kind resumes the ledger as it is.
    let any = LedgerRequest { ply: None, depth: 4, ..request };
    let (ledger, made) = Ledger::start(store(), &any, &mut [cpu()], &()).unwrap();
    assert!(!made && ledger.header().ply == 3);
    // The same holds for a ledger of positions.
    let old = super::in_file("old");
    let store = Box::new(Sqlite::open(std::path::Path::new(&old.location())).unwrap());
    let (again, made) = Ledger::start(store, &any, &mut [cpu()], &()).unwrap();
    assert!(!made && again.header() == old.header());
    assert_eq!(work(&again, &mut [cpu()]), Ok(Total { leaves: KIWIPETE_4, positions: 2038, categories: None }));
}

/// Stops when the first entries are recorded.
struct Impatient {
    before: u64,
    seen: std::sync::atomic::AtomicBool,
}

impl Watcher for Impatient {}

impl Observer for Impatient {
    fn progress(&self, progress: &Progress) {
        assert!(progress.done <= progress.total);
        self.seen.fetch_or(progress.done > self.before, std::sync::atomic::Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.seen.load(std::sync::atomic::Ordering::Relaxed)
    }
}

#[test]
fn stopped_anywhere_it_goes_on_from_there() {
    let ledger = in_file("merged-stopped");
    let (mut before, mut stops) = (0, 0);
    let total = loop {
        // A few stops are enough.
        let before_all = if stops < 5 { before } else { u64::MAX };
        let watcher = Impatient { before: before_all, seen: false.into() };
        let mut slow = [device(super::support::slow(Mailbox::new(), Duration::from_micros(20)))];
        match ledger.work(&mut slow, &options("test"), &watcher) {
            Ok((total, _)) => break total,
            Err(LedgerError::Stopped { done, entries }) => {
                assert!(done > before && done < entries);
                assert_eq!(ledger.tally().unwrap().leased, 0, "leases are given back");
                (before, stops) = (done, stops + 1);
            }
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(total, TOTAL);
    assert!(stops > 1, "it was stopped {stops} times");
}

#[test]
fn checks_need_another_plan_or_device() {
    let ledger = in_file("merged-checked");
    assert_eq!(work(&ledger, &mut [cpu()]), Ok(TOTAL));
    let sample = ledger.sample(0.2, 7).unwrap();
    let neighbours = sample.windows(2).filter(|pair| pair[0].entry.id + 1 == pair[1].entry.id).count();
    assert!(sample.len() > 4 && neighbours + 2 >= sample.len(), "{neighbours} of {}", sample.len());
    let same = ledger.verify(&sample, &mut cpu(), &()).unwrap_err();
    assert!(matches!(same, LedgerError::SameSource { .. }), "{same}");
    for (mut checker, verifies) in [(narrow(), false), (device(Mailbox::new()), true)] {
        let verified = ledger.verify(&sample, &mut checker, &()).unwrap();
        assert_eq!((verified.checked as usize, verified.contradictions.len()), (sample.len(), 0));
        assert_eq!(ledger.tally().unwrap().verified as usize, if verifies { sample.len() } else { 0 });
    }
    assert_eq!(ledger.total(), Ok(Some(TOTAL)));
}

#[test]
fn a_device_that_lies_is_caught_and_outvoted() {
    let ledger = in_file("merged-lies");
    // The device makes wrong moves, so it finds a different number of paths, and its answers are not even recorded.
    let mut liar = [device(buggy(Cpu::new(Some(1)).unwrap(), no_black_queenside))];
    let refused = work(&ledger, &mut liar).unwrap_err().to_string();
    assert!(refused.contains("paths to ply 3, but the ledger has 97862"), "{refused}");
    assert_eq!(ledger.tally().unwrap().done, 0);

    // A wrong answer is recorded before the right ones.
    let mut store = Sqlite::open(std::path::Path::new(&ledger.location())).unwrap();
    let wrong = |leaves, positions, paths| Count { leaves, size: Some(Size { positions, paths }), categories: None };
    store.record(&source("liar"), &[Answer { id: 5, count: wrong(1, 2, 3) }]).unwrap();
    let error = work(&ledger, &mut [cpu()]).unwrap_err();
    let LedgerError::Paths { ply: 3, found, expected: PATHS, .. } = error else { panic!("{error}") };
    assert!(found < PATHS);

    let verified = ledger.verify(&rows(&ledger).unwrap()[5..6], &mut cpu(), &()).unwrap();
    assert_eq!((verified.checked, verified.contradictions.len()), (1, 1));
    let contradiction = &verified.contradictions[0];
    assert_eq!((contradiction.entry.id, contradiction.had), (5, wrong(1, 2, 3)));
    assert!(matches!(ledger.total(), Err(LedgerError::Disputed { entries: 1, .. })));
    let disputes = ledger.disputes().unwrap();
    // The same code with another plan does not count as a third opinion.
    let settled = ledger.settle(&disputes, &mut narrow(), &()).unwrap();
    assert_eq!((settled[0].entry.id, settled[0].answers.len(), settled[0].count), (5, 3, None));
    let settled = ledger.settle(&disputes, &mut device(Mailbox::new()), &()).unwrap();
    assert_eq!(settled[0].count, Some(contradiction.found));
    assert_eq!(ledger.total(), Ok(Some(TOTAL)));
}

#[test]
fn gaps_between_ranges_are_damage() {
    let ledger = in_file("merged-gap");
    assert_eq!(work(&ledger, &mut [cpu()]), Ok(TOTAL));
    let client = rusqlite::Connection::open(ledger.location()).unwrap();
    client
        .execute("UPDATE kogge_entry SET first = x'0000000000000000000000000000000000000001' WHERE id = 0", [])
        .unwrap();
    let error = ledger.total().unwrap_err().to_string();
    assert!(error.contains("is damaged: the range of entry 0 does not follow"), "{error}");
}

#[test]
fn any_number_of_a_count_makes_a_dispute() {
    let ledger = in_file("merged-differ");
    assert_eq!(work(&ledger, &mut [cpu()]), Ok(TOTAL));
    let row = &rows(&ledger).unwrap()[2];
    let (count, size) = counted(row);
    let mut store = Sqlite::open(std::path::Path::new(&ledger.location())).unwrap();
    for (number, size) in
        [Size { positions: size.positions + 1, ..size }, Size { paths: size.paths + 1, ..size }].into_iter().enumerate()
    {
        let other = Answer { id: 2, count: Count { size: Some(size), ..count } };
        let recorded = store.record(&source(&format!("other{number}")), &[other]).unwrap();
        assert_eq!(recorded.different, [(other, count)]);
        assert_eq!(store.disputes().unwrap()[0].answers.len(), 2 + number);
    }
    store.settle(2, &count).unwrap();
    assert_eq!(ledger.total(), Ok(Some(TOTAL)));
    // Answers of the other kind are refused.
    assert!(store.record(&source("raw"), &[super::answer(2, 7)]).is_err());
}

#[test]
fn tables_have_borders_and_sizes() {
    let ledger = in_file("merged-tables");
    let mut store = Sqlite::open(std::path::Path::new(&ledger.location())).unwrap();
    assert_eq!(work(&ledger, &mut [narrow()]), Ok(TOTAL));
    let (csv, table) = (fresh("merged-csv").with_extension("csv"), fresh("merged-parquet").with_extension("parquet"));
    let all = rows(&ledger).unwrap();
    assert_eq!(ledger.export_csv(&csv), Ok(all.len() as u64));
    let text = read_to_string(&csv).unwrap();
    let mut lines = text.lines();
    let names = "id,first,last,disputed,count,positions,paths,at,backend,device,variant,kogge,plan";
    assert_eq!(lines.next(), Some(names));
    let mut sums = [0; 3];
    for (line, row) in lines.zip(&all) {
        let fields: Vec<_> = line.split(',').collect();
        let Item::Range(KeyRange { first, last }) = row.entry.item else { panic!("{row:?}") };
        assert_eq!(fields[1..4], [&hex(&key_bytes(&first)), &hex(&key_bytes(&last)), "false"]);
        sums.iter_mut().zip(&fields[4..7]).for_each(|(sum, field)| *sum += field.parse::<u128>().unwrap());
        assert!(line.ends_with(",whole down to ply 1"), "{line}");
    }
    assert_eq!(sums, [TOTAL.leaves, TOTAL.positions, PATHS]);

    assert_eq!(ledger.export_parquet(&table), Ok(all.len() as u64));
    let reader = SerializedFileReader::new(File::open(&table).unwrap()).unwrap();
    for (row, known) in reader.get_row_iter(None).unwrap().zip(&all) {
        let (row, (count, size)) = (row.unwrap(), counted(known));
        let Item::Range(range) = known.entry.item else { panic!("{known:?}") };
        assert_eq!(row.get_bytes(1).unwrap().data(), key_bytes(&range.first));
        assert_eq!(row.get_string(4).unwrap(), &count.leaves.to_string());
        assert_eq!(row.get_string(5).unwrap(), &size.positions.to_string());
        assert_eq!(row.get_string(12).unwrap(), "whole down to ply 1");
    }
    assert_eq!((all[0].entry.item, Key::MIN), (store.rows(None, 1).unwrap()[0].entry.item, Key::MIN));
}

#[test]
fn machines_share_a_database() {
    let server = Server::start();
    let address = server.schema("merged");
    kiwipete(database(&address));
    // A worker that died still leases the first entries.
    let mut dead = database(&address);
    assert_eq!(dead.lease("dead", 3, Duration::from_secs(1)).unwrap().len(), 3);
    let entries: Vec<u64> = thread::scope(|scope| {
        let worker = |number: usize| {
            let address = &address;
            scope.spawn(move || {
                let ledger = kiwipete(database(address));
                let mut devices = [[narrow(), cpu(), device(Mailbox::new())].into_iter().nth(number).unwrap()];
                let (total, snapshot) = ledger.work(&mut devices, &options(&format!("w{number}")), &()).unwrap();
                assert_eq!(total, TOTAL);
                snapshot.devices[0].entries
            })
        };
        let workers: Vec<_> = (0..3).map(worker).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    let ledger = Ledger::open(database(&address)).unwrap();
    assert_eq!(entries.iter().sum::<u64>(), ledger.header().entries, "{entries:?}");

    // Disputes are settled as in a file.
    let row = &rows(&ledger).unwrap()[1];
    let (count, size) = counted(row);
    let mut store = database(&address);
    let wrong = Answer { id: 1, count: Count { size: Some(Size { paths: size.paths + 1, ..size }), ..count } };
    assert_eq!(store.record(&source("liar"), &[wrong]).unwrap().different, [(wrong, count)]);
    assert!(matches!(ledger.total(), Err(LedgerError::Disputed { entries: 1, .. })));
    let disputes = ledger.disputes().unwrap();
    let by_cpu = row.given.as_ref().unwrap().source.backend == "cpu";
    let mut third = if by_cpu { device(Mailbox::new()) } else { cpu() };
    assert_eq!(ledger.settle(&disputes, &mut third, &()).unwrap()[0].count, Some(count));
    assert_eq!(ledger.total(), Ok(Some(TOTAL)));
}
