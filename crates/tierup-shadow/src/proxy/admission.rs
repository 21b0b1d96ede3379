//! Which mirrored requests reach control: those that are compared, and only so many at a time.

use std::{cell::Cell, rc::Rc};

use crate::copy::{NotCopied, Recording};

/// One thread's limit.
pub(crate) struct Admission {
    most: usize,
    under_way: Cell<usize>,
}

impl Admission {
    pub(crate) fn new(most: usize) -> Admission {
        Admission { most, under_way: Cell::new(0) }
    }

    /// Whether control is asked: only for a request that is copied, while few enough are under way.
    pub(super) fn admits(&self, copy: Option<&mut Recording>) -> bool {
        let Some(copy) = copy else { return false };
        if self.under_way.get() > self.most {
            copy.give_up(NotCopied::Busy);
        }
        copy.is_open()
    }
}

/// A request that is under way at control.
pub(super) struct Admitted(Rc<Admission>);

impl Admitted {
    pub(super) fn take(admission: &Rc<Admission>) -> Admitted {
        admission.under_way.update(|count| count + 1);
        Admitted(Rc::clone(admission))
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.0.under_way.update(|count| count - 1);
    }
}
