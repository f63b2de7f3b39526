//! Lists of strays for reuse, because touching new memory takes longer than filling it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::backend::shard::Candidate;

/// Lists that tasks use one after the other. Tasks need lists of very different lengths, so a task gets the list that fits best,
/// and the total size of the lists is limited: otherwise each list would eventually grow to the greatest length.
pub(super) struct Spare {
    lists: Mutex<Lists>,
    /// The maximum total capacity of all lists, in candidates.
    most: usize,
}

#[derive(Default)]
struct Lists {
    by_capacity: BTreeMap<usize, Vec<Vec<Candidate>>>,
    /// The total capacity of all lists, in candidates.
    capacity: usize,
}

impl Spare {
    pub(super) fn new(most: u64) -> Self {
        Self { lists: Mutex::default(), most: usize::try_from(most).unwrap_or(usize::MAX) }
    }

    /// Returns an empty list: the smallest one with room for `len` candidates, or else the largest one.
    pub(super) fn take(&self, len: usize) -> Vec<Candidate> {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let Lists { by_capacity, capacity } = &mut *lists;
        let fitting = by_capacity.range(len..).next().or_else(|| by_capacity.last_key_value());
        let Some((&room, _)) = fitting else { return Vec::new() };
        let Some(equal) = by_capacity.get_mut(&room) else { return Vec::new() };
        let list = equal.pop().unwrap_or_default();
        if equal.is_empty() {
            by_capacity.remove(&room);
        }
        *capacity -= list.capacity();
        list
    }

    /// Keeps a list, unless the lists together become too large.
    pub(super) fn give_back(&self, mut list: Vec<Candidate>) {
        list.clear();
        let room = list.capacity();
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if room > 0 && room <= self.most - lists.capacity {
            lists.capacity += room;
            lists.by_capacity.entry(room).or_default().push(list);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_fit_and_do_not_grow_without_end() {
        let spare = Spare::new(1000);
        let mut held = Vec::new();
        for step in 0..10_000_usize {
            // Mostly short lists, and sometimes a long one.
            let len = if step % 37 == 0 { 600 } else { step % 50 };
            let mut list = spare.take(len);
            assert!(list.is_empty());
            list.reserve_exact(len);
            held.push(list);
            if held.len() == 20 {
                held.drain(..).for_each(|list| spare.give_back(list));
            }
            let lists = spare.lists.lock().expect("no thread failed");
            let sum: usize = lists.by_capacity.iter().map(|(room, lists)| room * lists.len()).sum();
            assert!(sum == lists.capacity && sum <= 1000, "{sum}");
        }
        let spare = Spare::new(1000);
        for room in [10, 20, 40] {
            spare.give_back(Vec::with_capacity(room));
        }
        assert_eq!([15, 30, 50, 1, 1].map(|len| spare.take(len).capacity()), [20, 40, 10, 0, 0]);
    }
}
