//! How calls of chosen functions are observed in a server whose source stays unchanged: their types, not their values.
//!
//! A witness is data, like a [`Sensor`](crate::Sensor). `tierup-sampling` carries it out, and `tierup-signature` reads
//! its output.

use std::path::Path;

use crate::{Command, Files, Variable};

/// The functions to watch, and how.
#[derive(Debug, Clone, Copy)]
pub struct Watch<'a> {
    /// The absolute path of a folder that exists for as long as the run, which only its owner can read.
    pub private: &'a Path,
    /// The key of a hash: SHA-256 (lower-case hex) of the key, a NUL and a value that may be a part of a request. No
    /// file outside the private folder contains the key.
    pub key: &'a str,
    pub functions: &'a [Watched],
    /// Whether calls are also noted for functions whose types the source declares, in a second round.
    pub calls: bool,
}

/// A function of the user's own code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// The absolute path of its file. Empty if neither the host's stacks nor
    /// [`Profiling::source_of`](crate::Profiling::source_of) name it.
    pub file: String,
    pub name: String,
    /// Its name with everything that the host's stacks put before it: a class, a module, a package. `name` if unknown.
    pub qualified_name: String,
    /// The line on which it begins, if a file has several functions of this name.
    pub line: Option<u32>,
    /// Names of fields that the source declares. An object whose keys are all among them is a record.
    pub fields: Vec<String>,
}

/// Code in the server's processes that speaks the protocol of [`Sampling::Agent`](crate::Sampling::Agent).
///
/// It is started and stopped twice, with single requests in between. The first round counts the watched functions'
/// calls and finds where they are; the second notes the types of arguments and answers. If the source declares types
/// ([`Profiling::declared`](crate::Profiling::declared)), there is no second round, or one that notes calls without
/// types. The output is JSON without any value of the user's: see `Counted` and `Seen` in `tierup-signature`.
#[derive(Debug, Clone)]
pub struct Witness {
    /// Files for the run's private folder.
    pub files: Files,
    /// Run in that folder, in order, before the server is built.
    pub preparation: Vec<Command>,
    /// Variables for the commands that build and start the server.
    pub environment: Vec<Variable>,
    /// Whether `prepare` builds the witness into the server. `prepare` then runs once more after the run.
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
    /// How the host's package spells Rust's names.
    pub spelling: Spelling,
    /// The name of each watched function for `[host.NAME.baseline]`; an owner that the witness wrote follows it after a
    /// colon. Empty if the owner alone is the name.
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
