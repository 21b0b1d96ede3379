//! A long-lived process that answers frames, one after the other.
//!
//! On start it writes the hash of its interface. A request is its length, the function's number (both
//! little-endian `u32`; the length counts what follows it) and the arguments; an answer is its length and its bytes.
//! The end of standard input is the end of the process.
//!
//! If the highest bit of the function's number is set, a sequence number (`u64`) follows it, and the answer begins with
//! the same number. A host uses this to recognise its own answers on a connection that outlives its requests.

#[cfg(unix)]
use std::ffi::OsStr;
use std::ffi::OsString;
use std::io::{self, BufReader, Read as _, Write as _};
#[cfg(unix)]
use std::os::unix::{ffi::OsStrExt as _, net::UnixStream};
use std::process::ExitCode;
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(unix)]
use crate::pipes::Pipes;

/// A buffer that has grown beyond this is given back after the call.
const KEPT: usize = 1 << 20;

/// The bit of a function's number that announces a sequence number.
const NUMBERED: u32 = 1 << 31;

/// In place of a function, a host may ask once for pipes that carry all that follows. The answer is the pipes' name, or
/// empty if there are none.
const PIPES: u32 = NUMBERED - 1;

/// In place of a function, a host may ask once, on a connection of its own, for a shadow. The rest of the request names
/// the folder for evidence. The answer is empty.
const SHADOW: u32 = NUMBERED - 2;

/// On a shadow's connection: the host's counts follow.
pub const COUNTS: u32 = NUMBERED - 3;

/// Why requests are no longer answered.
enum Left {
    Ended,
    /// Pipes were asked for.
    ForPipes,
    /// A shadow was asked for, with this folder.
    ForShadow(Vec<u8>),
}

/// How the frames travel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// `--tierup-worker ABI`: by standard input and output.
    Pipes,
    /// `--tierup-connection ABI`: over a connection that the companion hands over through the socket on standard input.
    #[cfg(unix)]
    Connection,
}

pub fn run(mut arguments: impl Iterator<Item = OsString>, way: Way) -> ExitCode {
    if let Err(reason) = check_abi(arguments.next()) {
        return refuse(&reason);
    }
    match serve(way) {
        Ok(()) => ExitCode::SUCCESS,
        // The host went away, so there is no one to tell.
        Err(error) if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) => {
            ExitCode::SUCCESS
        }
        Err(error) => refuse(&error.to_string()),
    }
}

/// Reports on standard error why there is no answer.
pub fn refuse(reason: &str) -> ExitCode {
    eprintln!("{}: {reason}", env!("CARGO_BIN_NAME"));
    ExitCode::from(3)
}

/// Compares the caller's hash of the interface, in hex, with this program's.
pub fn check_abi(given: Option<OsString>) -> Result<(), String> {
    let given = given.and_then(|text| text.into_string().ok()).unwrap_or_default();
    match u64::from_str_radix(&given, 16) {
        Ok(abi) if abi == tierup_calls::ABI => Ok(()),
        _ => Err(format!(
            "this program has the interface {:016x}, its caller wants `{given}`: run `tierup build`",
            tierup_calls::ABI
        )),
    }
}

/// The real standard output, for answers only: from here on, descriptor 1 is standard error, so that
/// a `println!` in the user's code cannot get between the bytes of an answer.
#[cfg(unix)]
pub fn take_stdout() -> io::Result<impl io::Write> {
    let output = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdout(), 3)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr())?;
    Ok(std::fs::File::from(output))
}

/// Without descriptors there is nothing to redirect: user code must not print.
#[cfg(not(unix))]
pub fn take_stdout() -> io::Result<impl io::Write> {
    Ok(io::stdout())
}

/// Ends this process with its host, on Linux even during an endless call. A killed host closes this process's standard
/// input, but that is seen only between calls.
#[cfg(target_os = "linux")]
pub fn end_with_host() {
    // If the kernel refuses, the end of standard input still ends this process.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
}

#[cfg(not(target_os = "linux"))]
pub fn end_with_host() {}

/// Takes the socket on standard input and puts `/dev/null` in its place, so that neither the user's code nor its child
/// processes keep the socket open.
#[cfg(unix)]
fn take_leash() -> io::Result<UnixStream> {
    let leash = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    rustix::stdio::dup2_stdin(std::fs::File::open("/dev/null")?)?;
    Ok(UnixStream::from(leash))
}

/// A shadow sends nothing, and the calls that it has received still count when the connection has ended.
#[cfg(unix)]
static IS_SHADOW: AtomicBool = AtomicBool::new(false);

