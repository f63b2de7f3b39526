//! Many processes on one database, whose server may stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kogge_driver::{Observer, Progress};
use kogge_ledger::{LedgerError, LedgerStore, Postgres, Watcher};
use kogge_movegen_cpu::mailbox::Mailbox;

use super::server::Server;
use super::support::slow;
use super::{KIWIPETE_4, LEASE, cpu, database, device, kiwipete, options, source};

#[test]
fn many_workers_share_the_entries_and_count_each_once() {
    let server = Server::start();
    let address = server.schema("shared");
    // All processes find no ledger and try to create one.
    let counted: Vec<u64> = thread::scope(|scope| {
        let worker = |number: usize| {
            let address = &address;
            scope.spawn(move || {
                let ledger = kiwipete(database(address));
                let mut devices = [if number == 0 { cpu() } else { device(Mailbox::new()) }];
                let (total, snapshot) = ledger.work(&mut devices, &options(&format!("w{number}")), &()).unwrap();
                assert_eq!(total.leaves, KIWIPETE_4);
                snapshot.devices[0].entries
            })
        };
        let workers: Vec<_> = (0..4).map(worker).collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    assert_eq!(counted.iter().sum::<u64>(), 2038, "{counted:?}");
}

/// Notices the moment when the first entries are counted.
#[derive(Default)]
struct Begun(AtomicBool);

impl Observer for Begun {
    fn progress(&self, progress: &Progress) {
        self.0.fetch_or(progress.done > 0, Ordering::Relaxed);
    }
}

impl Watcher for Begun {}

#[test]
fn a_server_that_is_restarted_costs_nothing_but_time() {
    let server = Server::start();
    let ledger = kiwipete(database(&server.schema("restarted")));
    let begun = Begun::default();
    let total = thread::scope(|scope| {
        // The server is stopped before the work is over.
        let slow = slow(Mailbox::new(), Duration::from_millis(1));
        let work = scope.spawn(|| ledger.work(&mut [device(slow)], &options("patient"), &begun));
        for _ in 0..2 {
            let start = Instant::now();
            while !begun.0.swap(false, Ordering::Relaxed) {
                assert!(start.elapsed() < Duration::from_secs(60), "nothing was counted");
                thread::sleep(Duration::from_millis(5));
            }
            server.stop();
            thread::sleep(Duration::from_millis(300));
            server.begin();
        }
        work.join().unwrap()
    });
    let (total, snapshot) = total.unwrap();
    assert_eq!(total.leaves, KIWIPETE_4);
    assert!(snapshot.devices[0].entries <= 2038);
}

#[test]
fn a_server_that_stays_away_is_given_up() {
    let server = Server::start();
    let address = server.schema("gone");
    kiwipete(database(&address));
    let mut impatient = Postgres::connect(&address, LEASE, Duration::from_millis(200), || false).unwrap();
    let mut cancelled = Postgres::connect(&address, LEASE, Duration::from_secs(600), || true).unwrap();
    server.stop();
    let attempt = |store: &mut Postgres| store.lease("anyone", 1, Duration::from_secs(1)).unwrap_err();
    let (given_up, stopped) = (attempt(&mut impatient), attempt(&mut cancelled));
    assert!(matches!(given_up, LedgerError::Storage { .. }), "{given_up}");
    assert!(matches!(stopped, LedgerError::StoppedWaiting { .. }), "{stopped}");
    for error in [given_up, stopped] {
        assert!(error.to_string().contains("the database postgres on"), "{error}");
    }
    let unreachable = Postgres::connect(&address, LEASE, Duration::from_secs(600), || false).err().unwrap();
    assert!(unreachable.to_string().contains("failed when it was connected to"), "{unreachable}");
    server.begin();
    assert_eq!(impatient.lease("anyone", 1, Duration::from_secs(1)).unwrap().len(), 1);
}

#[test]
fn addresses_that_cannot_be_read_are_not_repeated() {
    for address in ["postgres://user:secret@host:port/x", "postgres://user:top@secret@host/x"] {
        let error = Postgres::connect(address, LEASE, Duration::ZERO, || false).err().unwrap();
        assert!(matches!(error, LedgerError::Address { .. }) && !error.to_string().contains("secret"), "{error}");
    }
}

#[test]
fn another_format_version_and_an_empty_database_are_told_apart() {
    let server = Server::start();
    let address = server.schema("version");
    let mut store = database(&address);
    assert_eq!(store.header(), Ok(None), "an empty database has no ledger");
    kiwipete(database(&address));
    store.record(&source("a"), &[]).unwrap();
    let mut client = postgres::Client::connect(&address, postgres::NoTls).unwrap();
    client.batch_execute("UPDATE kogge_ledger SET format = 999").unwrap();
    assert!(matches!(store.header(), Err(LedgerError::Format { found: 999, expected: 2, .. })));
}
