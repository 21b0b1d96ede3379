//! `ramp.sock`: the Unix socket through which commands reach a running judge. Only the folder's owner can use it.

use std::{
    fs::{self, File, Permissions},
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    os::{
        fd::{AsFd as _, AsRawFd as _},
        unix::{
            fs::PermissionsExt as _,
            net::{UnixListener, UnixStream},
        },
    },
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{
    Error, Result, State,
    command::{Command, Reply},
};

/// How long a client may take to send its command, and to read the answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long the judge may take. It looks at least once a second, and may be reading evidence.
const JUDGE: Duration = Duration::from_secs(30);
/// How soon the listener notices its end.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
/// The longest command, in bytes.
const LONGEST: u64 = 64;

/// A command that waits for its answer.
#[derive(Debug)]
pub struct PendingCommand {
    pub command: Command,
    reply: SyncSender<Reply>,
}

impl PendingCommand {
    pub fn answer(self, reply: Reply) {
        // The client may have left.
        let _ = self.reply.try_send(reply);
    }
}

/// Listens until it is dropped.
#[derive(Debug)]
pub struct Listener {
    path: PathBuf,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Listens in the folder. The caller holds the folder's lock, so an existing socket is an earlier judge's.
    ///
    /// # Errors
    /// If no socket can be made there.
    pub fn start(state: &State) -> Result<(Listener, Receiver<PendingCommand>)> {
        let path = state.socket();
        let at = || -> io::Result<UnixListener> {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let listener = at_short_path(&path, |path| UnixListener::bind(path))?;
            fs::set_permissions(&path, Permissions::from_mode(0o600))?;
            listener.set_nonblocking(true)?;
            Ok(listener)
        };
        let listener = at().map_err(Error::file("listen at", &path))?;
        let (asked, commands) = sync_channel(1);
        let end = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&end);
        let thread = thread::Builder::new().name("commands".into()).spawn(move || listen(&listener, &asked, &ends));
        let thread = Some(thread.map_err(Error::file("listen at", &path))?);
        Ok((Listener { path, end, thread }, commands))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.end.store(true, Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let _ = fs::remove_file(&self.path);
    }
}

fn listen(listener: &UnixListener, asked: &SyncSender<PendingCommand>, end: &AtomicBool) {
    while !end.load(Relaxed) {
        let mut waiting = [PollFd::from_borrowed_fd(listener.as_fd(), PollFlags::IN)];
        if poll(&mut waiting, Some(&LOOK)).is_err() {
            thread::sleep(Duration::from_millis(200));
        }
        if let Ok((stream, _)) = listener.accept() {
            // A client that breaks off harms only itself.
            let _ = serve(stream, asked, end);
        }
    }
}

fn serve(mut stream: UnixStream, asked: &SyncSender<PendingCommand>, end: &AtomicBool) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    BufReader::new((&stream).take(LONGEST)).read_line(&mut line)?;
    let command = match line.trim_end_matches('\n').parse::<Command>() {
        Ok(command) => command,
        Err(error) => return stream.write_all(format!("{error}\n").as_bytes()),
    };
    let (reply, answer) = sync_channel(1);
    if asked.try_send(PendingCommand { command, reply }).is_err() {
        return stream.write_all(b"the judge is busy\n");
    }
    let mut waited = Duration::ZERO;
    while waited < JUDGE && !end.load(Relaxed) {
        let look = Duration::from_millis(200);
        if let Ok(reply) = answer.recv_timeout(look) {
            let mut text = serde_json::to_string(&reply)?;
            text.push('\n');
            return stream.write_all(text.as_bytes());
        }
        waited += look;
    }
    stream.write_all(b"the judge did not answer\n")
}

/// Sends a command to the folder's judge; `None` if no judge runs.
///
/// # Errors
/// If the judge does not answer, or does not know the command.
pub fn ask(state: &State, command: Command) -> Result<Option<Reply>> {
    let path = state.socket();
    let asked = || -> io::Result<Option<String>> {
        let mut stream = match at_short_path(&path, |path| UnixStream::connect(path)) {
            Ok(stream) => stream,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        stream.set_read_timeout(Some(JUDGE + PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.write_all(format!("{command}\n").as_bytes())?;
        let mut answer = String::new();
        stream.take(1 << 20).read_to_string(&mut answer)?;
        Ok(Some(answer))
    };
    let Some(answer) = asked().map_err(Error::file("ask", &path))? else { return Ok(None) };
    let refused = |_| Error::file("ask", &path)(io::Error::other(answer.trim_end().to_owned()));
    serde_json::from_str(&answer).map(Some).map_err(refused)
}

/// A socket's address has at most 107 bytes, and projects' folders can be deeper: then the path leads through the open
/// folder.
fn at_short_path<T>(path: &Path, use_it: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    const LONGEST: usize = 100;
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return use_it(path) };
    if path.as_os_str().len() <= LONGEST {
        return use_it(path);
    }
    let folder = File::open(folder)?;
    use_it(&Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name))
}

#[cfg(test)]
mod tests {
    use tierup_rollout::{Phase, Weights};

    use super::*;
    use crate::command::Status;

    fn reply(refused: Option<String>) -> Reply {
        let status = Status {
            ramp: "3f2a9c01".into(),
            phase: Phase::Ramping,
            weights: Weights::with_twin("5%".parse().expect("a part")),
            elapsed: 12,
            proxies: 2,
            words: vec!["3 of 600 s at this step".into()],
            trouble: None,
            advice: None,
        };
        Reply { refused, status }
    }

    fn round_trip(state: &State) {
        assert_eq!(ask(state, Command::Status).expect("nobody to ask is no error"), None);
        let (listener, commands) = Listener::start(state).expect("it listens");
        let mode = fs::metadata(state.socket()).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        thread::scope(|scope| {
            scope.spawn(move || {
                for _ in 0..2 {
                    let asked = commands.recv_timeout(Duration::from_secs(60)).expect("a command");
                    let refused = (asked.command == Command::Resume).then(|| "it is not paused".to_owned());
                    asked.answer(reply(refused));
                }
            });
            // Clients that send nothing or too much do not block others.
            let silent = at_short_path(&state.socket(), |path| UnixStream::connect(path)).expect("it listens");
            drop(silent);
            let mut loud = at_short_path(&state.socket(), |path| UnixStream::connect(path)).expect("it listens");
            let _ = loud.write_all(&[b'x'; 4096]);
            let answer = ask(state, Command::To("25%".parse().expect("a part"))).expect("it answers");
            assert_eq!(answer, Some(reply(None)));
            let answer = ask(state, Command::Resume).expect("it answers").expect("it runs");
            assert_eq!(answer.refused.as_deref(), Some("it is not paused"));
        });
        drop(listener);
        assert_eq!(ask(state, Command::Status).expect("nobody to ask is no error"), None);
    }

    #[test]
    fn commands_are_answered_in_folders_of_any_depth() {
        let root = tempfile::tempdir().expect("there is room");
        for folder in [root.path().join("short"), root.path().join("deep/".repeat(40))] {
            let state = State::at(folder);
            state.make().expect("it can be made");
            round_trip(&state);
        }
    }

    #[test]
    fn the_socket_of_a_killed_judge_is_replaced() {
        let root = tempfile::tempdir().expect("there is room");
        let state = State::at(root.path().to_owned());
        drop(UnixListener::bind(state.socket()).expect("it listens"));
        assert!(state.socket().exists());
        round_trip(&state);
    }
}
