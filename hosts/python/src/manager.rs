//! The package manager of a server: uv, Poetry, PDM, Pipenv, or pip with a `requirements.txt`.
//!
//! In: the server's folder. Out: the manager, its commands, and how to find out whether anything is missing.

use tierup_codegen::{Command, Install, IsThere, ServerFolder};
use toml::{Table, Value};

use crate::environment;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manager {
    Uv,
    Poetry,
    Pdm,
    Pipenv,
    Pip,
}

/// The file that lists a server's dependencies for pip.
pub(crate) const REQUIREMENTS: &str = "requirements.txt";
const MANIFEST: &str = "pyproject.toml";
const LOCK_FILES: &[(&str, Manager)] = &[
    ("uv.lock", Manager::Uv),
    ("poetry.lock", Manager::Poetry),
    ("pdm.lock", Manager::Pdm),
    ("Pipfile.lock", Manager::Pipenv),
    ("Pipfile", Manager::Pipenv),
    (REQUIREMENTS, Manager::Pip),
];
const INSTALLED: &str = include_str!("../templates/install/installed.py");

/// The manager and the file that shows it: a lock file, or `requirements.txt`, or a manifest with a table for the
/// manager.
pub(crate) fn found(folder: &dyn ServerFolder) -> Option<(Manager, &'static str)> {
    let by_file = LOCK_FILES.iter().find(|(name, _)| folder.exists(name)).map(|(name, manager)| (*manager, *name));
    by_file.or_else(|| {
        let tools = table(folder, MANIFEST).get("tool")?.as_table()?.clone();
        let known = [("uv", Manager::Uv), ("poetry", Manager::Poetry), ("pdm", Manager::Pdm)];
        known.into_iter().find(|(name, _)| tools.contains_key(*name)).map(|(_, manager)| (manager, MANIFEST))
    })
}

/// How to install the dependencies of the server in `folder`.
pub(crate) fn install(folder: &dyn ServerFolder) -> Install {
    let Some((manager, file)) = found(folder) else { return Install::default() };
    let environment = environment::read(folder);
    let mut found_by = file.to_owned();
    let is_locked = file.ends_with(".lock");
    let commands = match manager {
        // `--inexact` keeps packages that the owner added by hand.
        Manager::Uv if is_locked => vec![Command::new("uv", ["sync", "--frozen", "--inexact"])],
        Manager::Uv => vec![Command::new("uv", ["sync", "--inexact"])],
        Manager::Poetry => vec![Command::new("poetry", ["install", "--no-interaction"])],
        Manager::Pdm if is_locked => vec![Command::new("pdm", ["install", "--frozen-lockfile"])],
        Manager::Pdm => vec![Command::new("pdm", ["install"])],
        Manager::Pipenv if is_locked => vec![Command::new("pipenv", ["sync"])],
        Manager::Pipenv => vec![Command::new("pipenv", ["install"])],
        Manager::Pip => {
            let mut commands = Vec::new();
            if !folder.exists(&environment) {
                commands.push(Command::new("python3", ["-m", "venv", &environment]));
            } else if !has_pip(folder, &environment) {
                found_by.push_str(&format!(", and there is no pip in {environment}"));
            }
            commands.push(pip(folder, &["-r", REQUIREMENTS]));
            commands
        }
    };
    let decided_by = [file, MANIFEST].into_iter().filter(|name| folder.exists(name)).map(str::to_owned);
    let (mut decided_by, is_there) = (decided_by.collect::<Vec<_>>(), is_there(folder, manager, file));
    decided_by.dedup();
    Install { commands, found_by, decided_by, leaves: environment, is_there }
}

/// `pip install` into the server's environment. If it has no pip, as environments of uv, uv installs.
pub(crate) fn pip(folder: &dyn ServerFolder, what: &[&str]) -> Command {
    let environment = environment::read(folder);
    let python = environment::python(&environment);
    let start: &[&str] = match folder.exists(&environment) && !has_pip(folder, &environment) {
        true => &["uv", "pip", "install", "--python", &python],
        false => &[&python, "-m", "pip", "install", "--disable-pip-version-check"],
    };
    Command::new(start[0], start[1..].iter().chain(what).copied())
}

