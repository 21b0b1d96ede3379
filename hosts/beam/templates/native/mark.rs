//! The mark of a rollout inside the process: a file that says whether the BEAM is in a call of this library. A call that
//! overflows its stack ends the BEAM, which can then report nothing; the next BEAM finds the file.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.
//!
//! A dirty scheduler finishes a call even if the calling process is killed, so each mark is taken back.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Whether there is a mark. Without a rollout, this is all that a call looks at.
static IS_MARKED: AtomicBool = AtomicBool::new(false);
static MARK: Mutex<Option<Arc<Mark>>> = Mutex::new(None);

struct Mark {
    file: File,
    /// How many calls are under way. A call may outlive its mark.
    calls: Mutex<usize>,
}

/// How often a mark is made to see how long that takes.
const TRIES: u32 = 100;

/// Creates the file of a new mark, with a text whose first byte is the mark. Without a path, calls are no longer marked.
/// Returns how long marking takes a call.
pub fn renew(path: Option<&[u8]>, text: &[u8]) -> io::Result<Duration> {
    IS_MARKED.store(false, Ordering::Relaxed);
    *lock(&MARK) = None;
    let Some(path) = path else { return Ok(Duration::ZERO) };
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(OsStr::from_bytes(path))?;
    file.write_all(text)?;
    *lock(&MARK) = Some(Arc::new(Mark { file, calls: Mutex::new(0) }));
    IS_MARKED.store(true, Ordering::Relaxed);
    let began = Instant::now();
    (0..TRIES).for_each(|_| drop(call()));
    Ok(began.elapsed() / TRIES)
}

/// A call that is under way until this is dropped.
pub struct Call(Arc<Mark>);

/// Marks a call, if there is a mark.
pub fn call() -> Option<Call> {
    if !IS_MARKED.load(Ordering::Relaxed) {
        return None;
    }
    let mark = lock(&MARK).clone()?;
    {
        let mut calls = lock(&mark.calls);
        *calls += 1;
        if *calls == 1 {
            mark.write(b"1");
        }
    }
    Some(Call(mark))
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut calls = lock(&self.0.calls);
        *calls -= 1;
        if *calls == 0 {
            self.0.write(b"0");
        }
    }
}

impl Mark {
    /// A disk that fails changes nothing for callers.
    fn write(&self, mark: &[u8]) {
        let _ = self.file.write_at(mark, 0);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
