//! The suite for all backends compares the CPU backend, in all its variants, with the mailbox, and one thread with all threads.

use kogge_board::{Backend, BackendError};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;

use crate::variants::Variants;

kogge_testkit::conformance!(one_thread, Cpu::new(Some(1)).unwrap(), Cpu::new(None).unwrap(), leaves: 1_000_000);
kogge_testkit::conformance!(every_variant, Variants::new(None), Mailbox::new(), leaves: 20_000_000);

/// The parts of the suite that compare the mailbox with something else than the CPU backend, with which `every_variant` compares it.
mod mailbox {
    use super::{Cpu, Mailbox};
    use kogge_testkit::conformance;

    #[test]
    fn published_counts() {
        conformance::published_counts(&mut Mailbox::new(), 1_000_000);
    }

    #[test]
    fn published_kinds_of_moves() {
        conformance::kinds_of_moves(&mut Mailbox::new());
    }

    #[test]
    fn trivial_batches() {
        conformance::trivial_batches(&mut Mailbox::new());
    }

    #[test]
    fn merged_plies() {
        conformance::merged_plies(&mut Mailbox::new(), &mut Cpu::new(None).unwrap());
    }

    #[test]
    fn merging_without_room() {
        conformance::merging_without_room(&mut Mailbox::new());
    }
}

#[test]
fn variants_have_names() {
    let variants = Cpu::variants();
    assert_eq!(variants[0], "portable");
    for name in &variants {
        let cpu = Cpu::with_variant(Some(1), name).unwrap();
        assert_eq!(cpu.info().variant, *name);
    }
    let Err(error) = Cpu::with_variant(Some(1), "abacus") else { panic!("there is no such variant") };
    assert!(matches!(error, BackendError::Unavailable { backend: "cpu", .. }));
    let (text, names) = (error.to_string(), variants.join(", "));
    assert!(text.contains("\"abacus\"") && text.contains(&names), "{text}");
}

#[test]
fn every_variant_merges_the_same() {
    for name in Cpu::variants() {
        let mut cpu = Cpu::with_variant(None, name).unwrap();
        kogge_testkit::conformance::merged_plies(&mut cpu, &mut Cpu::with_variant(None, "portable").unwrap());
    }
}
