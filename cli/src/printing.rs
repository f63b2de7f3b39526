//! Whether an answer is being printed, or was.

use std::sync::Mutex;

/// The number of answers, or parts of an answer, that were printed. It is locked while one is printed.
pub(crate) static PRINTED: Mutex<u64> = Mutex::new(0);

/// Prints an answer. Meanwhile and afterwards, no signal ends kogge with a sentence that there is none.
pub(crate) fn printing<T>(print: impl FnOnce() -> T) -> T {
    let mut printed = PRINTED.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    *printed += 1;
    print()
}
