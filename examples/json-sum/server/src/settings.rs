//! What the environment says: the same variables as the Node server's.

use std::env;
use std::fmt::Display;
use std::num::NonZero;
use std::str::FromStr;
use std::thread;
use std::time::Duration;

use hyper::Uri;

pub struct Settings {
    /// HOST
    pub host: String,
    /// PORT; 0 for any that is free
    pub port: u16,
    /// TIERUP_WORKERS: threads
    pub workers: NonZero<usize>,
    pub downstream: DownstreamSettings,
}

pub struct DownstreamSettings {
    /// DOWNSTREAM_URL, with `/process` behind it.
    pub process: Uri,
    /// DOWNSTREAM_TIMEOUT_MS: how long the service behind this one may take for its whole answer.
    pub timeout: Duration,
}

impl Settings {
    /// # Errors
    /// What is wrong with which variable.
    pub fn from_environment() -> Result<Self, String> {
        Ok(Settings {
            host: text("HOST")?.unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: parsed("PORT", "a port from 0 to 65535")?.unwrap_or(3000),
            workers: match parsed("TIERUP_WORKERS", "a number of threads, at least 1")? {
                Some(workers) => workers,
                // This respects the quota of a container.
                None => thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN),
            },
            downstream: DownstreamSettings {
                process: process(text("DOWNSTREAM_URL")?.as_deref().unwrap_or("http://127.0.0.1:4000"))?,
                timeout: match parsed::<NonZero<u32>>("DOWNSTREAM_TIMEOUT_MS", "a number of milliseconds, at least 1")?
                {
                    Some(milliseconds) => Duration::from_millis(milliseconds.get().into()),
                    None => Duration::from_secs(5),
                },
            },
        })
    }
}

/// Where sums are posted to.
fn process(address: &str) -> Result<Uri, String> {
    let wrong = || format!("DOWNSTREAM_URL must be an address such as http://127.0.0.1:4000, not `{address}`");
    let uri: Uri = format!("{}/process", address.trim_end_matches('/')).parse().map_err(|_| wrong())?;
    let fits = uri.scheme_str() == Some("http") && uri.host().is_some_and(|host| !host.is_empty());
    if fits && uri.query().is_none() && !address.contains('#') { Ok(uri) } else { Err(wrong()) }
}

/// A variable of the environment; empty is as good as absent.
fn text(name: &str) -> Result<Option<String>, String> {
    let value = env::var_os(name).filter(|value| !value.is_empty());
    value
        .map(|value| value.into_string().map_err(|value| format!("{name} is not UTF-8: `{}`", value.display())))
        .transpose()
}

fn parsed<T: FromStr>(name: &str, what: impl Display) -> Result<Option<T>, String> {
    let parse = |value: String| value.parse().map_err(|_| format!("{name} must be {what}, not `{value}`"));
    text(name)?.map(parse).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_sums_are_posted_to() {
        let check = |address: &str, expected: Option<&str>| {
            assert_eq!(process(address).ok().map(|uri| uri.to_string()).as_deref(), expected, "{address}");
        };
        check("http://127.0.0.1:4000", Some("http://127.0.0.1:4000/process"));
        check("http://sums.internal/v1/", Some("http://sums.internal/v1/process"));
        check("http://[::1]:80", Some("http://[::1]:80/process"));
        for wrong in
            ["https://example.org", "127.0.0.1:4000", "http://", "/", "http://a?b=c", "http://a#b", "http://a b"]
        {
            check(wrong, None);
        }
    }
}
