//! The limits that the environment sets: how long a call may take, and how much memory.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use std::env;
use std::time::Duration;

/// The longest time-out, in seconds: some hosts' timers take no more.
const LONGEST: f64 = 1_000_000.0;

/// The memory that a call may take by default, in MiB.
const MEMORY: usize = 1024;

/// All that 32 bits can address, in MiB.
const MOST_MEMORY: usize = 4096;

pub struct Limits {
    /// The time-out of a call, if it has one.
    pub timeout: Option<Duration>,
    /// The memory that a call may take, in MiB.
    pub memory: usize,
}

impl Limits {
    /// Read once, when the library is loaded: a host may change its environment later, while other threads read it.
    pub fn of_environment() -> Result<Limits, String> {
        let timeout = read("TIERUP_CALL_TIMEOUT", &format!("a number of seconds above 0, up to {LONGEST}, such as 2.5"), seconds)?;
        let memory = read("TIERUP_CALL_MEMORY", &format!("a whole number of MiB, from 1 to {MOST_MEMORY}"), mebibytes)?;
        Ok(Limits { timeout, memory: memory.unwrap_or(MEMORY) })
    }

    pub fn took_too_long(&self) -> String {
        let seconds = self.timeout.unwrap_or_default().as_secs_f64();
        format!("the call took longer than {seconds} s (TIERUP_CALL_TIMEOUT)")
    }

    pub fn wanted_too_much(&self) -> String {
        format!("the call wanted more than {} MiB of memory (TIERUP_CALL_MEMORY)", self.memory)
    }
}

/// A variable, if it is set.
fn read<T>(name: &str, is: &str, value: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, String> {
    let Some(asked) = env::var_os(name).filter(|asked| !asked.is_empty()) else { return Ok(None) };
    let asked = asked.to_string_lossy();
    value(&asked).map(Some).ok_or_else(|| format!("{name} must be {is}, got `{asked}`"))
}

fn seconds(asked: &str) -> Option<Duration> {
    // `parse` knows more spellings than other hosts do: `1e3`, `inf`, `.5`.
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = asked.split_once('.').unwrap_or((asked, "0"));
    let seconds: f64 = if digits(whole) && digits(fraction) { asked.parse().ok()? } else { return None };
    (0.0 < seconds && seconds <= LONGEST).then(|| Duration::from_secs_f64(seconds))
}

fn mebibytes(asked: &str) -> Option<usize> {
    let is_plain = asked.bytes().all(|byte| byte.is_ascii_digit());
    asked.parse().ok().filter(|count| is_plain && (1..=MOST_MEMORY).contains(count))
}
