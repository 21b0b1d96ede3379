//! The ways to start a companion, and where it listens.
//!
//! In: the caller's hash of the interface and, except for the first way, the path of a socket in a folder that only its
//! user can enter. `--tierup-companion` prints the path of its own socket, and ends with its standard input.
//! `--tierup-listen` serves as long as its parent lives. `--tierup-start` starts a program in the background, which
//! ends after an idle time; simultaneous starts share one program.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::SystemTime;

use rustix::fs::{FlockOperation, flock};

use crate::companion::{Companion, Life};
use crate::worker::{check_abi, refuse};

/// Runs this program as the companion: `--tierup-companion ABI`, with the interface's hash that the caller expects.
pub fn companion(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let abi = arguments.next().unwrap_or_default();
    let socket = match own_socket() {
        Ok(socket) => socket,
        Err(error) => return refuse(&error.to_string()),
    };
    with_arguments([socket, abi].into_iter(), |socket, abi| {
        leave_group();
        let listener = listen(socket)?;
        let mut output = io::stdout();
        output.write_all(&[socket.as_bytes(), b"\n"].concat())?;
        output.flush()?;
        Companion::new(&listener, abi, Life::OfInput)?.serve();
        fs::remove_file(socket)
    })
}

/// `--tierup-listen SOCKET ABI`.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    with_arguments(arguments, |socket, abi| {
        crate::worker::end_with_host();
        let listener = listen(socket)?;
        Companion::new(&listener, abi, Life::OfParent)?.serve();
        Ok(())
    })
}

/// `--tierup-start SOCKET ABI`.
pub fn start(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    with_arguments(arguments, |socket, abi| {
        let _lock = lock(socket)?;
        if UnixStream::connect(socket).is_ok() {
            return Ok(());
        }
        let program = env::args_os().next().unwrap_or_default();
        let mut command = Command::new(program);
        command.arg("--tierup-background").args([socket, abi]).stdin(OwnedFd::from(listen(socket)?));
        command.stdout(Stdio::null()).spawn().map(|_| ())
    })
}

/// `--tierup-background SOCKET ABI`, with the listening socket as standard input.
pub fn background(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    with_arguments(arguments, |socket, abi| {
        leave_session();
        let listener = UnixListener::from(rustix::stdio::stdin().try_clone_to_owned()?);
        let mut companion = Companion::new(&listener, abi, Life::UntilIdle)?;
        loop {
            companion.serve();
            // No other program starts while the lock is held. A client that connects now is served, or starts one.
            let _lock = lock(socket)?;
            if !companion.accept() {
                return remove_own(&listener, socket);
            }
        }
    })
}

fn with_arguments(
    mut arguments: impl Iterator<Item = OsString>,
    work: impl FnOnce(&OsStr, &OsStr) -> io::Result<()>,
) -> ExitCode {
    // Otherwise this program would keep the server's own sockets open.
    crate::inherited::close();
    let (socket, abi) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    if let Err(reason) = check_abi(Some(abi.clone())) {
        return refuse(&reason);
    }
    match work(&socket, &abi) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&format!("{}: {error}", socket.display())),
    }
}

/// Ctrl-C in a terminal must not end a companion: its server still needs the answers of running calls. A new session
/// would also detach it, but Linux first divides processor time among sessions (autogroup), so that on a busy machine a
/// server would wait longer for its workers (docs/decisions/0076-the-companion.md of tierup).
fn leave_group() {
    // Fails for the first process of a session, which does not need it.
    let _ = rustix::process::setpgid(None, None);
}

/// For a companion that outlives its server: it must not end with the server's terminal.
fn leave_session() {
    // Fails for the first process of a session, which does not need it.
    let _ = rustix::process::setsid();
}

/// A path that no other companion uses, not even one in a container with the same process ids.
fn own_socket() -> io::Result<OsString> {
    let user = rustix::process::geteuid().as_raw();
    let folder = env::temp_dir().join(format!("tierup-{user}"));
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    // Anybody who can reach the socket can make calls.
    let found = fs::symlink_metadata(&folder)?;
    if !found.is_dir() || found.uid() != user || found.mode() & 0o077 != 0 {
        let words = "must be a folder that only this user can enter (mode 700), and is not";
        return Err(io::Error::other(format!("{} {words}", folder.display())));
    }
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
    Ok(folder.join(format!("{}-{now:x}.sock", std::process::id())).into_os_string())
}

/// Listens at a path without a listener. The path appears only once the socket listens, so clients can connect.
fn listen(socket: &OsStr) -> io::Result<UnixListener> {
    let unheard = Path::new(socket).with_file_name(format!(".{:x}", std::process::id()));
    match fs::remove_file(&unheard) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(&unheard)?;
    fs::rename(&unheard, socket)?;
    Ok(listener)
}

/// Removes the socket's file, unless it belongs to another program by now.
fn remove_own(listener: &UnixListener, socket: &OsStr) -> io::Result<()> {
    if UnixStream::connect(socket).is_ok() && listener.accept().is_ok() {
        fs::remove_file(socket)?;
    }
    Ok(())
}

fn lock(socket: &OsStr) -> io::Result<File> {
    let mut path = socket.to_owned();
    path.push(".lock");
    let file = File::options().create(true).truncate(false).write(true).open(path)?;
    flock(file.as_fd(), FlockOperation::LockExclusive)?;
    Ok(file)
}
