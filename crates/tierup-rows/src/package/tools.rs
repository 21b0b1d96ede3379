//! The cross compilers: cargo-zigbuild, and zig, which has a C library for each platform. They are found on `PATH` or
//! in tierup's cache, or installed there.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use tierup_codegen::Command;
use tierup_diagnostic::{Failure, Result};
use tierup_runner::{Observer, capture_with, run};

/// Versions that were tested together, from Python's registry.
const REQUIRED: [&str; 2] = ["cargo-zigbuild==0.24.0", "ziglang==0.17.1"];

/// The place of the tools.
#[derive(Debug, Clone)]
pub struct CrossTools {
    /// The first folder on `PATH`; `None` if the tools are on `PATH` already.
    folder: Option<PathBuf>,
}

impl CrossTools {
    /// The folder in tierup's cache into which the tools are installed.
    fn home(cache: &Path) -> PathBuf {
        cache.join("cross")
    }

    /// Finds installed tools.
    pub fn find(cache: &Path) -> Option<CrossTools> {
        let here = |folder: Option<PathBuf>| {
            let tools = CrossTools { folder };
            let environment = tools.environment();
            let answers = |program: &str, words: &[&str]| {
                capture_with(&Command::new(program, words.iter().copied()), Path::new("."), &environment).is_ok()
            };
            let has_zig = || answers("zig", &["version"]) || answers("python3", &["-m", "ziglang", "version"]);
            (answers("cargo-zigbuild", &["--version"]) && has_zig()).then_some(tools)
        };
        here(None).or_else(|| here(Some(Self::home(cache).join("bin"))))
    }

    /// The shell line that installs the tools.
    pub fn installing(cache: &Path) -> String {
        let [environment, install] = Self::commands(cache);
        format!("{environment} && {install}")
    }

    /// # Errors
    /// Python is missing, or its registry cannot be reached.
    pub fn install(cache: &Path, observer: &mut dyn Observer) -> Result<CrossTools> {
        fs::create_dir_all(cache)
            .map_err(|error| Failure::because(format!("cannot make {}", cache.display()), error))?;
        for command in Self::commands(cache) {
            observer.started(&command.to_string());
            let done = run(&command, cache, &[], observer);
            observer.finished();
            done?;
        }
        Ok(CrossTools { folder: Some(Self::home(cache).join("bin")) })
    }

    fn commands(cache: &Path) -> [Command; 2] {
        let home = Self::home(cache).display().to_string();
        let pip = Self::home(cache).join("bin/pip").display().to_string();
        let install = ["install", "--quiet", "--disable-pip-version-check"].into_iter().chain(REQUIRED);
        [Command::new("python3", ["-m", "venv", &*home]), Command::new(&pip, install)]
    }

    /// The variables for the tools.
    pub(super) fn environment(&self) -> Vec<(String, String)> {
        let path = env::var("PATH").unwrap_or_default();
        self.folder.iter().map(|folder| ("PATH".to_owned(), format!("{}:{path}", folder.display()))).collect()
    }
}
