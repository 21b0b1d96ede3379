//! A thread's equipment for calls: an instance, which no other thread uses, and a stack, because the host's threads may
//! have small ones. Both are kept for the thread's next call.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use corosensei::on_stack;
use corosensei::stack::DefaultStack;

use crate::forks;
use crate::instance::Instance;
use crate::module::{Loaded, STACK};
use crate::outcome::Failed;

/// The most bytes of memory that all idle instances have together. An instance that would exceed it is dropped, because
/// Wasm memory never shrinks.
const MOST_IDLE: usize = 256 << 20;

/// The part of a stack that the runtime itself needs.
const RUNTIME: usize = 256 << 10;

/// The bytes of memory that idle instances have, and how often the process was forked since its first ancestor.
static IDLE: AtomicUsize = AtomicUsize::new(0);
static FORKS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    // In a box, because it is taken and put back for each call.
    static SEAT: Cell<Option<Box<Seat>>> = const { Cell::new(None) };
}

struct Seat {
    stack: DefaultStack,
    /// `None` after a call that failed.
    instance: Option<Instance>,
    /// The part of [`IDLE`] that is this instance's, and the process that it was counted in.
    counted: usize,
    forks: usize,
}

/// Calls with this thread's instance, on its stack.
pub fn with<T>(loaded: &Loaded, call: impl FnOnce(&mut Instance) -> Result<T, Failed>) -> Result<T, Failed> {
    // If the thread is about to end, its thread-local place is gone: this call gets a seat of its own.
    let mut seat = match SEAT.try_with(Cell::take).ok().flatten() {
        Some(seat) => seat,
        None => Seat::new().map(Box::new).map_err(|error| Failed::panic(format!("cannot make a stack for the call: {error}")))?,
    };
    if seat.instance.is_none() {
        let _no_forks = forks::none_meanwhile();
        let instance = Instance::new(loaded);
        seat.instance = Some(instance.map_err(|error| Failed::panic(format!("cannot make a Wasm instance: {error:#}")))?);
    }
    let (stack, instance) = (&mut seat.stack, seat.instance.as_mut());
    let ended = match instance {
        Some(instance) => on_stack(stack, || call(instance)),
        None => Err(Failed::panic("there is no Wasm instance")),
    };
    match &ended {
        Ok(_) => seat.account(),
        // Its memory may hold taken locks and half-written values.
        Err(_) => seat.discard(),
    }
    let _ = SEAT.try_with(|place| place.set(Some(seat)));
    ended
}

impl Seat {
    fn new() -> std::io::Result<Seat> {
        let stack = DefaultStack::new(STACK + RUNTIME)?;
        Ok(Seat { stack, instance: None, counted: 0, forks: FORKS.load(Ordering::Relaxed) })
    }

    /// Counts the memory of the idle instance, or drops it.
    fn account(&mut self) {
        let bytes = self.instance.as_ref().map_or(0, Instance::bytes);
        if bytes == self.counted && self.forks == FORKS.load(Ordering::Relaxed) {
            return;
        }
        self.uncount();
        if IDLE.fetch_add(bytes, Ordering::Relaxed) + bytes > MOST_IDLE {
            IDLE.fetch_sub(bytes, Ordering::Relaxed);
            return self.discard();
        }
        self.counted = bytes;
    }

    fn uncount(&mut self) {
        let forks = FORKS.load(Ordering::Relaxed);
        // A child's count began at 0, without this instance's memory.
        if self.forks == forks {
            IDLE.fetch_sub(self.counted, Ordering::Relaxed);
        }
        self.counted = 0;
        self.forks = forks;
    }

    fn discard(&mut self) {
        self.uncount();
        if let Some(instance) = self.instance.take() {
            let _no_forks = forks::none_meanwhile();
            drop(instance);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.discard();
    }
}

/// Forgets other threads' instances. Called in a forked child, where those threads do not exist.
pub fn others_are_gone() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    IDLE.store(0, Ordering::Relaxed);
}
