//! Runs a program whose output somebody waits for, within bounds of time and size. In: the command and the bounds. Out:
//! what it printed, and how it ended. The program has its own process group, and none of its processes is left.

use std::{
    io::Read,
    path::Path,
    process::{self, Stdio},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use tierup_codegen::Command;

use crate::{
    Result,
    output::{KEPT, each_line},
    process::{folder, not_started},
    tree::{Signal, Tree, ending},
};

/// After so long without a line on standard error, tierup checks whether the program has exited.
const LOOK_UP: Duration = Duration::from_millis(50);

/// What a program may take.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// After that, it is interrupted as Ctrl-C does.
    pub time: Duration,
    /// How long it may then take to end before it is killed.
    pub grace: Duration,
    /// How much of its standard output is kept, in bytes. The rest is read and counted.
    pub bytes: usize,
}

/// What a program has printed on standard output, and how it ended.
#[derive(Debug)]
pub struct Printed {
    /// Cut at [`Bounds::bytes`].
    pub output: Vec<u8>,
    /// All of it, in bytes.
    pub length: usize,
    /// Such as `exit code 2`; `None` if the program was successful.
    pub failure: Option<String>,
    pub was_late: bool,
}

/// Runs a command in `root`. `each` gets the lines of standard error as they come. If `is_over`, the program is
/// interrupted, as it is if it takes too long.
///
/// # Errors
/// The program does not start.
pub fn run_bounded(
    command: &Command,
    root: &Path,
    bounds: Bounds,
    mut each: impl FnMut(&str),
    is_over: impl Fn() -> bool,
) -> Result<Printed> {
    let mut process = process::Command::new(&command.program);
    process.args(&command.arguments).current_dir(folder(command, root)?).stdin(Stdio::null());
    process.stdout(Stdio::piped()).stderr(Stdio::piped());
    process.envs(command.environment.iter().map(|(name, value)| (name, value)));
    let failed = |error| not_started(&command.program, error);
    let mut tree = Tree::start(&mut process).map_err(failed)?;
    let deadline = Instant::now() + bounds.time;
    // A program that prints faster than it is read has to wait.
    let (send, lines) = mpsc::sync_channel(KEPT);
    if let Some(err) = tree.leader.stderr.take() {
        each_line(err, move |line| drop(send.send(line)));
    }
    let (read, output) = mpsc::channel();
    if let Some(mut out) = tree.leader.stdout.take() {
        thread::spawn(move || read.send(kept(&mut out, bounds.bytes)));
    }
    let mut killed_at = None;
    let mut was_late = false;
    let status = loop {
        match lines.recv_timeout(LOOK_UP) {
            Ok(line) => each(&line),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => thread::sleep(LOOK_UP),
        }
        if let Some(status) = tree.leader.try_wait().map_err(failed)? {
            break status;
        }
        let now = Instant::now();
        match killed_at {
            None if now >= deadline || is_over() => {
                was_late = now >= deadline;
                tree.ask_leader(Signal::Interrupt);
                killed_at = Some(now + bounds.grace);
            }
            Some(then) if now >= then => tree.kill_all(),
            _ => {}
        }
    };
    // Whatever it has started would hold the pipes open.
    tree.kill_all();
    lines.try_iter().for_each(|line| each(&line));
    let (output, length) = output.recv_timeout(bounds.grace).unwrap_or_default();
    let failure = (!status.success()).then(|| ending(status));
    Ok(Printed { output, length, failure, was_late })
}

/// The first `most` bytes of a stream, and its length.
fn kept(stream: &mut impl Read, most: usize) -> (Vec<u8>, usize) {
    let (mut kept, mut length, mut part) = (Vec::new(), 0, [0; 8192]);
    while let Ok(count @ 1..) = stream.read(&mut part) {
        let fits = count.min(most - kept.len());
        kept.extend_from_slice(&part[..fits]);
        length += count;
    }
    (kept, length)
}

#[cfg(all(test, unix))]
mod tests {
    use std::cell::RefCell;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// Runs a script, which is over at its first line on standard error.
    fn shell(script: &str, time: Duration, grace: Duration) -> (Printed, Vec<String>) {
        let command = Command::new("sh", ["-c", script]);
        let lines = RefCell::new(Vec::new());
        let each = |line: &str| lines.borrow_mut().push(line.to_owned());
        let is_over = || !lines.borrow().is_empty();
        let bounds = Bounds { time, grace, bytes: 5 };
        let printed = run_bounded(&command, Path::new("."), bounds, each, is_over).expect("it starts");
        (printed, lines.into_inner())
    }

    #[test]
    fn output_is_kept_up_to_a_bound_and_counted() {
        let (printed, lines) = shell("printf 1234567; trap '' INT; echo one >&2; echo two >&2; exit 3", LONG, LONG);
        assert_eq!((&printed.output[..], printed.length), (&b"12345"[..], 7));
        assert_eq!((printed.failure.as_deref(), printed.was_late), (Some("exit code 3"), false));
        assert_eq!(lines, ["one", "two"]);
    }

    #[test]
    fn whatever_is_over_may_say_what_it_has() {
        let script = "trap 'printf part; exit 130' INT; echo ready >&2; while :; do sleep 0.05; done";
        let (printed, _) = shell(script, LONG, LONG);
        assert_eq!((&printed.output[..], printed.failure.as_deref()), (&b"part"[..], Some("exit code 130")));
        assert!(!printed.was_late);
        let (printed, _) = shell("exec sleep 600", Duration::from_millis(100), LONG);
        assert!(printed.was_late && printed.failure.is_some());
    }

    #[test]
    fn whatever_does_not_end_is_killed_with_all_that_it_started() {
        let script = "trap '' INT; sleep 600 & echo $! >&2; wait; sleep 600";
        let (printed, lines) = shell(script, LONG, Duration::from_millis(100));
        assert_eq!(printed.failure.as_deref(), Some("signal 9"));
        assert!(!Path::new("/proc").join(&lines[0]).join("exe").exists() || cfg!(not(target_os = "linux")));
    }
}
