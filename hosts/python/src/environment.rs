//! The virtual environment of a server.
//!
//! In: the server's folder and the command that starts it. Out: the environment's folder, relative to the server's.

use tierup_codegen::ServerFolder;

/// The environment that tierup makes if a server has none.
const DEFAULT: &str = ".venv";
/// The folder with an environment's programs.
const PROGRAMS: &str = if cfg!(windows) { "Scripts" } else { "bin" };

/// The first environment that exists: the one whose program starts the server, `.venv`, or `venv`. If none does, the
/// environment to make.
pub(crate) fn read(folder: &dyn ServerFolder) -> String {
    let all = candidates(folder.start());
    let existing = all.iter().find(|name| folder.exists(&format!("{name}/pyvenv.cfg")));
    existing
        .or_else(|| all.iter().find(|name| may_be_made(name, folder.start())))
        .map_or(DEFAULT.to_owned(), String::clone)
}

/// The candidates for the environment of a server that this command starts, the likeliest first. Only a folder with a
/// `pyvenv.cfg` is an environment.
pub(crate) fn candidates(start: &[String]) -> Vec<String> {
    let of_start = start.first().and_then(|program| {
        let (programs, _) = split(program)?;
        let (environment, name) = split(programs)?;
        (name == PROGRAMS && !environment.is_empty()).then(|| environment.trim_start_matches("./").to_owned())
    });
    let mut all: Vec<String> = of_start.into_iter().collect();
    all.extend([DEFAULT, "venv"].map(str::to_owned).into_iter().filter(|name| !all.contains(name)).collect::<Vec<_>>());
    all
}

/// The folder with the environment's programs.
pub(crate) fn programs(environment: &str) -> String {
    format!("{environment}/{PROGRAMS}")
}

/// The environment's interpreter.
pub(crate) fn python(environment: &str) -> String {
    format!("{}/python", programs(environment))
}

/// tierup makes environments only in the server's folder, and under another name than its own only for interpreters.
fn may_be_made(environment: &str, start: &[String]) -> bool {
    let is_interpreter =
        start.first().and_then(|program| split(program)).is_some_and(|(_, name)| name.starts_with("python"));
    let is_absolute = environment.starts_with(['/', '\\']) || environment.contains(':');
    let is_inside = !is_absolute && !environment.split(['/', '\\']).any(|part| part == "..");
    environment == DEFAULT || (is_interpreter && is_inside)
}

/// A path's folder and its last part.
fn split(path: &str) -> Option<(&str, &str)> {
    path.rsplit_once(|c| c == '/' || (cfg!(windows) && c == '\\'))
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;
    use crate::manager::tests::InMemory;

    #[track_caller]
    fn check(start: &str, files: &[&'static str], expected: &str) {
        let folder = InMemory::new(files.iter().map(|name| (*name, "")), start);
        assert_eq!(read(&folder), expected, "{start}");
    }

    #[test]
    fn the_program_that_starts_the_server_decides_the_environment() {
        let both = [".venv/pyvenv.cfg", "venv/pyvenv.cfg", "tools/env/pyvenv.cfg", "/opt/env/pyvenv.cfg"];
        check("venv/bin/python server.py", &both, "venv");
        check("./venv/bin/gunicorn server:app", &both, "venv");
        check("tools/env/bin/python -m server", &both, "tools/env");
        check("/opt/env/bin/python server.py", &both, "/opt/env");
        // Programs outside an environment.
        check("python server.py", &both, ".venv");
        check("/usr/bin/python3 server.py", &both, ".venv");
        check("scripts/start.sh", &both, ".venv");
    }

    #[test]
    fn an_existing_environment_is_preferred() {
        check("python server.py", &["venv/pyvenv.cfg"], "venv");
        check("python server.py", &[], ".venv");
        check("venv/bin/python server.py", &[], "venv");
        check("tools/bin/start server.py", &[], ".venv");
        check("/usr/bin/python3 server.py", &[], ".venv");
        check("../shared/bin/python server.py", &[], ".venv");
        check("../shared/bin/python server.py", &["../shared/pyvenv.cfg"], "../shared");
    }
}