fn has_pip(folder: &dyn ServerFolder, environment: &str) -> bool {
    let versions = folder.names(&format!("{environment}/lib"));
    let places = versions.iter().map(|version| format!("{environment}/lib/{version}/site-packages/pip"));
    let shares = || {
        let settings = folder.read(&format!("{environment}/pyvenv.cfg")).unwrap_or_default();
        settings.lines().any(|line| line.replace(' ', "") == "include-system-site-packages=true")
    };
    places.chain([format!("{environment}/Lib/site-packages/pip")]).any(|place| folder.exists(&place)) || shares()
}

/// Asks the Python that runs the server: its environment's, the one that a manager's `run` finds, or `python3`.
fn is_there(folder: &dyn ServerFolder, manager: Manager, file: &str) -> IsThere {
    let asked = match manager {
        Manager::Pip => vec!["-r".to_owned(), REQUIREMENTS.to_owned()],
        Manager::Pipenv => pipenv_pins(folder),
        Manager::Uv | Manager::Poetry | Manager::Pdm => pins(folder, file),
    };
    if asked.is_empty() {
        return IsThere::No;
    }
    let own = environment::python(&environment::read(folder));
    let mut words = match folder.start() {
        // These managers keep environments in a cache folder that only they know.
        [program, run, ..] if run == "run" && ["poetry", "pdm", "pipenv"].contains(&&**program) => {
            vec![program.as_str(), "run", "python"]
        }
        _ if folder.exists(&own) => vec![own.as_str()],
        _ => vec!["python3"],
    };
    words.extend(["-c", INSTALLED]);
    words.extend(asked.iter().map(String::as_str));
    IsThere::Ask(Command::new(words[0], words[1..].iter().copied()))
}

/// The direct dependencies as requirements, with their versions in the lock file.
fn pins(folder: &dyn ServerFolder, lock_file: &str) -> Vec<String> {
    let lock = table(folder, lock_file);
    let packages = lock.get("package").and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |package: &Value, key: &str| package.get(key).and_then(Value::as_str).map(str::to_owned);
    let wanted = direct(&table(folder, MANIFEST));
    let pins = packages.iter().filter_map(|package| {
        let (name, version) = (text(package, "name")?, text(package, "version")?);
        wanted.contains(&normal(&name)).then(|| format!("{name}=={version}"))
    });
    pins.collect()
}

/// The names of the dependencies in a manifest, except those for development.
fn direct(manifest: &Table) -> Vec<String> {
    let project = manifest.get("project").and_then(|project| project.get("dependencies")).and_then(Value::as_array);
    let poetry = manifest.get("tool").and_then(|tools| tools.get("poetry")?.get("dependencies")?.as_table());
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let of_project = project.into_iter().flatten().filter_map(|requirement| {
        let requirement = requirement.as_str()?;
        // A dependency with a condition may rightly be missing on this machine.
        (!requirement.contains(';')).then(|| requirement.split(|c| !is_name(c)).next().unwrap_or_default())
    });
    let of_poetry = poetry.into_iter().flatten().map(|(name, _)| name.as_str()).filter(|name| *name != "python");
    of_project.chain(of_poetry).map(normal).collect()
}

fn pipenv_pins(folder: &dyn ServerFolder) -> Vec<String> {
    let lock: serde_json::Value =
        serde_json::from_str(&folder.read("Pipfile.lock").unwrap_or_default()).unwrap_or_default();
    let packages = lock["default"].as_object().into_iter().flatten();
    let pins = packages.filter(|(_, package)| package["markers"].is_null());
    pins.filter_map(|(name, package)| Some(format!("{name}{}", package["version"].as_str()?))).collect()
}

