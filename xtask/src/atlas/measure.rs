//! Measures cells: `tierup check` first, which must find no difference, then `tierup bench --in-process` for each size. In:
//! functions of `atlas/`. Out: reports in `docs/data/atlas/`.

use std::{env, fs, path::Path};

use tierup_codegen::Command;

use super::{
    about::{Function, Size},
    cell::Gain,
    grid::kept,
    report::Report as Measured,
    wanted::Wanted,
};
use crate::{repository::root, step::Report};

/// The seed of every random choice, so that a run can be repeated.
const SEED: &str = "1";

/// Measures all cells that are wanted.
pub(super) fn run(report: &mut Report, functions: &[Function], wanted: &Wanted) {
    if let Some(name) = changed_builds() {
        let otherwise = format!("unset {name}: the figures would be those of a build that nobody makes");
        return report.check("the environment", false, &otherwise);
    }
    if !report.step("build of tierup", &Command::new("cargo", ["build", "--package", "tierup"])) {
        return;
    }
    for function in functions.iter().filter(|function| wanted.has_function(function)) {
        for host in function.about.hosts().filter(|host| wanted.has_host(host)) {
            let cell = InHost { function, host };
            for size in wanted.sizes() {
                if cell.check(report, size) {
                    cell.bench(report, size);
                }
            }
        }
    }
}

/// A variable that changes how Rust is compiled.
fn changed_builds() -> Option<String> {
    let names = env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let changes = |name: &String| {
        name.starts_with("CARGO_PROFILE_") || ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"].contains(&name.as_str())
    };
    names.into_iter().find(changes)
}

/// A function in one host.
struct InHost<'a> {
    function: &'a Function,
    host: &'a str,
}

impl InHost<'_> {
    fn project(&self) -> String {
        format!("atlas/{}", self.function.name)
    }

    /// What both commands are told: the host, its rows, and the requests of a size.
    fn choice(&self, size: Size) -> Vec<String> {
        let about = &self.function.about;
        let libraries = about.libraries(self.host);
        let rows: Vec<&str> =
            libraries.iter().map(|(row, _)| *row).chain(about.tiers.iter().map(String::as_str)).collect();
        let requests = format!("{}/{size}.http", self.project());
        ["--hosts", self.host, "--tiers", &rows.join(","), "--requests", &requests, "--seed", SEED]
            .map(str::to_owned)
            .into()
    }

    fn check(&self, report: &mut Report, size: Size) -> bool {
        let mut words = vec!["check".to_owned(), self.project(), "--only".to_owned(), "functions".to_owned()];
        words.extend(self.choice(size));
        if let Some(cases) = self.function.about.cases {
            words.extend(["--cases".to_owned(), cases.to_string()]);
            if cases == 0 {
                words.extend(["--hostile", "0"].map(str::to_owned));
            }
        }
        report.step(&self.name("check", size), &tierup(&words))
    }

    fn bench(&self, report: &mut Report, size: Size) {
        let mut words = vec!["bench".to_owned(), self.project(), "--in-process".to_owned()];
        words.extend(self.choice(size));
        let name = self.name("bench", size);
        if report.step(&name, &tierup(&words))
            && let Err(error) = self.keep(size)
        {
            report.check(&format!("{name}: the report"), false, &error);
        }
    }

    fn name(&self, command: &str, size: Size) -> String {
        format!("{} in {}, {size}: {command}", self.function.name, self.host)
    }

    /// Copies a report, after it was read as the page will read it.
    fn keep(&self, size: Size) -> Result<(), String> {
        let from = root().join(self.project()).join(".tierup/bench/in-process.json");
        let text = fs::read_to_string(&from).map_err(|error| format!("{}: {error}", from.display()))?;
        let text = without_paths(&text, &root())?;
        Gain::new(Measured::read(&text)?)?;
        let to = root().join(kept(&self.function.name, self.host, size));
        let folder = to.parent().unwrap_or(&to);
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&to, text))
            .map_err(|error| format!("{}: {error}", to.display()))
    }
}

/// A report that names no folder of the machine: paths in the repository begin at its root.
fn without_paths(report: &str, repository: &Path) -> Result<String, String> {
    let repository = repository.display().to_string();
    let report = report.replace(&format!("{repository}/"), "").replace(&repository, ".");
    let home = env::var_os("HOME").map(|home| home.to_string_lossy().into_owned()).filter(|home| home.len() > 1);
    match home.filter(|home| report.contains(&format!("{home}/"))) {
        Some(home) => Err(format!("the report names a file in {home}, which is not for others to see")),
        None => Ok(report),
    }
}

/// The program, which cargo puts into the same folder as this one.
fn tierup(words: &[String]) -> Command {
    let here = env::current_exe().unwrap_or_default();
    Command::new(&here.with_file_name("tierup").display().to_string(), words.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_at_the_repository() {
        let text = r#"{"source":"/srv/repository/atlas/a/small.http","folder":"/srv/repository"}"#;
        let expected = r#"{"source":"atlas/a/small.http","folder":"."}"#;
        assert_eq!(without_paths(text, Path::new("/srv/repository")).as_deref(), Ok(expected));
    }
}