/// Ends the process with the connection: nobody would read an answer, and an endless call must not outlive its client.
#[cfg(unix)]
fn end_with(connection: UnixStream) -> io::Result<()> {
    use rustix::event::{PollFd, PollFlags, poll};

    let watch = move || loop {
        let mut found = [PollFd::new(&connection, PollFlags::empty())];
        if poll(&mut found, None).is_ok() && !found[0].revents().is_empty() {
            if IS_SHADOW.load(Ordering::Relaxed) {
                return;
            }
            std::process::exit(0);
        }
    };
    std::thread::Builder::new().name("tierup-watch".to_owned()).spawn(watch)?;
    Ok(())
}

fn serve(way: Way) -> io::Result<()> {
    crate::inherited::close();
    let mut output = take_stdout()?;
    match way {
        Way::Pipes => {
            end_with_host();
            output.write_all(&tierup_calls::ABI.to_le_bytes())?;
            answer(io::stdin().lock(), output).map(|_| ())
        }
        #[cfg(unix)]
        Way::Connection => {
            drop(output);
            let mut leash = take_leash()?;
            leash.write_all(&[0])?;
            let Some(connection) = crate::handover::take(&leash)? else { return Ok(()) };
            end_with(connection.try_clone()?)?;
            (&connection).write_all(&tierup_calls::ABI.to_le_bytes())?;
            match answer(&connection, &connection)? {
                Left::Ended => Ok(()),
                Left::ForPipes => by_pipes(&connection),
                Left::ForShadow(folder) => {
                    IS_SHADOW.store(true, Ordering::Relaxed);
                    (&connection).write_all(&[0; 4])?;
                    crate::shadow::serve(&connection, std::path::Path::new(OsStr::from_bytes(&folder)));
                    Ok(())
                }
            }
        }
    }
}

#[cfg(unix)]
fn by_pipes(connection: &UnixStream) -> io::Result<()> {
    let mut connection = connection;
    let made = Pipes::make(connection);
    let name = made.as_ref().map(|(name, _)| name.as_bytes()).unwrap_or_default();
    connection.write_all(&[&(name.len() as u32).to_le_bytes(), name].concat())?;
    match made {
        Ok((_, pipes)) => {
            let (input, output) = pipes.opened(connection);
            answer(input, output)
        }
        Err(_) => answer(connection, connection),
    }
    .map(|_| ())
}

/// Answers requests until the input ends, or until the host asks for pipes or a shadow.
fn answer(input: impl io::Read, mut output: impl io::Write) -> io::Result<Left> {
    let mut input = BufReader::with_capacity(64 << 10, input);
    let (mut arguments, mut answer) = (Vec::new(), Vec::new());
    while let Some(length) = read_length(&mut input)? {
        let function = u32::from_le_bytes(read(&mut input)?);
        if function == PIPES {
            return Ok(Left::ForPipes);
        }
        answer.clear();
        answer.extend_from_slice(&[0; 4]);
        if function & NUMBERED != 0 {
            answer.extend_from_slice(&read::<8>(&mut input)?);
        }
        let head = answer.len();
        let Some(count) = u64::from(length).checked_sub(head as u64) else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a request is shorter than its head"));
        };
        arguments.clear();
        if (&mut input).take(count).read_to_end(&mut arguments)? as u64 != count {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if function == SHADOW {
            return Ok(Left::ForShadow(arguments));
        }

        tierup_calls::call(function & !NUMBERED, &arguments, &mut answer);
        if u32::try_from(answer.len() - 4).is_err() {
            answer.truncate(head);
            tierup_calls::write_panic("the answer is larger than 4 GiB and cannot cross", &mut answer);
        }
        let length = (answer.len() - 4) as u32;
        answer[..4].copy_from_slice(&length.to_le_bytes());
        // In one write, at once: the host may be waiting for this answer before it sends the next request.
        output.write_all(&answer)?;
        arguments.shrink_to(KEPT);
        answer.shrink_to(KEPT);
    }
    Ok(Left::Ended)
}

pub fn read<const COUNT: usize>(input: &mut impl io::Read) -> io::Result<[u8; COUNT]> {
    let mut bytes = [0; COUNT];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// The length of the next request; `None` if the input ends before one.
pub fn read_length(input: &mut impl io::Read) -> io::Result<Option<u32>> {
    let mut bytes = [0; 4];
    let mut filled = 0;
    while filled < 4 {
        match input.read(&mut bytes[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Some(u32::from_le_bytes(bytes)))
}
