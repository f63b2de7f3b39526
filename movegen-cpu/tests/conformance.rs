//! The CPU backend and the mailbox, held against each other by the suite for all backends.

use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;

kogge_board::conformance!(cpu, Cpu::new(None).unwrap(), Mailbox::new(), leaves: 200_000_000);
kogge_board::conformance!(one_thread, Cpu::new(Some(1)).unwrap(), Mailbox::new(), leaves: 1_000_000);
kogge_board::conformance!(mailbox, Mailbox::new(), Cpu::new(None).unwrap(), leaves: 1_000_000);
