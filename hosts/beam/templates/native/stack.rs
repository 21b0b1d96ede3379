//! A stack for calls. Dirty schedulers have 320 KB unless the BEAM is started with `+sssdcpu`, far less than the main
//! thread of a program. A call that works at tier 1 could overflow there, which would end the BEAM.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use std::cell::Cell;

use corosensei::on_stack;
use corosensei::stack::DefaultStack;

/// The usual size of a program's main stack. Only the used part takes memory.
const BYTES: usize = 8 << 20;

thread_local! {
    // The stack is kept for the thread's next call.
    static STACK: Cell<Option<DefaultStack>> = const { Cell::new(None) };
}

/// Makes a call on a stack of [`BYTES`], or on the scheduler's own if there is no memory for one.
///
/// The call must not use any function of the BEAM.
pub fn roomy<T>(call: impl FnOnce() -> T) -> T {
    let kept = STACK.try_with(Cell::take).ok().flatten();
    let Some(mut stack) = kept.or_else(|| DefaultStack::new(BYTES).ok()) else { return call() };
    let answer = on_stack(&mut stack, call);
    let _ = STACK.try_with(|place| place.set(Some(stack)));
    answer
}
