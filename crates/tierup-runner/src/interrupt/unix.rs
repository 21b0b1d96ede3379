//! On Unix: a thread that waits for signals.

use std::{
    sync::{
        Once,
        atomic::{AtomicI32, AtomicUsize, Ordering::SeqCst},
    },
    thread,
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};

use crate::tree::Signal;

static WATCHES: AtomicUsize = AtomicUsize::new(0);
static ARRIVED: AtomicUsize = AtomicUsize::new(0);
static LAST: AtomicI32 = AtomicI32::new(0);

/// Counts the signals that arrive while it lives.
pub(crate) struct Watch {
    before: usize,
}

impl Watch {
    pub(crate) fn new() -> Watch {
        static THREAD: Once = Once::new();
        WATCHES.fetch_add(1, SeqCst);
        THREAD.call_once(|| {
            // Without the handlers, a signal ends tierup and leaves its children running, but tierup can work.
            if let Ok(signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) {
                thread::spawn(|| wait(signals));
            }
        });
        Watch { before: ARRIVED.load(SeqCst) }
    }

    /// How many signals have arrived so far.
    pub(crate) fn arrived(&self) -> usize {
        ARRIVED.load(SeqCst) - self.before
    }

    /// The last signal that arrived.
    pub(crate) fn signal(&self) -> Signal {
        match LAST.load(SeqCst) {
            SIGINT => Signal::Interrupt,
            _ => Signal::Terminate,
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHES.fetch_sub(1, SeqCst);
    }
}

fn wait(mut signals: Signals) {
    for signal in signals.forever() {
        if WATCHES.load(SeqCst) == 0 {
            // No watch is active, so there is nothing to clean up: the signal has its default effect.
            let _ = emulate_default_handler(signal);
        }
        LAST.store(signal, SeqCst);
        ARRIVED.fetch_add(1, SeqCst);
    }
}
