//! The clock that ends calls: a thread that advances the engine's epoch. A process starts its own at its first call.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use wasmtime::Engine;

use crate::forks;

/// A call ends at its 11th tick. Ten ticks make up its time-out, and a part of the first has passed when it begins.
pub const TICKS: u64 = 11;

/// A shorter pause would keep a processor busy.
const SHORTEST: Duration = Duration::from_micros(100);

static RUNS: AtomicBool = AtomicBool::new(false);

/// Starts this process's clock, unless it runs.
pub fn run(engine: &Engine, timeout: Duration) -> Result<(), String> {
    if RUNS.load(Ordering::Acquire) {
        return Ok(());
    }
    let _no_forks = forks::none_meanwhile();
    if RUNS.load(Ordering::Acquire) {
        return Ok(());
    }
    let (engine, pause) = (engine.clone(), (timeout / (TICKS as u32 - 1)).max(SHORTEST));
    let tick = move || {
        loop {
            thread::sleep(pause);
            engine.increment_epoch();
        }
    };
    let started = without_signals(|| thread::Builder::new().name("tierup-clock".to_owned()).spawn(tick));
    started.map_err(|error| format!("cannot start the clock of TIERUP_CALL_TIMEOUT: {error}"))?;
    RUNS.store(true, Ordering::Release);
    Ok(())
}

/// Called in a forked child, which does not have the parent's threads.
pub fn is_gone() {
    RUNS.store(false, Ordering::Release);
}

/// Starts a thread that gets no signals: the host handles its signals on its own threads.
#[cfg(unix)]
fn without_signals<T>(start: impl FnOnce() -> T) -> T {
    use std::mem::MaybeUninit;
    use std::ptr;

    let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: both are initialized by the functions that they are passed to.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let started = start();
    // SAFETY: the call above has stored the thread's signals here.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut()) };
    started
}

#[cfg(not(unix))]
fn without_signals<T>(start: impl FnOnce() -> T) -> T {
    start()
}
