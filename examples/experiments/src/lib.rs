//! An experiment as JSON in; checked, and out again.
//!
//! [`create_experiment`] is the whole interface. A body goes through four steps, a module each: `scan` (is it something
//! that every server reads alike?), `read` (text to values, of which nothing is believed yet), `check` (what is wrong with
//! them, and where) and `write` (the experiment as it is answered). `problems` is the list of what is wrong.

mod check;
mod problems;
mod read;
mod scan;
mod write;

use crate::{check::check, problems::Problems, read::read, write::write};

/// What became of a body. Each case holds the JSON that answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The experiment, written anew: only what it consists of, in one order and one form.
    Valid(String),
    /// JSON that is no experiment: `{"errors":[{"path":"variants[1].name","message":"is missing"}]}`.
    Invalid(String),
    /// No JSON, or JSON that readers understand differently. The form is that of `Invalid`, with one error.
    Malformed(String),
}

/// Reads an experiment from JSON, checks it, and writes it as it is answered.
///
/// With `fingerprint_at`, a time in seconds since 1970, the experiment's name is replaced by the MD5 of the name, a hyphen
/// and that time, in hexadecimal digits.
///
/// An experiment has a name of 1 to 200 characters and at least one variant. A variant has a name of that length, which no
/// other variant has, and a share, `allocation_percent`, from 0 to 100. The shares are 100 in all, to within 0.000001. At
/// most 100 errors are listed.
pub fn create_experiment(body: &[u8], fingerprint_at: Option<u64>) -> Outcome {
    let value = match scan::readable(body).and_then(read) {
        Ok(value) => value,
        Err(malformed) => return Outcome::Malformed(Problems::one("", malformed)),
    };
    match check(&value) {
        Ok(experiment) => Outcome::Valid(write(&experiment, fingerprint_at)),
        Err(problems) => Outcome::Invalid(problems.into_json()),
    }
}
