//! Values that requests files refer to and only the caller knows.

use std::io;

use crate::Moment;

/// Values from outside the file. [`Context::new`] is empty.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Names and values for `{{name}}`. They take precedence over the file's own `@name = value`.
    pub variables: &'a [(String, String)],
    /// The variables of `{{$processEnv NAME}}` and `{{$env.NAME}}`.
    pub environment: &'a [(String, String)],
    /// Names of environment variables whose values are not text, so that no request can contain them.
    pub not_text: &'a [String],
    /// The variables of `{{$dotenv NAME}}`: the `.env` file beside the requests file.
    pub dotenv: &'a [(String, String)],
    /// The time that `{{$timestamp}}` and similar variables show. It is the same for all requests: pass the same time
    /// for every row that is to be compared.
    pub now: Moment,
    /// Reads the files that `< ./body.json` names.
    pub files: &'a dyn Files,
}

impl Context<'static> {
    /// A context with only the time.
    pub fn new(now: Moment) -> Self {
        Context { variables: &[], environment: &[], not_text: &[], dotenv: &[], now, files: &no_files }
    }
}

/// Reads the files that bodies are taken from. Closures implement it.
pub trait Files {
    /// The content of `path`, as written in the requests file: relative to the folder of that file, or absolute.
    ///
    /// # Errors
    /// The error of reading the file. It is shown at the line that names the file.
    fn read(&self, path: &str) -> io::Result<Vec<u8>>;
}

impl<F: Fn(&str) -> io::Result<Vec<u8>>> Files for F {
    fn read(&self, path: &str) -> io::Result<Vec<u8>> {
        self(path)
    }
}

fn no_files(_path: &str) -> io::Result<Vec<u8>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "files are not read here"))
}

/// The value of a variable; the last one counts, as in a shell.
pub(crate) fn find<'a>(values: &'a [(String, String)], name: &str) -> Option<&'a str> {
    values.iter().rev().find(|(candidate, _)| candidate == name).map(|(_, value)| value.as_str())
}
