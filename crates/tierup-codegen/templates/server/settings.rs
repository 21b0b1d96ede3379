//! What can be set: options first, then the environment, then defaults.

use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::num::NonZero;
use std::str::FromStr;
use std::thread;
use std::time::Duration;

const USAGE: &str = "\
usage: {program} [--host HOST] [--port PORT]

Options, or variables of the environment:
  --host, HOST           the address to listen on (127.0.0.1; 0.0.0.0 for all)
  --port, PORT           the port to listen on (8080; 0 for any that is free)
  TIERUP_WORKERS         threads that run calls (as many as there are processors for this process)
  TIERUP_BODY_LIMIT      the largest body in bytes (2097152)
  TIERUP_BODY_TIMEOUT    seconds in which a body must arrive (60)
  TIERUP_IDLE_TIMEOUT    seconds that a connection may wait for the next request's headers (65)
  TIERUP_LOG=access      a line of JSON on standard error for each request";

pub struct Settings {
    pub host: String,
    pub port: u16,
    /// Threads that run calls.
    pub workers: NonZero<usize>,
    pub limits: Limits,
    /// How long a connection may take to send the next request's headers, idle or not.
    pub idle_timeout: Duration,
    pub access_log: bool,
}

/// What a body may be.
#[allow(dead_code, reason = "not every server has a route with a body")]
#[derive(Clone, Copy)]
pub struct Limits {
    /// The largest in bytes.
    pub body: usize,
    /// How long it may take to arrive.
    pub body_timeout: Duration,
}

impl Settings {
    /// From the command line and the environment; `None` where help was asked for and given.
    pub fn from_process() -> Result<Option<Self>, String> {
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
                "--help" | "-h" => {
                    println!("{}", USAGE.replace("{program}", env!("CARGO_BIN_NAME")));
                    return Ok(None);
                }
                "--version" | "-V" => {
                    println!("{} {}", env!("CARGO_BIN_NAME"), env!("CARGO_PKG_VERSION"));
                    return Ok(None);
                }
                _ => return Err(format!("there is no option `{argument}`")),
            }
        }
        Ok(Some(Settings {
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
            // Longer than the 60 seconds after which common load balancers close an idle connection: were it
            // shorter, this server would close connections under requests that are on their way.
            idle_timeout: env_seconds("TIERUP_IDLE_TIMEOUT", 65)?,
            access_log: match env_text("TIERUP_LOG")?.as_deref() {
                None => false,
                Some("access") => true,
                Some(other) => return Err(format!("TIERUP_LOG must be `access` or empty, not `{other}`")),
            },
        }))
    }
}

fn text(text: OsString) -> Result<String, String> {
    text.into_string().map_err(|text| format!("`{}` is not valid UTF-8", text.display()))
}

/// A variable of the environment; empty is as good as absent.
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
