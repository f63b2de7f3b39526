//! A GPU interface on the CPU: the twin of OpenCL and wgpu.
//!
//! Each kernel corresponds to a function of the same name, in a file of the same name, that reads and writes the same
//! bytes. The functions are simple and slow, and find moves with the [`mailbox`](kogge_movegen_cpu::mailbox). With the
//! twin,
//!
//! * the host of `kogge-gpu` is tested without a driver: [`TwinDevice`] is a device of [`Gpu`](kogge_gpu::Gpu);
//! * no access outside a buffer goes unnoticed: the twin panics, and names the kernel and the buffer, if a kernel reads or
//!   writes beyond a buffer, reads a word that was never written, writes a buffer that it should only read, or writes a
//!   buffer that is bound twice;
//! * tests order failures at any call ([`Control`]).

mod arguments;
mod categories;
mod closed_form;
mod control;
mod count;
mod depth_first;
mod device;
mod diagrams;
mod generate;
mod make;
mod memo;
mod merge;
mod minimax;
mod perft;
mod position;
mod range;
mod scan;
mod shards;
mod unordered;

use std::cell::RefCell;
use std::time::Duration;

use kogge_gpu::interface::{Compilation, Launch};
use kogge_gpu::kernels::{Kernel, Module};
use kogge_gpu::{Failure, GpuSettings, Interface};

use arguments::Arguments;

pub use control::Control;
pub use device::{Queues, TwinDevice};

/// A buffer of 32-bit words that records which words have been written.
pub struct TwinBuffer {
    name: &'static str,
    words: RefCell<Vec<Option<u32>>>,
    bytes: u64,
    control: Control,
}

impl TwinBuffer {
    /// Panics unless `bytes` bytes from `offset` on are whole words of the buffer.
    fn check(&self, what: &str, offset: u64, bytes: u64) {
        assert!(
            offset.is_multiple_of(4) && bytes.is_multiple_of(4) && offset + bytes <= self.bytes,
            "The host {what} {bytes} bytes at {offset} of the buffer {} of {} bytes.",
            self.name,
            self.bytes
        );
    }
}

impl Drop for TwinBuffer {
    fn drop(&mut self) {
        self.control.free(self.bytes);
    }
}

/// The interface of the twin.
pub struct Twin {
    settings: GpuSettings,
    queues: Queues,
    modules: Vec<Module>,
    control: Control,
}

impl Twin {
    pub(crate) fn new(settings: GpuSettings, queues: Queues, control: Control) -> Self {
        Self { settings, queues, modules: Vec::new(), control }
    }
}

impl Interface for Twin {
    type Buffer = TwinBuffer;

    async fn make(&mut self, name: &'static str, bytes: u64) -> Result<TwinBuffer, Failure> {
        self.control.call()?;
        assert!(bytes > 0 && bytes.is_multiple_of(4), "The host makes the buffer {name} of {bytes} bytes.");
        assert!(bytes <= self.settings.max_buffer, "The host makes the buffer {name} of {bytes} bytes.");
        self.control.take(bytes, self.settings.device_memory)?;
        let words = RefCell::new(vec![None; (bytes / 4) as usize]);
        Ok(TwinBuffer { name, words, bytes, control: self.control.clone() })
    }

    fn reuse(&mut self, buffer: &mut TwinBuffer, name: &'static str) {
        buffer.name = name;
        buffer.words.get_mut().fill(None);
    }

    fn write(&mut self, buffer: &TwinBuffer, bytes: &[u8]) -> Result<(), Failure> {
        self.control.call()?;
        buffer.check("writes", 0, bytes.len() as u64);
        for (word, bytes) in buffer.words.borrow_mut().iter_mut().zip(bytes.as_chunks().0) {
            *word = Some(u32::from_le_bytes(*bytes));
        }
        Ok(())
    }

    async fn read(&mut self, buffer: &TwinBuffer, offset: u64, bytes: &mut [u8]) -> Result<(), Failure> {
        self.control.call()?;
        buffer.check("reads", offset, bytes.len() as u64);
        let words = buffer.words.borrow();
        for (index, bytes) in (offset as usize / 4..).zip(bytes.as_chunks_mut().0) {
            let word = words[index];
            let name = buffer.name;
            *bytes = word
                .unwrap_or_else(|| {
                    panic!("The host reads word {index} of the buffer {name}, which nobody has written.")
                })
                .to_le_bytes();
        }
        Ok(())
    }

