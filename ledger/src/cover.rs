//! The check that the ranges of a ledger cover all keys exactly once.

use kogge_board::merge::{Key, KeyRange};

use crate::{Item, LedgerEntry};

/// The keys that the entries so far cover.
#[derive(Default)]
pub(super) struct Cover {
    /// The number and the range of the previous entry.
    last: Option<(u64, KeyRange)>,
}

impl Cover {
    /// Adds the next entry. Entries of positions are ignored.
    ///
    /// # Errors
    /// A description of a gap or an overlap before the entry.
    pub(super) fn add(&mut self, entry: &LedgerEntry) -> Result<(), String> {
        let &LedgerEntry { id, item: Item::Range(range) } = entry else { return Ok(()) };
        let (number, follows) = match self.last {
            None => (0, range.first == Key::MIN),
            Some((number, last)) => (number + 1, last.last < range.first && range.first.before() == last.last),
        };
        if id != number || !follows || range.first > range.last {
            return Err(format!("the range of entry {id} does not follow the one before it"));
        }
        self.last = Some((id, range));
        Ok(())
    }

    /// Checks that no keys are left after the last entry.
    ///
    /// # Errors
    /// A description of the gap.
    pub(super) fn end(&self) -> Result<(), String> {
        match self.last {
            Some((id, range)) if range.last != Key::MAX => Err(format!("no range follows entry {id}, the last one")),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(ranges: &[(Key, Key)]) -> Result<(), String> {
        let mut cover = Cover::default();
        for (id, &(first, last)) in (0..).zip(ranges) {
            cover.add(&LedgerEntry { id, item: Item::Range(KeyRange { first, last }) })?;
        }
        cover.end()
    }

    #[test]
    fn gaps_and_overlaps_are_found() {
        let key = |own| Key { pawns: [own, 0], hash: 0 };
        let (a, b) = (key(5), key(9));
        assert_eq!(covered(&[(Key::MIN, Key::MAX)]), Ok(()));
        assert_eq!(covered(&[(Key::MIN, a.before()), (a, b.before()), (b, Key::MAX)]), Ok(()));
        for wrong in [
            &[(a, Key::MAX)][..],
            &[(Key::MIN, a)],
            &[(Key::MIN, a), (a, Key::MAX)],
            &[(Key::MIN, a.before()), (b, Key::MAX)],
            &[(Key::MIN, Key::MAX), (Key::MIN, Key::MAX)],
            &[(Key::MIN, a.before()), (a, key(4)), (b, Key::MAX)],
        ] {
            assert!(covered(wrong).is_err(), "{wrong:?}");
        }
    }
}
