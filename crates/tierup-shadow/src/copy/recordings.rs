//! One thread's copies that are being made, so that those which take too long can be given up.

use std::{
    cell::{Cell, RefCell},
    rc::{Rc, Weak},
};

use super::{Recording, longest::Longest};

/// How many are kept before those that have ended are looked for.
const FEW: usize = 64;

/// A list that stays within twice the number of copies under way: an entry keeps its recording's memory, even where the
/// recording has ended.
pub(super) struct Recordings {
    list: RefCell<Vec<Weak<RefCell<Recording>>>>,
    most: Cell<usize>,
}

impl Recordings {
    pub(super) fn new() -> Recordings {
        Recordings { list: RefCell::default(), most: Cell::new(FEW) }
    }

    pub(super) fn add(&self, recording: &Rc<RefCell<Recording>>) {
        let mut list = self.list.borrow_mut();
        if list.len() >= self.most.get() {
            list.retain(|recording| recording.strong_count() > 0);
            self.most.set(FEW.max(2 * list.len()));
        }
        list.push(Rc::downgrade(recording));
    }

    /// Gives up those that take too long. To be called now and then.
    pub(super) fn sweep(&self, longest: &Longest) {
        self.list
            .borrow_mut()
            .retain(|recording| recording.upgrade().is_some_and(|recording| recording.borrow_mut().sweep(longest)));
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.list.borrow().len()
    }
}
