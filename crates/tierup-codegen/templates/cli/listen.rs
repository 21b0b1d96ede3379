//! Workers for hosts that can keep a connection but no process: a program that listens on a Unix socket and starts a
//! worker for each connection.
//!
//! In: the socket's path, in a folder that only its user can enter, and the caller's hash of the interface. `--tierup-listen`
//! serves as long as its parent lives. `--tierup-start` leaves a program in the background that ends when it was idle for
//! some time; whoever is called at the same time finds it.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::worker::{check_abi, refuse};

/// `--tierup-listen SOCKET ABI`.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    with_arguments(arguments, |socket, abi| {
        crate::worker::end_with_host();
        crate::inherited::close();
        let listener = system::listen(&socket)?;
        system::serve(&listener, &socket, &abi, system::Life::OfParent)
    })
}

/// `--tierup-start SOCKET ABI`.
pub fn start(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    with_arguments(arguments, |socket, abi| {
        // The server's own sockets, which the program in the background would keep open for ever.
        crate::inherited::close();
        system::start(&socket, &abi)
    })
}

/// `--tierup-background SOCKET ABI`, with the listening socket as standard input.
pub fn background(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    with_arguments(arguments, |socket, abi| {
        // Neither Ctrl-C nor the end of a terminal is this program's.
        system::leave_session();
        let listener = system::inherited()?;
        system::serve(&listener, &socket, &abi, system::Life::UntilIdle)
    })
}

fn with_arguments(
    mut arguments: impl Iterator<Item = OsString>,
    work: impl FnOnce(OsString, OsString) -> std::io::Result<()>,
) -> ExitCode {
    let (socket, abi) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    if let Err(reason) = check_abi(Some(abi.clone())) {
        return refuse(&reason);
    }
    match work(socket.clone(), abi) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&format!("{}: {error}", socket.display())),
    }
}

#[cfg(unix)]
mod system {
    use std::ffi::{OsStr, OsString};
    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsFd as _;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::process::{Child, Command, Stdio};
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::{FlockOperation, flock};

    /// How long the program in the background waits for the next connection.
    const IDLE: Duration = Duration::from_secs(10);

    /// How often ended workers are waited for.
    const ROUND: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

    /// How long to wait where a connection cannot be taken: it stays in the queue, so that `poll` would return at once.
    const PAUSE: Duration = Duration::from_millis(100);

    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Life {
        OfParent,
        UntilIdle,
    }

    /// A listening socket at a path without a listener.
    pub fn listen(socket: &OsStr) -> io::Result<UnixListener> {
        match fs::remove_file(socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => UnixListener::bind(socket),
        }
    }

    /// The one that `start` has made.
    pub fn inherited() -> io::Result<UnixListener> {
        Ok(UnixListener::from(rustix::stdio::stdin().try_clone_to_owned()?))
    }

    pub fn leave_session() {
        // Fails where it is not needed: in the first process of a session.
        let _ = rustix::process::setsid();
    }

    pub fn start(socket: &OsStr, abi: &OsStr) -> io::Result<()> {
        let _lock = lock(socket)?;
        if UnixStream::connect(socket).is_ok() {
            return Ok(());
        }
        let listener = listen(socket)?;
        Command::new(program()?)
            .arg("--tierup-background")
            .args([socket, abi])
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(listener)))
            .stdout(Stdio::null())
            .spawn()?;
        Ok(())
    }

    pub fn serve(listener: &UnixListener, socket: &OsStr, abi: &OsStr, life: Life) -> io::Result<()> {
        // A client may go away between `poll` and `accept`.
        listener.set_nonblocking(true)?;
        let program = program()?;
        let mut workers: Vec<Child> = Vec::new();
        let mut last = Instant::now();
        loop {
            let mut waiting = [PollFd::new(listener, PollFlags::IN)];
            match poll(&mut waiting, Some(&ROUND)) {
                Err(rustix::io::Errno::INTR) | Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            workers.retain_mut(|worker| matches!(worker.try_wait(), Ok(None)));
            if let Some(stream) = accepted(listener) {
                workers.extend(worker(&program, abi, stream));
                last = Instant::now();
            } else if !workers.is_empty() {
                last = Instant::now();
            } else if life == Life::UntilIdle && last.elapsed() > IDLE {
                // While the lock is held, no other program starts. A client that connects now is served, or starts one.
                let _lock = lock(socket)?;
                match accepted(listener) {
                    Some(stream) => workers.extend(worker(&program, abi, stream)),
                    None => return remove_own(listener, socket),
                }
            }
        }
    }

    fn accepted(listener: &UnixListener) -> Option<UnixStream> {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            Err(error) => {
                use io::ErrorKind::{ConnectionAborted, Interrupted, WouldBlock};
                if !matches!(error.kind(), WouldBlock | Interrupted | ConnectionAborted) {
                    // Too many open files, for instance.
                    thread::sleep(PAUSE);
                }
                return None;
            }
        };
        stream.set_nonblocking(false).ok()?;
        Some(stream)
    }

    /// A worker for a connection. If it cannot be started, the client sees the end of the connection, and standard error has
    /// the reason.
    fn worker(program: &OsStr, abi: &OsStr, stream: UnixStream) -> Option<Child> {
        let output = stream.try_clone().ok()?;
        let (input, output) = (std::os::fd::OwnedFd::from(stream), std::os::fd::OwnedFd::from(output));
        let mut command = Command::new(program);
        command.arg("--tierup-connection").arg(abi).stdin(input).stdout(output);
        match command.spawn() {
            Ok(worker) => Some(worker),
            Err(error) => {
                eprintln!("{}: no worker can be started: {error}", program.display());
                None
            }
        }
    }

    /// Removes the socket's file, unless it is another program's by now.
    fn remove_own(listener: &UnixListener, socket: &OsStr) -> io::Result<()> {
        let is_own = listener.local_addr()?.as_pathname().is_some_and(|path| path == socket);
        if is_own && UnixStream::connect(socket).is_ok() && accepted(listener).is_some() {
            fs::remove_file(socket)?;
        }
        Ok(())
    }

    /// By the path that this program was started by: a new build at that path serves new connections.
    fn program() -> io::Result<OsString> {
        std::env::args_os().next().ok_or_else(|| io::Error::other("this program does not know its own path"))
    }

    fn lock(socket: &OsStr) -> io::Result<File> {
        let mut path = socket.to_owned();
        path.push(".lock");
        let file = File::options().create(true).truncate(false).write(true).open(path)?;
        flock(file.as_fd(), FlockOperation::LockExclusive)?;
        Ok(file)
    }
}

#[cfg(not(unix))]
mod system {
    use std::ffi::OsStr;
    use std::io;

    pub enum Life {
        OfParent,
        UntilIdle,
    }

    pub struct Listener;

    pub fn listen(_: &OsStr) -> io::Result<Listener> {
        Err(io::Error::other("this system has no sockets with a path"))
    }

    pub fn inherited() -> io::Result<Listener> {
        listen(OsStr::new(""))
    }

    pub fn leave_session() {}

    pub fn start(_: &OsStr, _: &OsStr) -> io::Result<()> {
        listen(OsStr::new("")).map(|_| ())
    }

    pub fn serve(_: &Listener, _: &OsStr, _: &OsStr, _: Life) -> io::Result<()> {
        Ok(())
    }
}
