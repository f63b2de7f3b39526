//! Buffers that are no longer used, kept for later buffers of the same size.
//!
//! Some drivers take milliseconds to allocate or free a buffer, and a merge makes some sixty buffers. The next merge often needs buffers
//! of the same sizes.

use std::sync::{Arc, Mutex, PoisonError};

/// Spare buffers.
struct SpareBuffers<B> {
    /// The buffers with their sizes in bytes, the newest at the end.
    buffers: Vec<(u64, B)>,
    /// The maximum number of bytes in all spare buffers together.
    most: u64,
}

/// The spare buffers of a device. A buffer that becomes spare when it is dropped has a clone of this handle.
pub(crate) struct Spare<B>(Arc<Mutex<SpareBuffers<B>>>);

impl<B> Clone for Spare<B> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<B> Default for Spare<B> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(SpareBuffers { buffers: Vec::new(), most: 0 })))
    }
}

impl<B> Spare<B> {
    fn with<T>(&self, work: impl FnOnce(&mut SpareBuffers<B>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Sets the maximum number of bytes to keep. The oldest buffers are freed first.
    pub(crate) fn limit(&self, most: u64) {
        self.with(|kept| {
            kept.most = most;
            kept.shrink();
        });
    }

    /// Frees all buffers. Returns whether there were any.
    pub(crate) fn free(&self) -> bool {
        self.with(|kept| !std::mem::take(&mut kept.buffers).is_empty())
    }

    /// Takes a buffer of exactly this size, if there is one. If one buffer needs more than the limit for all spare buffers,
    /// memory may be short, and all spare buffers are freed.
    pub(crate) fn take(&self, bytes: u64) -> Option<B> {
        self.with(|kept| {
            if bytes > kept.most {
                kept.buffers.clear();
            }
            let found = kept.buffers.iter().rposition(|&(size, _)| size == bytes)?;
            Some(kept.buffers.remove(found).1)
        })
    }

    /// Keeps a buffer that is no longer used, unless it is too large.
    pub(crate) fn keep(&self, bytes: u64, buffer: B) {
        self.with(|kept| {
            if bytes <= kept.most {
                kept.buffers.push((bytes, buffer));
                kept.shrink();
            }
        });
    }
}

impl<B> SpareBuffers<B> {
    /// Frees the oldest buffers until the others are within the limit.
    fn shrink(&mut self) {
        let mut excess = self.buffers.iter().map(|(size, _)| size).sum::<u64>().saturating_sub(self.most);
        let mut freed = 0;
        while excess > 0 {
            let Some((size, _)) = self.buffers.get(freed) else { break };
            excess = excess.saturating_sub(*size);
            freed += 1;
        }
        self.buffers.drain(..freed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the buffers, oldest first.
    fn kept(spare: &Spare<char>) -> String {
        spare.with(|kept| kept.buffers.iter().map(|&(_, buffer)| buffer).collect())
    }

    #[test]
    fn buffers_of_the_same_size_are_found_and_the_oldest_are_freed() {
        let spare = Spare::default();
        spare.keep(1, 'a');
        assert_eq!(kept(&spare), "", "nothing is kept before there is a limit");
        spare.limit(10);
        for (bytes, buffer) in [(4, 'a'), (3, 'b'), (3, 'c'), (11, 'd')] {
            spare.keep(bytes, buffer);
        }
        assert_eq!(kept(&spare), "abc");
        assert_eq!((spare.take(3), spare.take(2)), (Some('c'), None));
        spare.keep(5, 'e');
        assert_eq!(kept(&spare), "be", "a was the oldest");
        spare.limit(7);
        assert_eq!(kept(&spare), "e");
        assert_eq!((spare.take(8), kept(&spare)), (None, String::new()), "memory may be short");
        spare.clone().keep(1, 'f');
        assert!(spare.free() && !spare.free());
    }
}
