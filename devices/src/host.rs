//! The devices that always exist: the CPU backend and the mailbox, with one device each.

use std::num::NonZeroUsize;

use kogge_board::{Backend, BackendError, DeviceInfo, DeviceKind};
use kogge_movegen_cpu::Cpu;
use kogge_movegen_cpu::mailbox::Mailbox;

use crate::device::{BackendDevice, Listed, Request};

/// A device that must be opened before it can be described.
pub(crate) struct Host {
    pub(crate) kind: DeviceKind,
    pub(crate) open: fn(&Request) -> Result<Box<dyn Backend>, BackendError>,
}

impl BackendDevice for Host {
    fn kind(&self) -> DeviceKind {
        self.kind
    }

    fn is_usable(&self) -> bool {
        true
    }

    fn info(&self) -> Result<DeviceInfo, BackendError> {
        Ok((self.open)(&Request::default())?.info().clone())
    }

    fn open(&self, request: &Request) -> Result<Box<dyn Backend>, BackendError> {
        (self.open)(request)
    }
}

pub(crate) fn cpu() -> Listed {
    fn open(request: &Request) -> Result<Box<dyn Backend>, BackendError> {
        let threads = request.threads.map(NonZeroUsize::get);
        let mut cpu = match request.variant {
            Some(name) => Cpu::with_variant(threads, name)?,
            None => Cpu::new(threads)?,
        };
        cpu.set_hash(request.hash.map_or(0, NonZeroUsize::get))?;
        Ok(Box::new(cpu))
    }
    Ok(vec![Box::new(Host { kind: DeviceKind::Cpu, open })])
}

pub(crate) fn mailbox() -> Listed {
    Ok(vec![Box::new(Host { kind: DeviceKind::Cpu, open: |_| Ok(Box::new(Mailbox::new())) })])
}
