//! Arguments from the command line: text as it is, `-` for standard input, everything else as JSON.

use std::ffi::OsString;
use std::io::{self, Read as _};

use clap::ArgMatches;

/// A problem, and the exit code with which the program ends.
pub enum Failure {
    /// The function's own error: exit code 1.
    Error(String),
    /// An unknown argument: exit code 2.
    Usage(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Error(error.to_string())
    }
}

/// Bytes as they are given, or all of standard input for `-`.
pub fn bytes(matches: &ArgMatches, name: &str) -> Result<Option<Vec<u8>>, Failure> {
    let Some(given) = matches.get_one::<OsString>(name) else { return Ok(None) };
    if given == "-" {
        let mut content = Vec::new();
        io::stdin().lock().read_to_end(&mut content)?;
        return Ok(Some(content));
    }
    Ok(Some(given.as_encoded_bytes().to_vec()))
}

/// Text as it is given, or all of standard input for `-`.
pub fn text(matches: &ArgMatches, name: &str) -> Result<Option<String>, Failure> {
    let Some(content) = bytes(matches, name)? else { return Ok(None) };
    String::from_utf8(content).map(Some).map_err(|_| Failure::Usage(format!("{name} is not valid UTF-8")))
}

/// Everything else: JSON. The name of an enum's case needs no quotes.
pub fn json<T: tierup_json::FromJson>(matches: &ArgMatches, name: &str) -> Result<Option<T>, Failure> {
    let Some(content) = text(matches, name)? else { return Ok(None) };
    let content = content.trim();
    let keys = tierup_json::Keys::SnakeCase;
    tierup_json::parse(content, keys)
        .or_else(|reason| tierup_json::parse(&tierup_json::to_string(content, keys), keys).map_err(|_| reason))
        .map(Some)
        .map_err(|reason| Failure::Usage(format!("{name}: {reason}")))
}

/// An argument that clap has seen to be there.
pub fn given<T>(value: Option<T>, name: &str) -> Result<T, Failure> {
    value.ok_or_else(|| Failure::Usage(format!("{name} is missing")))
}
