//! A thread with room for recursion.
//!
//! syn's parser is recursive and takes up to 60 KiB of stack for each level of nesting in a debug build, so 35 levels
//! use up the 2 MiB of a test's thread. [`outline`](crate::outline) limits the levels; this thread has room for them.

use crate::Sources;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::{io, panic, thread};

/// Room for five times the levels that are allowed. Only the part that is used takes memory.
const STACK: usize = 64 << 20;

/// Runs `work` on a thread of its own. `sources` are read on the caller's thread, so they need not be `Sync`.
pub(crate) fn with_room<T: Send>(sources: &dyn Sources, work: impl FnOnce(&dyn Sources) -> T + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let (ask, asked) = channel();
        let (answer, answers) = channel();
        let builder = thread::Builder::new().name("tierup-model".to_string()).stack_size(STACK);
        let worker = builder.spawn_scoped(scope, move || work(&Remote { ask, answers }))?;
        // Ends when the worker does, because the worker holds the other end of the channel.
        for path in asked {
            let path: String = path;
            if answer.send(sources.read(&path)).is_err() {
                break;
            }
        }
        worker.join().map_err(|payload| panic::resume_unwind(payload))
    })
}

/// Sources on another thread.
struct Remote {
    ask: Sender<String>,
    answers: Receiver<Option<String>>,
}

impl Sources for Remote {
    fn read(&self, path: &str) -> Option<String> {
        self.ask.send(path.to_string()).ok()?;
        self.answers.recv().ok()?
    }
}
