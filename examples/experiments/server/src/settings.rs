//! What the environment says: HOST, PORT, TIERUP_WORKERS and EXPERIMENTS_NOW.

use std::{env, fmt::Display, num::NonZero, ops::RangeInclusive, str::FromStr, time::SystemTime};

pub struct Settings {
    pub host: String,
    pub port: u16,
    /// Threads; without it as many as there are processors.
    pub workers: Option<NonZero<u16>>,
    pub clock: Clock,
}

/// What tells the time of a fingerprint.
#[derive(Debug, Clone, Copy)]
pub enum Clock {
    System,
    /// A time that stands still, for tests and comparisons.
    Fixed(u64),
}

impl Clock {
    /// Seconds since 1970.
    pub fn now(self) -> u64 {
        match self {
            Self::Fixed(now) => now,
            // A clock that stands before 1970 was never set.
            Self::System => SystemTime::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_secs()),
        }
    }
}

impl Settings {
    /// # Errors
    /// A setting that makes no sense, in plain words.
    pub fn from_environment() -> Result<Self, String> {
        // What JavaScript counts exactly, as the other servers do.
        let fixed = number("EXPERIMENTS_NOW", 0..=(1_u64 << 53) - 1)?;
        let workers = number("TIERUP_WORKERS", 1..=1024)?;
        Ok(Self {
            host: text("HOST")?.unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: number("PORT", 0..=u16::MAX)?.unwrap_or(3000),
            workers: workers.and_then(NonZero::new),
            clock: fixed.map_or(Clock::System, Clock::Fixed),
        })
    }
}

/// A variable of the environment; empty is as good as absent.
fn text(name: &str) -> Result<Option<String>, String> {
    let Some(value) = env::var_os(name).filter(|value| !value.is_empty()) else { return Ok(None) };
    value.into_string().map(Some).map_err(|_| format!("{name} is not UTF-8"))
}

fn number<T>(name: &str, range: RangeInclusive<T>) -> Result<Option<T>, String>
where
    T: FromStr + PartialOrd + Display,
{
    let Some(value) = text(name)? else { return Ok(None) };
    let number = value.parse().ok().filter(|number| range.contains(number) && !value.starts_with('+'));
    let (least, most) = (range.start(), range.end());
    number.map(Some).ok_or_else(|| format!("{name} must be a whole number from {least} to {most}, not \"{value}\""))
}
