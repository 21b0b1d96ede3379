//! The settings: options first, then the environment, then defaults.

use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, Write as _};
use std::num::NonZero;
use std::str::FromStr;
use std::thread;
use std::time::Duration;

const USAGE: &str = "\
usage: {program} [--host HOST] [--port PORT] [--ready]

Options, or variables of the environment:
  --host, HOST           the address to listen on (127.0.0.1; 0.0.0.0 for all)
  --port, PORT           the port to listen on (8080; 0 for any that is free)
  --ready                asks the server that listens there for /readyz, and exits with 1 if it is not ready
  TIERUP_WORKERS         threads that run calls (as many as there are processors for this process)
  TIERUP_HEAD_LIMIT      the most bytes in a request's line and headers ({{head_limit}})
  TIERUP_BODY_LIMIT      the largest body in bytes (2097152)
  TIERUP_BODY_TIMEOUT    seconds in which a body must arrive (60)
  TIERUP_IDLE_TIMEOUT    seconds that a connection may wait for the next request's headers (65)
  TIERUP_WRITE_TIMEOUT   seconds that a client may leave its answer waiting without taking any of it (30)
  TIERUP_CONNECTIONS     the most connections at once (three quarters of the open files that are allowed, at most 10000)
  TIERUP_QUEUE           the most calls that wait for a thread; others are answered with 503 (1024)
  TIERUP_UNSENT_LIMIT    the most bytes of answers that wait for their clients; more calls wait, then get 503 (16777216)
  TIERUP_ADMIN_PORT      a second port, for /livez and /readyz alone: answered when all connections are taken (none)
  TIERUP_ADMIN_HOST      the address of that port (127.0.0.1)
  TIERUP_LOG=access      a line of JSON on standard error for each request";

pub struct Settings {
    /// Ask the server that runs, instead of running one.
    pub asks: bool,
    pub host: String,
    pub port: u16,
    /// Threads that run calls.
    pub workers: NonZero<usize>,
    /// The most calls that wait for such a thread.
    pub queue: usize,
    pub limits: Limits,
    /// The most bytes of answers that wait for their clients.
    pub unsent_limit: usize,
    pub connections: Connections,
    pub admin_host: String,
    /// A second port, which answers `/livez` and `/readyz` only.
    pub admin_port: Option<u16>,
}

/// Limits of connections.
#[derive(Clone, Copy)]
pub struct Connections {
    /// The most connections at once; others wait.
    pub most: usize,
    /// The most bytes in a request's line and headers. More is answered with 431, or 414 if it is the line.
    pub head: usize,
    /// How long a connection may take to send the next request's headers, idle or not.
    pub idle_timeout: Duration,
    /// How long a client may leave its answer waiting without reading a byte.
    pub write_timeout: Duration,
    /// Whether each request is logged.
    pub log: bool,
}

/// Limits of a body.
#[allow(dead_code, reason = "not every server has a route with a body")]
#[derive(Clone, Copy)]
pub struct Limits {
    /// The largest body in bytes.
    pub body: usize,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
}

impl Settings {
    /// From the command line and the environment; `None` where help was asked for and given.
    pub fn from_process() -> Result<Option<Self>, String> {
        let mut asks = false;
        let (mut host, mut port) = (env_text("HOST")?, env_text("PORT")?.map(|port| ("PORT", port)));
        let mut arguments = env::args_os().skip(1).map(text);
        while let Some(argument) = arguments.next().transpose()? {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            let value = || match value {
                Some(value) => Ok(value),
                None => arguments.next().unwrap_or_else(|| Err(format!("{name} needs a value"))),
            };
            match name {
                "--host" => host = Some(value()?),
                "--port" => port = Some(("--port", value()?)),
                "--ready" => asks = true,
                "--help" | "-h" => {
                    say(&USAGE.replace("{program}", env!("CARGO_BIN_NAME")));
                    return Ok(None);
                }
                "--version" | "-V" => {
                    say(concat!(env!("CARGO_BIN_NAME"), " ", env!("CARGO_PKG_VERSION")));
                    return Ok(None);
                }
                _ => return Err(format!("there is no option `{argument}`")),
            }
        }
        Ok(Some(Settings {
            asks,
            host: host.unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: port.map_or(Ok(8080), |(name, port)| number(name, &port, "a port from 0 to 65535"))?,
            workers: match env_number("TIERUP_WORKERS", "a number of threads, at least 1")? {
                Some(workers) => workers,
                // This respects the quota of a container.
                None => thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
            },
            limits: Limits {
                body: env_number("TIERUP_BODY_LIMIT", "a number of bytes")?.unwrap_or(2 << 20),
                body_timeout: env_seconds("TIERUP_BODY_TIMEOUT", 60)?,
            },
            queue: env_number("TIERUP_QUEUE", "a number of calls")?.unwrap_or(1024),
            unsent_limit: env_number("TIERUP_UNSENT_LIMIT", "a number of bytes")?.unwrap_or(16 << 20),
            connections: Connections::from_environment()?,
            admin_host: env_text("TIERUP_ADMIN_HOST")?.unwrap_or_else(|| "127.0.0.1".to_owned()),
            admin_port: env_number("TIERUP_ADMIN_PORT", "a port from 0 to 65535")?,
        }))
    }
}

