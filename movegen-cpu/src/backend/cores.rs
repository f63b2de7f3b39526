//! The threads of the CPU backend and the code that they run.

use kogge_board::{BackendError, DeviceInfo, DeviceKind};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::lanes::code::Code;

/// The stack of a thread, in bytes. Without optimisation, a generator's registers all live on the stack, and the usual 2 MiB do not
/// suffice.
const STACK: usize = 8 << 20;

/// The number of tasks per thread in a batch: so many that the last tasks end at about the same time.
const TASKS_PER_THREAD: usize = 64;

/// A pool of threads, the variant of the code for this CPU, and a description of both.
#[derive(Debug)]
pub(super) struct Cores {
    pub(super) info: DeviceInfo,
    pub(super) pool: ThreadPool,
    pub(super) code: Code,
}

impl Cores {
    /// Starts `threads` threads, or one per core.
    pub(super) fn new(threads: Option<usize>, code: Code) -> Result<Self, BackendError> {
        let unavailable = |reason: String| BackendError::Unavailable { backend: "cpu", reason };
        if threads == Some(0) {
            return Err(unavailable("it needs at least one thread, and 0 were asked for.".into()));
        }
        let pool = ThreadPoolBuilder::new().thread_name(|index| format!("kogge-{index}")).stack_size(STACK);
        let pool = match threads {
            // WebAssembly starts no threads; the calling thread does all the work.
            _ if cfg!(target_family = "wasm") => pool.num_threads(1).use_current_thread(),
            threads => pool.num_threads(threads.unwrap_or(0)),
        };
        let pool = pool.build().map_err(|error| unavailable(format!("its threads could not be started ({error}).")))?;
        let threads = pool.current_num_threads();
        let info = DeviceInfo {
            backend: "cpu",
            name: format!("CPU, {threads} thread{}", if threads == 1 { "" } else { "s" }),
            driver: format!("kogge {}", env!("CARGO_PKG_VERSION")),
            kind: DeviceKind::Cpu,
            memory: None,
            batch: threads * TASKS_PER_THREAD,
            variant: code.name.into(),
            counts_diagrams: false,
        };
        Ok(Self { info, pool, code })
    }
}
