//! What the mailbox finds, for the next time: whenever a device is opened, its self-tests look at the same positions.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::position::View;

/// The most positions that are kept, of a few hundred bytes each.
const MOST: usize = 1 << 18;

/// Lists by position. Each test has its own, because each runs on its own thread.
pub(super) struct Memo<T>(RefCell<HashMap<View, Rc<[T]>>>);

impl<T> Memo<T> {
    pub(super) fn new() -> Self {
        Self(RefCell::default())
    }

    /// Returns the list of a position, found now or earlier.
    pub(super) fn get(&self, seen: &View, find: impl FnOnce(&View) -> Vec<T>) -> Rc<[T]> {
        if let Some(list) = self.0.borrow().get(seen) {
            return Rc::clone(list);
        }
        let list: Rc<[T]> = find(seen).into();
        let mut lists = self.0.borrow_mut();
        if lists.len() < MOST {
            lists.insert(*seen, Rc::clone(&list));
        }
        list
    }
}
