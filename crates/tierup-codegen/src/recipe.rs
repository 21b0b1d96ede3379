//! A build described as data: files to write, then steps to carry out.

use std::{fmt, path::PathBuf, sync::Arc};

use crate::{Files, WasmTool};

/// Files and steps that make one part of a build (`cli`, `core`, `node-native`, …).
/// Paths are relative to the project's `.tierup/` folder unless they are absolute.
#[derive(Debug, Clone, Default)]
pub struct Recipe {
    /// Written first. Files that did not change are not touched, so that cargo and npm see no change.
    pub files: Files,
    /// Carried out in order, until one fails.
    pub steps: Vec<Step>,
}

/// One action on the way to a built variant.
#[derive(Debug, Clone)]
pub enum Step {
    /// A program is run; anything but exit code 0 fails the step, and its output is shown.
    Run(Command),
    /// Runs `preferred`. If it fails and its output contains `conflict`, runs `otherwise` instead: only the compiler
    /// knows what a build may have.
    Either { preferred: Command, conflict: &'static str, otherwise: Command },
    /// A built file replaces the old one atomically, as a running server may still have the old one mapped.
    Copy { from: PathBuf, to: PathBuf },
    /// A file is converted, and the files that come out are written below `into`.
    Convert { from: PathBuf, into: PathBuf, converter: Converter },
}

impl Step {
    /// The commands that it may run, in their order.
    pub fn commands(&self) -> Vec<&Command> {
        match self {
            Step::Run(command) => vec![command],
            Step::Either { preferred, otherwise, .. } => vec![preferred, otherwise],
            Step::Copy { .. } | Step::Convert { .. } => Vec::new(),
        }
    }

    /// As [`Step::commands`].
    pub fn commands_mut(&mut self) -> Vec<&mut Command> {
        match self {
            Step::Run(command) => vec![command],
            Step::Either { preferred, otherwise, .. } => vec![preferred, otherwise],
            Step::Copy { .. } | Step::Convert { .. } => Vec::new(),
        }
    }
}

/// Placeholder for the target triple of the build machine, in arguments and in paths. Recipes do not know that triple
/// ([`crate::Machine`] holds it for other machines). The placeholder is cargo's own word (since 1.91; the runner writes
/// out the triple for any cargo).
///
/// Builds always name their target, since a user's configuration may name another (`build.target`), which would change
/// what is built and where the output goes.
pub const THIS_MACHINE: &str = "host-tuple";

/// A program to run.
#[derive(Debug, Clone, Default)]
pub struct Command {
    /// Found on `PATH`.
    pub program: String,
    pub arguments: Vec<String>,
    /// The folder that it runs in; `.tierup/` itself when empty.
    pub folder: PathBuf,
    pub environment: Vec<(String, String)>,
}

impl Command {
    pub fn new<'a>(program: &str, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        let arguments = arguments.into_iter().map(str::to_owned).collect();
        Command { program: program.to_owned(), arguments, ..Command::default() }
    }
}

/// The shell line that a reader could run themselves, with simple quoting.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.program)?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {}", quoted(argument)))
    }
}

/// A word, quoted for a shell where necessary.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,@+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

type Convert = dyn Fn(&[u8]) -> Result<Files, String> + Send + Sync;
type Adapt = dyn Fn(Files) -> Result<Files, String> + Send + Sync;
type Ask = dyn Fn(&str, &str) -> Command + Send + Sync;

/// Converts a file's bytes to files, or returns an error in plain words.
#[derive(Clone)]
pub enum Converter {
    /// In this process.
    Function(Arc<Convert>),
    /// By the Wasm tools; their output is then adapted in this process.
    Tool(WasmTool, Arc<Adapt>),
    /// By a command, which gets the file's path and that of an empty folder, both relative to `.tierup/`. What it writes
    /// into the folder is then adapted in this process.
    Command(Arc<Ask>, Arc<Adapt>),
}

impl Converter {
    pub fn new(convert: impl Fn(&[u8]) -> Result<Files, String> + Send + Sync + 'static) -> Self {
        Converter::Function(Arc::new(convert))
    }

    pub fn by_command(
        command: impl Fn(&str, &str) -> Command + Send + Sync + 'static,
        adapt: impl Fn(Files) -> Result<Files, String> + Send + Sync + 'static,
    ) -> Self {
        Converter::Command(Arc::new(command), Arc::new(adapt))
    }

    pub fn by_tool(tool: WasmTool, adapt: impl Fn(Files) -> Result<Files, String> + Send + Sync + 'static) -> Self {
        Converter::Tool(tool, Arc::new(adapt))
    }
}

impl fmt::Debug for Converter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Converter::Function(_) => f.write_str("Function"),
            Converter::Tool(tool, _) => write!(f, "Tool({})", tool.word()),
            Converter::Command(..) => f.write_str("Command"),
        }
    }
}
