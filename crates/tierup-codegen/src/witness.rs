//! How the calls of chosen functions are seen in a server whose source stays as it is: their types, not their values.
//!
//! A witness is data, like a [`Sensor`](crate::Sensor). `tierup-sampling` carries it out, and `tierup-signature` reads what
//! it writes.

use std::path::Path;

use crate::{Command, Files, Variable};

/// The functions to watch, and how.
#[derive(Debug, Clone, Copy)]
pub struct Watch<'a> {
    /// The absolute path of a folder that exists for as long as the run, which only its owner can read.
    pub private: &'a Path,
    /// Stands, with a NUL, before each value that a part of a request may have given when it is hashed (SHA-256, lower-case
    /// hex). It is in no file but the private folder's.
    pub key: &'a str,
    pub functions: &'a [Watched],
    /// Whether the calls of functions whose types the source declares are noted, too, in a second round.
    pub calls: bool,
}

/// A function of the user's own code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// The absolute path of its file; empty where neither the host's stacks nor [`Profiling::source_of`](crate::Profiling::source_of) name it.
    pub file: String,
    pub name: String,
    /// Its name with all that the host's stacks put before it: a class, a module, a package. `name` if that is not known.
    pub qualified_name: String,
    /// The line on which it begins, where a file has several of this name.
    pub line: Option<u32>,
    /// Names of fields that the source declares: an object whose keys are among them is a record.
    pub fields: Vec<String>,
}

/// Code in the server's processes that speaks the protocol of [`Sampling::Agent`](crate::Sampling::Agent).
///
/// It is started and stopped twice, with single requests in between. In the first round it counts the watched
/// functions' calls and finds where they are; in the second, it notes what they are given and answer. Where the source
/// declares types ([`Profiling::declared`](crate::Profiling::declared)), there is only the first, or the second has calls without types. What it
/// writes is JSON, described by `Counted` and `Seen` in `tierup-signature`. No value of the user's is in it.
#[derive(Debug, Clone)]
pub struct Witness {
    /// Files for the run's private folder.
    pub files: Files,
    /// Run in that folder, in order, before the server is built.
    pub preparation: Vec<Command>,
    /// Variables for the commands that build and start the server.
    pub environment: Vec<Variable>,
    /// Whether it is in what `prepare` builds, which therefore runs once more after the run.
    pub in_the_build: bool,
    /// `None` if it notes no types.
    pub types: Option<Types>,
    /// Whether it notes calls without types, which [`Watch::calls`] asks for.
    pub calls: bool,
    /// The next step for the user if no process of the server could be watched.
    pub hint: String,
}

/// The types of the watched functions, as a witness notes them.
#[derive(Debug, Clone)]
pub struct Types {
    /// How the host's package spells names of Rust.
    pub spelling: Spelling,
    /// How `[host.NAME.baseline]` names each watched function; after it, with a colon, stands the owner that the witness wrote, if it did.
    /// Empty where the owner is enough.
    pub baselines: Vec<String>,
}

/// How a package spells the names of functions and of records' fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    CamelCase,
    /// Functions and fields begin with a capital.
    PascalCase,
    AsInRust,
}