    fn clear(&mut self, buffer: &TwinBuffer, bytes: u64) -> Result<(), Failure> {
        self.control.call()?;
        buffer.check("clears", 0, bytes);
        buffer.words.borrow_mut()[..(bytes / 4) as usize].fill(Some(0));
        Ok(())
    }

    async fn compile(&mut self, modules: &[Module]) -> Result<Compilation, Failure> {
        self.control.call()?;
        self.modules.extend(modules);
        Ok(Compilation::default())
    }

    fn forget(&mut self, module: Module) {
        self.modules.retain(|&compiled| compiled != module);
    }

    unsafe fn launch(&mut self, launch: &Launch<'_, TwinBuffer>) -> Result<(), Failure> {
        self.control.call()?;
        let signature = launch.kernel.signature();
        assert!(self.modules.contains(&signature.module), "The kernel {} is not compiled.", signature.name);
        self.control.note(launch.kernel);
        let arguments = Arguments::new(launch, &self.settings, self.queues);
        run(&arguments);
        self.control.corrupt_after(&arguments);
        Ok(())
    }

    async fn finish(&mut self) -> Result<Option<Duration>, Failure> {
        self.control.call()?;
        Ok(None)
    }
}

fn run(arguments: &Arguments<'_>) {
    match arguments.kernel {
        Kernel::Upload => position::upload(arguments),
        Kernel::Count => count::count(arguments),
        Kernel::Scan => scan::scan(arguments),
        Kernel::WriteMoves => generate::write_moves(arguments),
        Kernel::Make => make::make(arguments),
        Kernel::MakeQuads => make::make_quads(arguments),
        Kernel::ClosedForm => closed_form::closed_form(arguments),
        Kernel::CountReplies => perft::count_replies(arguments),
        Kernel::LoadEntries => merge::load_entries(arguments),
        Kernel::SelectEntries => merge::select_entries(arguments),
        Kernel::DropOthers => merge::drop_others(arguments),
        Kernel::CountByOpponent => merge::count_by_opponent(arguments),
        Kernel::OrderByOpponent => merge::order_by_opponent(arguments),
        Kernel::LoadOrdered => merge::load_ordered(arguments),
        Kernel::Insert => merge::insert(arguments),
        Kernel::InsertSorted => merge::insert_sorted(arguments),
        Kernel::Append => merge::append(arguments),
        Kernel::NoteAppended => merge::note_appended(arguments),
        Kernel::WeightedSums => merge::weighted_sums(arguments),
        Kernel::CountDiagrams => diagrams::count_diagrams(arguments),
        Kernel::CountShards => shards::count_shards(arguments),
        Kernel::ScanShards => shards::scan_shards(arguments),
        Kernel::SortByShard => shards::sort_by_shard(arguments),
        Kernel::ClassifyMoves => categories::classify_moves(arguments),
        Kernel::ClassifyItems => categories::classify_items(arguments),
        Kernel::ExpandUnordered => unordered::expand_unordered(arguments),
        Kernel::ExpandItems => unordered::expand_items(arguments),
        Kernel::DepthFirst => depth_first::depth_first(arguments),
        Kernel::Evaluate => minimax::evaluate(arguments),
        Kernel::Quiesce => minimax::quiesce(arguments),
        Kernel::BackUp => minimax::back_up(arguments),
    }
}

#[cfg(test)]
mod tests {
    use kogge_gpu::{Device, GpuOptions};

    use super::*;

    #[test]
    fn a_buffer_that_is_used_anew_has_no_contents() {
        let settings = TwinDevice::default().settings(&GpuOptions::default()).unwrap();
        let mut twin = Twin::new(settings, Queues::default(), Control::default());
        twin.control.take(8, 8).unwrap();
        let words = RefCell::new(vec![None; 2]);
        let mut buffer = TwinBuffer { name: "slots", words, bytes: 8, control: twin.control.clone() };
        twin.write(&buffer, &[1; 8]).unwrap();
        assert_eq!(*buffer.words.borrow(), [Some(0x0101_0101); 2]);
        twin.reuse(&mut buffer, "sums");
        assert_eq!((buffer.name, buffer.words.take()), ("sums", vec![None; 2]));
    }
}
