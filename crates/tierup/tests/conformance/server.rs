//! A server under a rollout inside the process: the host's driver, which makes calls of the tier `0:different` as the server's
//! own code does, its control file, and the evidence beside that file.

use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;
use tierup_check::{Inside, outcome};
use tierup_codegen::{
    Command, Host, Row, Variant,
    abi::{Value, encode_arguments},
};
use tierup_parity::Outcome;
use tierup_project::Loaded;
use tierup_runner::Driver;

use crate::PATIENCE;

pub(crate) struct Server<'a> {
    host: &'a dyn Host,
    loaded: &'a Loaded,
    folder: TempDir,
    driver: Option<Driver>,
}

impl<'a> Server<'a> {
    /// A server that does not run yet, with these lines in its control file.
    pub(crate) fn new(host: &'a dyn Host, loaded: &'a Loaded, lines: &str) -> Server<'a> {
        let server = Server { host, loaded, folder: tempfile::tempdir().unwrap(), driver: None };
        server.control(lines);
        server
    }

    pub(crate) fn control_file(&self) -> PathBuf {
        self.folder.path().join("rollout")
    }

    /// The folder of the evidence.
    pub(crate) fn evidence(&self) -> PathBuf {
        self.folder.path().join("rollout.evidence")
    }

    /// Replaces the control file in one step.
    pub(crate) fn control(&self, lines: &str) {
        let part = self.folder.path().join("part");
        fs::write(&part, lines).unwrap();
        fs::rename(part, self.control_file()).unwrap();
    }

    /// Starts it, or another one after it, and waits until its calls are counted.
    pub(crate) fn start(&mut self, environment: &[(&str, &str)]) {
        let before = self.inside().hosts.len();
        self.spawn(environment);
        // It is not pure, so that it is not counted.
        self.gives("count_calls", &[], Value::Integer(0));
        // In PHP, the first call of a pure function begins to count.
        if !self.writes_with_calls() {
            self.until("the evidence begins", |server| server.inside().hosts.len() > before);
        }
    }

    /// Starts it. The package is loaded by the first call.
    pub(crate) fn spawn(&mut self, environment: &[(&str, &str)]) {
        self.end();
        let (_, driver) = self.host.driver(&self.loaded.project, self.loaded.host(self.host.name()).unwrap());
        // Dumps of memory take long; Java also writes a report into its folder.
        let script = "ulimit -c 0; exec \"$@\" 2>>\"$0/said\"";
        let arguments = ["-c", script, &self.folder.path().to_string_lossy(), &driver.program].map(str::to_owned);
        let arguments = arguments.into_iter().chain(driver.arguments.iter().cloned());
        let command = Command { program: "sh".to_owned(), arguments: arguments.collect(), ..driver };
        let control = self.control_file().to_string_lossy().into_owned();
        let java = "-XX:-CreateCoredumpOnCrash -XX:ErrorFile=/dev/null";
        // PHP finds a running companion by this folder.
        let folder = self.folder.path().to_string_lossy();
        let own = [
            ("TIERUP_ROLLOUT", control.as_str()),
            ("TMPDIR", &folder),
            ("ERL_CRASH_DUMP_SECONDS", "0"),
            ("JAVA_TOOL_OPTIONS", java),
        ];
        let environment = own.iter().chain(environment).map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let root = self.loaded.folder.join(".tierup");
        self.driver =
            Some(Driver::start(&command, &root, &environment.collect::<Vec<_>>()).expect("the driver starts"));
    }

    /// Kills it.
    pub(crate) fn end(&mut self) {
        self.driver = None;
    }

    /// Makes a call at a row. `None`: the server ended.
    pub(crate) fn call(&mut self, row: &Row, name: &str, arguments: &[Value]) -> Option<Outcome> {
        let interface = &self.loaded.project.interface;
        let number = self.number(name);
        let function = &interface.functions[number];
        let bytes = encode_arguments(arguments, function, interface).unwrap();
        let driver = self.driver.as_mut().expect("it was started");
        let answer = driver.call(row, number as u32, 1, &bytes, PATIENCE).ok()?;
        Some(outcome(answer.ending, function, interface))
    }

    /// Makes a call as the server does.
    pub(crate) fn try_answer(&mut self, name: &str, arguments: &[Value]) -> Option<Outcome> {
        self.call(&Row::Baseline(Some("different".to_owned())), name, arguments)
    }

    pub(crate) fn answer(&mut self, name: &str, arguments: &[Value]) -> Outcome {
        self.try_answer(name, arguments).unwrap_or_else(|| panic!("{name}: the server ended: {}", self.said()))
    }

    #[track_caller]
    pub(crate) fn gives(&mut self, name: &str, arguments: &[Value], expected: Value) {
        let found = self.answer(name, arguments);
        assert!(found == Outcome::Ok(Some(expected.clone())), "{name}: {found:.300}, not {expected:.300?}");
    }

    /// The number of a function.
    pub(crate) fn number(&self, name: &str) -> usize {
        self.loaded.project.interface.functions.iter().position(|function| function.name == name).unwrap()
    }

    /// Waits until these are the counts that are not 0: of the calls compared, and of those that the package saw.
    pub(crate) fn counts(&mut self, compared: &str, calls: &str) {
        let mut found = (String::new(), String::new());
        let is_so = self.comes(|server| {
            let inside = server.inside();
            found = (shown(&inside.compared), shown(&inside.calls));
            found == (compared.to_owned(), calls.to_owned())
        });
        assert!(is_so, "found {found:?}, not {:?}", (compared, calls));
    }

    #[track_caller]
    pub(crate) fn until(&mut self, what: &str, is_so: impl FnMut(&mut Self) -> bool) {
        assert!(self.comes(is_so), "not within {PATIENCE:?}: {what}; {}", self.said());
    }

    fn comes(&mut self, mut is_so: impl FnMut(&mut Self) -> bool) -> bool {
        let end = Instant::now() + PATIENCE;
        while !is_so(self) {
            if Instant::now() > end {
                return false;
            }
            thread::sleep(Duration::from_millis(50));
            if self.writes_with_calls() && self.driver.is_some() {
                // The candidate's own tier takes no part in the rollout, but reads its file and writes its counts.
                let _ = self.call(&Row::Variant(Variant::Native), "echo_text", &[text("")]);
            }
        }
        true
    }

    /// Whether the package has no thread that reads the control file and writes counts.
    fn writes_with_calls(&self) -> bool {
        self.host.name() == "php"
    }

    /// What all processes have counted.
    pub(crate) fn inside(&self) -> Inside {
        let files: Vec<_> = self.files("jsonl").into_iter().filter(|(_, text)| !text.is_empty()).collect();
        Inside::read(&files, self.files("died").len(), self.loaded)
    }

    /// The files of evidence with this ending, which only their owner may read.
    pub(crate) fn files(&self, ending: &str) -> Vec<(String, String)> {
        let folder = self.evidence();
        let Ok(entries) = fs::read_dir(&folder) else { return Vec::new() };
        let mode = |path: &Path| Ok::<_, io::Error>(fs::metadata(path)?.permissions().mode() & 0o777);
        let found =
            entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|it| it == ending));
        let found: io::Result<Vec<_>> = found
            .map(|path| {
                assert_eq!((mode(&folder)?, mode(&path)?), (0o700, 0o600), "{path:?}");
                Ok((path.display().to_string(), fs::read_to_string(&path)?))
            })
            .collect();
        // A process that ends may remove its file meanwhile.
        found.unwrap_or_default()
    }

    /// Everything that it wrote to standard error.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(self.folder.path().join("said")).unwrap_or_default()
    }

    /// Sends a signal to the companion and to the processes that it has started. Returns how many there are.
    pub(crate) fn signal(&self, signal: Signal) -> usize {
        let folder = self.folder.path().to_string_lossy().into_owned();
        let is_own = |process: &str| {
            let has = |file: &str, words: &str| {
                fs::read(format!("/proc/{process}/{file}"))
                    .is_ok_and(|text| String::from_utf8_lossy(&text).contains(words))
            };
            has("cmdline", "\0--tierup-") && has("environ", &folder)
        };
        let names =
            fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
        let own = names.filter(|name| is_own(name)).filter_map(|name| Pid::from_raw(name.parse().ok()?));
        own.filter(|process| kill_process(*process, signal).is_ok()).count()
    }
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        self.end();
        // In PHP, a companion outlives its server.
        self.signal(Signal::KILL);
    }
}

pub(crate) fn text(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}

/// The counts that are not 0.
fn shown(counts: &BTreeMap<String, u64>) -> String {
    let counts = counts.iter().filter(|(_, count)| **count > 0);
    counts.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}