/// A name in the form in which package indexes compare names.
fn normal(name: &str) -> String {
    name.to_lowercase().replace(['_', '.'], "-")
}

fn table(folder: &dyn ServerFolder, name: &str) -> Table {
    folder.read(name).and_then(|text| text.parse().ok()).unwrap_or_default()
}

/// `pip install -e ./.tierup/python[wasm]` or the manager's equivalent: a link, so that later builds are found.
pub(crate) fn add(folder: &dyn ServerFolder, way: &str) -> Command {
    let with_extra = format!("{way}[wasm]");
    match found(folder).map(|(manager, _)| manager) {
        Some(Manager::Uv) => Command::new("uv", ["add", "--editable", with_extra.as_str()]),
        Some(Manager::Poetry) => Command::new("poetry", ["add", "--editable", with_extra.as_str()]),
        Some(Manager::Pdm) => Command::new("pdm", ["add", "--dev", "--editable", with_extra.as_str()]),
        Some(Manager::Pipenv) => Command::new("pipenv", ["install", "--editable", with_extra.as_str()]),
        Some(Manager::Pip) | None if folder.exists(&environment::read(folder)) => pip(folder, &["-e", &with_extra]),
        Some(Manager::Pip) | None => Command::new("pip", ["install", "-e", with_extra.as_str()]),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// A server's folder for tests: its files with their texts, and the command that starts the server.
    pub(crate) struct InMemory(BTreeMap<&'static str, &'static str>, Vec<String>);

    impl InMemory {
        pub(crate) fn new(files: impl IntoIterator<Item = (&'static str, &'static str)>, start: &str) -> InMemory {
            InMemory(files.into_iter().collect(), start.split_whitespace().map(str::to_owned).collect())
        }
    }

    impl ServerFolder for InMemory {
        fn start(&self) -> &[String] {
            &self.1
        }
        fn read(&self, name: &str) -> Option<String> {
            self.0.get(name).map(|text| (*text).to_owned())
        }
        fn names(&self, folder: &str) -> Vec<String> {
            let inside =
                self.0.keys().filter_map(|name| name.strip_prefix(folder)?.strip_prefix('/')?.split('/').next());
            inside.map(str::to_owned).collect()
        }
        fn exists(&self, name: &str) -> bool {
            self.0.keys().any(|there| *there == name || there.starts_with(&format!("{name}/")))
        }
    }

    #[track_caller]
    fn check(files: &[(&'static str, &'static str)], found_by: &str, commands: &[&str]) {
        let install = install(&InMemory::new(files.iter().copied(), ""));
        let shown: Vec<_> = install.commands.iter().map(Command::to_string).collect();
        assert_eq!((install.found_by.as_str(), shown), (found_by, commands.iter().map(|c| (*c).to_owned()).collect()));
    }

    #[test]
    fn a_lock_file_tells_the_manager() {
        let project = ("pyproject.toml", "[project]\nname = \"shop\"\n");
        check(&[project, ("uv.lock", ""), ("requirements.txt", "")], "uv.lock", &["uv sync --frozen --inexact"]);
        check(&[project, ("poetry.lock", "")], "poetry.lock", &["poetry install --no-interaction"]);
        check(&[project, ("pdm.lock", "")], "pdm.lock", &["pdm install --frozen-lockfile"]);
        check(&[("Pipfile", ""), ("Pipfile.lock", "{}")], "Pipfile.lock", &["pipenv sync"]);
        check(&[("pyproject.toml", "[tool.poetry]\n")], "pyproject.toml", &["poetry install --no-interaction"]);
        check(&[project], "", &[]);
    }

    #[cfg(not(windows))]
    #[test]
    fn uv_installs_into_an_environment_without_pip() {
        let requirements = ("requirements.txt", "flask\n");
        let pip = ".venv/bin/python -m pip install --disable-pip-version-check -r requirements.txt";
        check(&[requirements], "requirements.txt", &["python3 -m venv .venv", pip]);
        let with_pip = (".venv/lib/python3.12/site-packages/pip/__init__.py", "");
        check(&[requirements, with_pip], "requirements.txt", &[pip]);
        check(
            &[requirements, (".venv/lib/python3.12/site-packages/flask/__init__.py", "")],
            "requirements.txt, and there is no pip in .venv",
            &["uv pip install --python .venv/bin/python -r requirements.txt"],
        );
    }

    #[cfg(not(windows))]
    #[test]
    fn dependencies_are_looked_up_by_the_servers_python() {
        let asked = |files: &[(&'static str, &'static str)], start: &str| {
            let IsThere::Ask(command) = install(&InMemory::new(files.iter().copied(), start)).is_there else {
                panic!("nobody is asked for {files:?}")
            };
            let arguments = command.arguments.iter().take_while(|argument| *argument != "-c");
            [command.program.clone()].into_iter().chain(arguments.cloned()).collect::<Vec<_>>().join(" ")
        };
        let environments = [".venv", "venv"].map(|name| format!("{name}/bin/python"));
        let there =
            ["venv/pyvenv.cfg", "venv/bin/python", ".venv/pyvenv.cfg", ".venv/bin/python"].map(|name| (name, ""));
        let with = |name, text| there.into_iter().chain([(name, text)]).collect::<Vec<_>>();
        let requirements = with("requirements.txt", "flask");
        assert_eq!(asked(&requirements, "python server.py"), environments[0]);
        assert_eq!(asked(&requirements, "venv/bin/python server.py"), environments[1]);
        assert_eq!(asked(&[("requirements.txt", "flask")], "python server.py"), "python3");
        let lock = ("poetry.lock", "[[package]]\nname = \"flask\"\nversion = \"3.0\"\n");
        let manifest = ("pyproject.toml", "[tool.poetry.dependencies]\nflask = \"3\"\n");
        assert_eq!(asked(&[lock, manifest], "poetry run python server.py"), "poetry run python");
        assert_eq!(asked(&[lock, manifest], "python server.py"), "python3");
    }

    #[cfg(not(windows))]
    #[test]
    fn the_environment_in_the_start_command_is_made() {
        let install = install(&InMemory::new([("requirements.txt", "flask")], "venv/bin/python server.py"));
        let shown: Vec<_> = install.commands.iter().map(Command::to_string).collect();
        let pip = "venv/bin/python -m pip install --disable-pip-version-check -r requirements.txt";
        assert_eq!((install.leaves.as_str(), shown), ("venv", vec!["python3 -m venv venv".to_owned(), pip.to_owned()]));
    }

    #[test]
    fn each_manager_is_given_a_path() {
        let added = |name: &'static str| add(&InMemory::new([(name, "")], ""), "../.tierup/python").to_string();
        assert_eq!(added("app.py"), "pip install -e '../.tierup/python[wasm]'");
        assert_eq!(added("uv.lock"), "uv add --editable '../.tierup/python[wasm]'");
        assert_eq!(added("poetry.lock"), "poetry add --editable '../.tierup/python[wasm]'");
    }

    #[test]
    fn direct_dependencies_in_the_lock_file_must_be_installed() {
        let manifest = "[project]\ndependencies = [\"Flask_Login>=1\", \"tomli; python_version < '3.11'\"]\n";
        let lock =
            "[[package]]\nname = \"flask-login\"\nversion = \"1.2\"\n[[package]]\nname = \"click\"\nversion = \"8\"\n";
        let folder = InMemory::new([("pyproject.toml", manifest), ("uv.lock", lock)], "");
        assert_eq!(pins(&folder, "uv.lock"), ["flask-login==1.2"]);
        let lock = r#"{"default": {"flask": {"version": "==3.0"}, "x": {"version": "==1", "markers": "os == 'x'"}}}"#;
        assert_eq!(pipenv_pins(&InMemory::new([("Pipfile.lock", lock)], "")), ["flask==3.0"]);
    }
}
