//! Running a short program that maps its standard input to its standard output.

use std::{
    io::{self, Read, Write as _},
    path::Path,
    process::{self, Stdio},
    thread,
    time::{Duration, Instant},
};

use tierup_codegen::Command;

use crate::{
    Error, Interrupts, Result,
    output::lines,
    process::{folder, not_started},
    tree::{Tree, ending},
};

/// Runs a short program with `input` on its standard input, and returns its standard output.
///
/// # Errors
/// The program is missing, fails (the error has its standard error output), or takes longer than `patience`.
/// [`Error::Interrupted`] if the user interrupts.
pub fn feed(
    command: &Command,
    root: &Path,
    input: &[u8],
    patience: Duration,
    interrupts: &Interrupts,
) -> Result<Vec<u8>> {
    feed_until(command, root, input, patience, u64::MAX, || interrupts.arrived())
}

/// Does the same, but asks `is_over` whether to give up, and keeps at most `kept` bytes of each output.
///
/// # Errors
/// As [`feed`], and [`Error::Interrupted`] if `is_over` returns true.
pub fn feed_until(
    command: &Command,
    root: &Path,
    input: &[u8],
    patience: Duration,
    kept: u64,
    is_over: impl Fn() -> bool,
) -> Result<Vec<u8>> {
    let mut process = process::Command::new(&command.program);
    let folder = folder(command, root)?;
    process.args(&command.arguments).current_dir(&folder);
    process.envs(command.environment.iter().map(|(name, value)| (name, value)));
    process.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut tree = Tree::start(&mut process).map_err(|error| not_started(&command.program, error))?;
    let (stdin, stdout, stderr) = (tree.leader.stdin.take(), tree.leader.stdout.take(), tree.leader.stderr.take());
    let input = input.to_vec();
    // Each stream has its own thread, so that a full pipe on one side does not block the other.
    thread::spawn(move || {
        // A program may answer without having read everything.
        let _ = stdin.map(|mut stdin| stdin.write_all(&input));
    });
    let (out, err) = (read(stdout, kept), read(stderr, kept));
    let deadline = Instant::now() + patience;
    let status = loop {
        match tree.leader.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if is_over() => return Err(Error::Interrupted),
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(1)),
            _ => break None,
        }
    };
    drop(tree);
    let name = command.to_string();
    let never_ended = || Error::NeverEnded { command: name.clone(), seconds: patience.as_secs(), output: vec![] };
    let Some(status) = status else { return Err(never_ended()) };
    // A process that left the group may live on and keep the streams open.
    let is_read = |thread: &thread::JoinHandle<_>| {
        while !thread.is_finished() && !is_over() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(1));
        }
        thread.is_finished()
    };
    if !status.success() {
        let output = if is_read(&err) { lines(&err.join().unwrap_or_default()) } else { vec![] };
        return Err(Error::Failed { command: name, folder, ending: ending(status), output });
    }
    match is_read(&out) {
        true => Ok(out.join().unwrap_or_default()),
        false if is_over() => Err(Error::Interrupted),
        false => Err(never_ended()),
    }
}

fn read(stream: Option<impl Read + Send + 'static>, kept: u64) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let (mut content, Some(mut stream)) = (Vec::new(), stream) else { return Vec::new() };
        // After an error, the content is what was read before it. Bytes beyond `kept` are read and dropped, so that the
        // program can go on.
        let _ =
            stream.by_ref().take(kept).read_to_end(&mut content).and_then(|_| io::copy(&mut stream, &mut io::sink()));
        content
    })
}