impl Connections {
    fn from_environment() -> Result<Self, String> {
        let most: Option<NonZero<u32>> = env_number("TIERUP_CONNECTIONS", "a number of connections, at least 1")?;
        Ok(Connections {
            most: most.map_or_else(default_connections, |most| most.get() as usize),
            head: env_number("TIERUP_HEAD_LIMIT", "a number of bytes")?.unwrap_or({{head_limit}}),
            // Longer than the 60 seconds after which common load balancers close an idle connection: were it
            // shorter, this server would close connections under requests that are on their way.
            idle_timeout: env_seconds("TIERUP_IDLE_TIMEOUT", 65)?,
            write_timeout: env_seconds("TIERUP_WRITE_TIMEOUT", 30)?,
            log: match env_text("TIERUP_LOG")?.as_deref() {
                None => false,
                Some("access") => true,
                Some(other) => return Err(format!("TIERUP_LOG must be `access` or empty, not `{other}`")),
            },
        })
    }
}

/// A number that leaves descriptors for the rest of the process: the runtime, `/livez` on its own port, the functions.
fn default_connections() -> usize {
    const MOST: usize = 10_000;
    const LEAST_RESERVE: usize = 32;
    let Some(descriptors) = open_files() else { return MOST };
    let reserve = (descriptors / 4).max(LEAST_RESERVE);
    descriptors.saturating_sub(reserve).clamp(1, MOST)
}

/// How many descriptors this process may have; `None` where nothing limits them.
#[cfg(unix)]
fn open_files() -> Option<usize> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: it writes to the structure that it is given, and only while it runs.
    let outcome = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    usize::try_from(limit.rlim_cur).ok().filter(|_| outcome == 0 && limit.rlim_cur != libc::RLIM_INFINITY)
}

#[cfg(not(unix))]
fn open_files() -> Option<usize> {
    None
}

/// Prints to standard output, which may be closed.
fn say(text: &str) {
    let _ = writeln!(io::stdout(), "{text}");
}

fn text(text: OsString) -> Result<String, String> {
    text.into_string().map_err(|text| format!("`{}` is not valid UTF-8", text.display()))
}

/// A variable of the environment; an empty one counts as absent.
fn env_text(name: &str) -> Result<Option<String>, String> {
    let value = env::var_os(name).filter(|value| !value.is_empty());
    value.map(text).transpose()
}

fn env_number<T: FromStr>(name: &str, what: impl Display) -> Result<Option<T>, String> {
    env_text(name)?.map(|value| number(name, &value, what)).transpose()
}

fn env_seconds(name: &str, default: u32) -> Result<Duration, String> {
    let seconds: NonZero<u32> = match env_number(name, "a whole number of seconds, at least 1")? {
        Some(seconds) => seconds,
        None => return Ok(Duration::from_secs(default.into())),
    };
    Ok(Duration::from_secs(seconds.get().into()))
}

fn number<T: FromStr>(name: &str, value: &str, what: impl Display) -> Result<T, String> {
    value.parse().map_err(|_| format!("{name} must be {what}, not `{value}`"))
}
