//! Records what rustc compiled: cargo runs this program as its `RUSTC_WRAPPER`, and it logs each crate and its time.
//!
//! In: rustc's command line. Out: a line per crate in the file that [`LOG`] names, and rustc's own exit code.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::OpenOptions,
    io::Write as _,
    path::Path,
    process::{Command, ExitCode},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use wait4::Wait4;

/// The variable that names the log. If it is set, this program acts as the wrapper of rustc.
pub(crate) const LOG: &str = "XTASK_COMPILED";

/// A crate, as compiled for one profile and target.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Crate {
    pub(crate) name: String,
    /// The profile's folder below the build folder, after the target if there is one: `debug`, `x86_64-…/release`.
    pub(crate) place: String,
}

/// How often a crate was compiled, and the total processor time.
#[derive(Debug, Default, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Compiled {
    pub(crate) times: u32,
    pub(crate) seconds: f64,
}

/// Runs rustc with these arguments (the first is its path) and logs what it compiled.
pub(crate) fn instead_of_rustc(arguments: &[OsString], log: &OsString) -> ExitCode {
    let Some((rustc, rest)) = arguments.split_first() else { return ExitCode::from(2) };
    let finished = Command::new(rustc).args(rest).spawn().and_then(Wait4::wait4);
    let Ok(finished) = finished else { return ExitCode::from(2) };
    let words: Vec<_> = rest.iter().map(|word| word.to_string_lossy()).collect();
    let after = |flag: &str| words.iter().position(|word| word == flag).and_then(|place| words.get(place + 1));
    // Cargo also queries rustc; such a call has no crate name, or `___`.
    if let (Some(name), Some(folder)) = (after("--crate-name"), after("--out-dir"))
        && name != "___"
    {
        let time = finished.rusage.utime + finished.rusage.stime;
        let line = format!("{name}\t{}\t{}\n", place(folder), time.as_millis());
        // A single write keeps lines of parallel compilers whole.
        let log = OpenOptions::new().create(true).append(true).open(log);
        let _ = log.and_then(|mut log| log.write_all(line.as_bytes()));
    }
    finished.status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// The profile's folder: `x86_64-unknown-linux-gnu/release` for `…/target/x86_64-unknown-linux-gnu/release/deps`.
/// Ignores cargo's folders below it (`build/NAME/HASH`, `deps`, `examples`).
fn place(folder: &str) -> String {
    let parts: Vec<&str> = Path::new(folder).iter().filter_map(|part| part.to_str()).collect();
    let own = parts.iter().rposition(|part| ["deps", "build", "examples"].contains(part)).unwrap_or(parts.len());
    let profile = own.saturating_sub(1);
    let has_target = profile > 0 && parts[profile - 1].split('-').count() >= 3;
    parts[profile - usize::from(has_target)..own].join("/")
}

/// Sums up the lines of a log.
pub(crate) fn read(log: &str) -> BTreeMap<Crate, Compiled> {
    let mut all = BTreeMap::<Crate, Compiled>::new();
    for line in log.lines() {
        let mut parts = line.split('\t');
        let (Some(name), Some(place), Some(millis)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let one = all.entry(Crate { name: name.to_owned(), place: place.to_owned() }).or_default();
        one.times += 1;
        one.seconds += Duration::from_millis(millis.parse().unwrap_or(0)).as_secs_f64();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_profile_and_target() {
        for (folder, expected) in [
            ("/a/target/debug/deps", "debug"),
            ("/a/target/projects/x86_64-unknown-linux-gnu/release/deps", "x86_64-unknown-linux-gnu/release"),
            ("/a/target/wasm32-unknown-unknown/wasm/build/serde-12/out", "wasm32-unknown-unknown/wasm"),
            ("/a/target/release/build/serde-12", "release"),
        ] {
            assert_eq!(place(folder), expected);
        }
    }

    #[test]
    fn lines_of_the_same_crate_are_added_up() {
        let all = read("syn\tdebug\t1500\nserde\tdebug\t100\nsyn\tdebug\t500\nsyn\trelease\t1\ntorn");
        assert_eq!(all.len(), 3);
        let syn = all[&Crate { name: "syn".into(), place: "debug".into() }];
        assert_eq!(syn, Compiled { times: 2, seconds: 2.0 });
    }
}
