//! Lines for standard error, which nobody may be reading: a thread of its own writes them.
//!
//! A line that finds no room is dropped and counted: a pipe that is full must not hold a thread that serves.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write as _};
use std::panic;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

/// The most bytes that wait to be written.
const ROOM: usize = 1 << 20;

/// How long a panic waits for its message to be written: it may be the last thing that this process says.
const PANIC: Duration = Duration::from_millis(100);

static WRITER: OnceLock<Sender<Message>> = OnceLock::new();
static WAITING: AtomicUsize = AtomicUsize::new(0);
static DROPPED: AtomicU64 = AtomicU64::new(0);

enum Message {
    Line(String),
    /// To be answered when everything before it is written.
    Flush(Sender<()>),
}

/// Starts the thread. Panics are reported through it, too.
pub fn start() -> io::Result<()> {
    let (sender, receiver) = channel();
    thread::Builder::new().name("stderr".to_owned()).spawn(move || write_all(receiver))?;
    // Whoever is second has the same.
    let _ = WRITER.set(sender);
    panic::set_hook(Box::new(|info| {
        let backtrace = Backtrace::capture();
        let thread = thread::current();
        let name = thread.name().unwrap_or("<unnamed>");
        line(match backtrace.status() {
            BacktraceStatus::Captured => format!("thread '{name}' {info}\n{backtrace}"),
            _ => format!("thread '{name}' {info}"),
        });
        flush(PANIC);
    }));
    Ok(())
}

/// Writes a line, if there is room for it.
pub fn line(mut text: String) {
    text.push('\n');
    let Some(writer) = WRITER.get() else { return write(&text) };
    let size = text.len();
    if WAITING.fetch_add(size, Ordering::Relaxed) + size > ROOM {
        WAITING.fetch_sub(size, Ordering::Relaxed);
        DROPPED.fetch_add(1, Ordering::Relaxed);
        return;
    }
    // The writer lives as long as the process.
    let _ = writer.send(Message::Line(text));
}

/// Waits until all lines are written, but not for long.
pub fn flush(most: Duration) {
    let (sender, receiver) = channel();
    if let Some(writer) = WRITER.get()
        && writer.send(Message::Flush(sender)).is_ok()
    {
        let _ = receiver.recv_timeout(most);
    }
}

fn write_all(messages: Receiver<Message>) {
    for message in messages {
        match message {
            Message::Line(text) => {
                write(&text);
                WAITING.fetch_sub(text.len(), Ordering::Relaxed);
            }
            // Nobody may wait for it any more.
            Message::Flush(done) => drop(done.send(())),
        }
        let dropped = DROPPED.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            write(&format!("{{\"dropped_lines\":{dropped}}}\n"));
        }
    }
}

/// In one piece, so that lines of several threads do not mix. Standard error may be closed: there is nobody to tell.
fn write(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
