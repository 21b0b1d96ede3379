//! Lines for standard error, written by a thread of their own, because the pipe may have no reader.
//!
//! A line without room is dropped and counted, and a long one is cut: a full pipe must block neither a serving thread
//! nor the end of the process.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write as _};
use std::panic;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

/// The most bytes that wait to be written.
const ROOM: usize = 1 << 20;

/// The most bytes of one message.
const LONGEST: usize = 256 << 10;

/// How long a panic waits for its message to be written: it may be the last thing that this process says.
const PANIC: Duration = Duration::from_millis(100);

static WRITER: OnceLock<Sender<Message>> = OnceLock::new();
static WAITING: AtomicUsize = AtomicUsize::new(0);
static DROPPED: AtomicU64 = AtomicU64::new(0);

static WRITTEN: Progress = Progress::new();

/// The writer's progress, and whether a wait for it timed out without any.
pub struct Progress {
    messages: AtomicU64,
    /// The value of `messages` before a wait that timed out, plus one.
    stuck_at: AtomicU64,
}

impl Progress {
    pub const fn new() -> Self {
        Progress { messages: AtomicU64::new(0), stuck_at: AtomicU64::new(0) }
    }

    pub fn now(&self) -> u64 {
        self.messages.load(Ordering::SeqCst)
    }

    pub fn advance(&self) {
        self.messages.fetch_add(1, Ordering::SeqCst);
    }

    /// A wait that began at `before` timed out. If the writer has advanced since, it is not stuck.
    pub fn waited_in_vain(&self, before: u64) {
        self.stuck_at.store(before + 1, Ordering::SeqCst);
    }

    pub fn is_stuck(&self) -> bool {
        self.stuck_at.load(Ordering::SeqCst) == self.now() + 1
    }
}

enum Message {
    Line(String),
    /// Answered when everything before it is written.
    Flush(Sender<()>),
}

/// Starts the thread. Panics are reported through it, too.
pub fn start() -> io::Result<()> {
    let (sender, receiver) = channel();
    thread::Builder::new().name("stderr".to_owned()).spawn(move || write_all(receiver))?;
    // A second call changes nothing.
    let _ = WRITER.set(sender);
    panic::set_hook(Box::new(|info| {
        let backtrace = Backtrace::capture();
        let thread = thread::current();
        let name = thread.name().unwrap_or("<unnamed>");
        line(match backtrace.status() {
            BacktraceStatus::Captured => format!("thread '{name}' {info}\n{backtrace}"),
            _ => format!("thread '{name}' {info}"),
        });
        // If the writer is stuck, the pipe has no reader, and waiting would block this thread for nothing.
        if !WRITTEN.is_stuck() {
            flush(PANIC);
        }
    }));
    Ok(())
}

/// Writes a line, if there is room for it.
pub fn line(mut text: String) {
    cut(&mut text);
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
    let before = WRITTEN.now();
    if let Some(writer) = WRITER.get()
        && writer.send(Message::Flush(sender)).is_ok()
        && receiver.recv_timeout(most) == Err(RecvTimeoutError::Timeout)
    {
        WRITTEN.waited_in_vain(before);
    }
}

/// Shortens a message that is too long, and says by how much.
fn cut(text: &mut String) {
    if text.len() <= LONGEST {
        return;
    }
    let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    let left_out = text.len() - end;
    text.truncate(end);
    text.push_str(&format!(" [{left_out} more bytes]"));
}

fn write_all(messages: Receiver<Message>) {
    for message in messages {
        match message {
            Message::Line(text) => {
                write(&text);
                WAITING.fetch_sub(text.len(), Ordering::Relaxed);
            }
            Message::Flush(done) => {
                // The waiting thread may have given up.
                let _ = done.send(());
            }
        }
        WRITTEN.advance();
        let dropped = DROPPED.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            write(&format!("{{\"dropped_lines\":{dropped}}}\n"));
        }
    }
}

/// Writes a line in one piece, so that lines of several threads do not mix. Ignores errors: the pipe may be closed.
fn write(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}
