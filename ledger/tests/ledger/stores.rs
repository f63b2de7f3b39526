//! Requirements that every store must meet.

use std::time::Duration;

use kogge_ledger::{Kind, LedgerEntry, LedgerError, LedgerStore, Source, Sqlite};
use kogge_movegen_cpu::mailbox::Mailbox;

use super::server::Server;
use super::{KIWIPETE_4, answer, database, device, fresh, kiwipete, source, total, work};

const LONG: Duration = Duration::from_secs(100);

/// Two connections to the same new ledger.
type Twice = (Box<dyn LedgerStore>, Box<dyn LedgerStore>);

fn files(name: &str) -> Twice {
    let file = fresh(name);
    kiwipete(Box::new(Sqlite::open_or_create(&file).expect("the file can be made")));
    let open = || -> Box<dyn LedgerStore> { Box::new(Sqlite::open(&file).expect("it was made")) };
    (open(), open())
}

/// Leases are exclusive. Leases can be extended and released, and they expire.
fn leases((mut one, mut two): Twice) {
    let first = one.lease("one", 3, LONG).unwrap();
    let second = two.lease("two", 2, LONG).unwrap();
    assert_eq!(first.iter().chain(&second).map(|entry| entry.id).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    assert_eq!(one.extend("one", &[0, 1, 2, 3], LONG), Ok(3));
    let tally = two.tally().unwrap();
    assert_eq!((tally.done, tally.leased, tally.workers), (0, 5, 2));
    one.release("one").unwrap();
    assert_eq!(two.lease("two", 1, LONG).unwrap()[0].id, 0);
    // An expired lease goes to another worker and cannot be extended.
    assert_eq!(one.lease("one", 1, Duration::ZERO).unwrap()[0].id, 1);
    assert_eq!(two.lease("two", 1, LONG).unwrap()[0].id, 1);
    assert_eq!(one.extend("one", &[1], LONG), Ok(0));
}

/// An answer counts once, and different answers are noticed.
fn answers((mut one, mut two): Twice) {
    let right = answer(7, u128::MAX);
    assert_eq!(one.record(&source("a"), &[right]).unwrap().new, [right]);
    // The same answer again: from the same worker after a broken connection, or from another worker.
    assert_eq!(one.record(&source("a"), &[right]).unwrap().repeated, [right]);
    assert_eq!(two.tally().unwrap().verified, 0);
    // The same implementation on another device, in another variant.
    let alike = Source { device: "another device".to_owned(), variant: "another variant".to_owned(), ..source("a") };
    assert_eq!(two.record(&alike, &[right]).unwrap().repeated, [right]);
    assert_eq!(two.tally().unwrap().verified, 0);
    assert_eq!(two.record(&source("b"), &[right]).unwrap().repeated, [right]);
    let tally = two.tally().unwrap();
    assert_eq!((tally.done, tally.verified, tally.disputed), (1, 1, 0));
    assert_eq!(one.disputes().unwrap(), []);

    let wrong = answer(7, 5);
    assert_eq!(two.record(&source("c"), &[wrong]).unwrap().different, [(wrong, u128::MAX.into())]);
    let tally = one.tally().unwrap();
    assert_eq!((tally.done, tally.verified, tally.disputed), (1, 0, 1));
    let disputes = one.disputes().unwrap();
    let answers = disputes[0].answers.iter();
    let mut counts: Vec<_> = answers.map(|given| (given.source.backend.as_str(), given.count.leaves)).collect();
    counts.sort_unstable();
    assert_eq!(disputes[0].entry.id, 7);
    assert_eq!(counts, [("a", u128::MAX), ("a", u128::MAX), ("b", u128::MAX), ("c", 5)]);
    let row = &one.rows(Some(6), 1).unwrap()[0];
    assert_eq!(
        (row.entry.id, row.disputed, row.given.as_ref().map(|given| given.count.leaves)),
        (7, true, Some(u128::MAX))
    );

    // A settled dispute stays settled if the same source repeats its answer.
    two.settle(7, &5.into()).unwrap();
    let row = &one.rows(Some(6), 1).unwrap()[0];
    let given = row.given.clone().unwrap();
    assert_eq!((row.disputed, given.count.leaves, given.source), (false, 5, source("c")));
    assert_eq!(two.record(&source("a"), &[right]).unwrap().different.len(), 1);
    assert_eq!(one.tally().unwrap().disputed, 0);
    // The same answer from another source is recorded.
    two.record(&source("d"), &[right]).unwrap();
    assert_eq!(one.tally().unwrap().disputed, 1);

    let nobody = one.record(&source("a"), &[answer(99_999, 1)]);
    assert!(matches!(nobody, Err(LedgerError::Damaged { .. })), "{nobody:?}");
}

/// Rows come in order and in pages, and the last one completes the ledger.
fn pages((mut one, mut two): Twice) {
    let all = one.rows(None, 10_000).unwrap();
    assert_eq!(all.len(), 2038);
    assert!(all.iter().zip(0..).all(|(row, id)| row.entry.id == id && row.given.is_none()));
    assert_eq!(two.rows(Some(99), 50).unwrap(), all[100..150]);
    assert_eq!(two.rows(Some(2037), 50).unwrap(), []);
    let answers: Vec<_> = all.iter().map(|row| answer(row.entry.id, 1)).collect();
    one.record(&source("a"), &answers[1..]).unwrap();
    assert_eq!(two.is_complete(), Ok(false));
    one.record(&source("a"), &answers).unwrap();
    assert_eq!(two.is_complete(), Ok(true));
    let tally = two.tally().unwrap();
    assert_eq!((tally.entries, tally.done, tally.last_minute), (2038, 2038, 2038));
    let (first, last) = tally.span.unwrap();
    assert!(first <= last && first > 1_600_000_000);
}

/// Creating a ledger that already exists changes nothing.
fn created_once((mut one, two): Twice) {
    let header = one.header().unwrap().unwrap();
    assert_eq!((header.entries, header.paths, header.ply, header.depth), (2038, 2039, 2, 4));
    one.record(&source("a"), &[answer(0, 1)]).unwrap();
    let other: LedgerEntry = one.rows(None, 1).unwrap()[0].entry;
    one.create(&header, &[other.item]).unwrap();
    assert_eq!(one.tally().unwrap().done, 1);
    let ledger = kiwipete(two);
    assert_eq!(ledger.header(), &header);
    assert_eq!(header.kind, Kind::Positions);
}

/// Work, checks and disputes in one test.
fn worked_off((mut one, two): Twice) {
    let ledger = kiwipete(two);
    assert_eq!(ledger.total(), Ok(None));
    assert_eq!(work(&ledger), Ok(KIWIPETE_4));
    assert_eq!(ledger.sum().unwrap().leaves, KIWIPETE_4);

    let sample = ledger.sample(0.01, 1).unwrap();
    assert_eq!(sample.len(), 21);
    let verified = ledger.verify(&sample, &mut device(Mailbox::new()), &()).unwrap();
    assert_eq!((verified.checked, verified.contradictions.len()), (21, 0));
    assert_eq!(ledger.tally().unwrap().verified, 21);

    let given = sample[0].given.as_ref().unwrap().count.leaves;
    one.record(&source("liar"), &[answer(sample[0].entry.id, given + 1)]).unwrap();
    assert!(matches!(ledger.total(), Err(LedgerError::Disputed { entries: 1, .. })));
    assert_eq!(work(&ledger).unwrap_err().to_string(), ledger.total().unwrap_err().to_string());
    let settled = ledger.settle(&ledger.disputes().unwrap(), &mut device(Mailbox::new()), &()).unwrap();
    assert_eq!((settled[0].entry.id, settled[0].count), (sample[0].entry.id, Some(given.into())));
    assert_eq!(total(&ledger), Ok(Some(KIWIPETE_4)));
}

macro_rules! in_files {
    ($($test:ident),*) => {
        mod in_files {
            $(
                #[test]
                fn $test() {
                    super::$test(super::files(concat!("stores-", stringify!($test))));
                }
            )*
        }
    };
}

in_files!(leases, answers, pages, created_once, worked_off);

#[test]
fn in_a_database() {
    let server = Server::start();
    type Test = fn(Twice);
    let tests: [(&str, Test); 5] = [
        ("leases", leases),
        ("answers", answers),
        ("pages", pages),
        ("created_once", created_once),
        ("worked_off", worked_off),
    ];
    for (name, test) in tests {
        let address = server.schema(name);
        kiwipete(database(&address));
        test((database(&address), database(&address)));
    }
}
