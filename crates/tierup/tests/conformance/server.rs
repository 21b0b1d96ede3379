//! A server: the host's driver, which makes calls as the server's own code does. Under a rollout inside the process it calls the
//! tier `0:different`, and has a control file and the evidence beside that file.

use std::{
    collections::BTreeMap,
    fmt, fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use rustix::process::Signal;
use tempfile::TempDir;
use tierup_check::{Inside, outcome};
use tierup_codegen::{
    Command, Host, Machine, Row, Variant,
    abi::{Value, encode_arguments},
};
use tierup_parity::Outcome;
use tierup_project::Loaded;
use tierup_runner::{Call, CallAnswer, CallEnding, Driver};

use crate::{
    PATIENCE,
    processes::{Kind, Processes},
};

/// Its name, the lines of the control file (none: no rollout), and what happens. It gets a server that was not started yet.
pub(crate) type Scenario = (&'static str, &'static str, fn(Server<'_>));

pub(crate) const NO_ROLLOUT: &str = "";

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
        if lines != NO_ROLLOUT {
            server.control(lines);
        }
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
        let java = "-XX:-CreateCoredumpOnCrash -XX:ErrorFile=/dev/null";
        // PHP finds a running companion by this folder.
        let folder = self.folder.path().to_string_lossy();
        let mut own = vec![("TMPDIR", &*folder), ("ERL_CRASH_DUMP_SECONDS", "0"), ("JAVA_TOOL_OPTIONS", java)];
        let control = self.control_file();
        if control.exists() {
            own.push(("TIERUP_ROLLOUT", control.to_str().unwrap()));
        }
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
    pub(crate) fn call(&mut self, row: &dyn fmt::Display, name: &str, arguments: &[Value]) -> Option<Outcome> {
        let interface = &self.loaded.project.interface;
        let number = self.number(name);
        let function = &interface.functions[number];
        let bytes = encode_arguments(arguments, function, interface).unwrap();
        let driver = self.driver.as_mut().expect("it was started");
        let answer = driver.call(row, number as u32, 1, &bytes, PATIENCE).ok()?;
        Some(outcome(answer.ending, function, interface))
    }

    /// Makes a call at a row, after which the server lives.
    #[track_caller]
    pub(crate) fn at(&mut self, row: &dyn fmt::Display, name: &str, arguments: &[Value]) -> Outcome {
        self.call(row, name, arguments).unwrap_or_else(|| panic!("{row} {name}: the server ended: {}", self.said()))
    }

    /// Makes calls of a row at the same time: the row was called before. PHP makes them one after the other.
    #[track_caller]
    pub(crate) fn together(&mut self, row: &dyn fmt::Display, calls: &[(&str, Vec<Value>)]) -> Vec<Outcome> {
        let requests: Vec<_> = calls.iter().map(|(name, arguments)| self.request(row, name, arguments)).collect();
        let endings = self.at_once(&requests);
        let interface = &self.loaded.project.interface;
        let functions = calls.iter().map(|(name, _)| &interface.functions[self.number(name)]);
        endings.into_iter().zip(functions).map(|(ending, function)| outcome(ending, function, interface)).collect()
    }

    /// Closes a row's binding, and returns its metrics.
    #[track_caller]
    pub(crate) fn close(&mut self, row: &dyn fmt::Display) -> Metrics {
        let driver = self.driver.as_mut().expect("it was started");
        let answer = driver.call(&format!("close {row}"), 0, 0, &[], PATIENCE).unwrap();
        Metrics::of(answer.ending)
    }

    /// Makes these requests at the same time.
    #[track_caller]
    pub(crate) fn at_once(&mut self, requests: &[Vec<u8>]) -> Vec<CallEnding> {
        let arguments = [(requests.len() as u32).to_le_bytes().to_vec(), requests.concat()].concat();
        let driver = self.driver.as_mut().expect("it was started");
        let answer = driver.call(&"together", 0, 1, &arguments, PATIENCE).unwrap();
        let CallEnding::Ok(bytes) = answer.ending else { panic!("{answer:?}") };
        let mut rest = &bytes[..];
        let mut endings = vec![];
        while let Some((length, content)) = rest.split_first_chunk() {
            let (frame, after) = content.split_at(u32::from_le_bytes(*length) as usize);
            endings.push(CallAnswer::parse(frame).unwrap().ending);
            rest = after;
        }
        assert_eq!(endings.len(), requests.len());
        endings
    }

    /// Makes calls of a row until one is answered.
    #[track_caller]
    pub(crate) fn answers(&mut self, row: &dyn fmt::Display) {
        let expected = Outcome::Ok(Some(text("answered")));
        self.until("a call is answered", |server| server.at(row, "echo_text", &[text("answered")]) == expected);
    }

    /// To close a row's binding after a second.
    pub(crate) fn close_request(&self, row: &dyn fmt::Display) -> Vec<u8> {
        Call { row: &format!("close {row}"), function: 0, repeat: 1000, arguments: &[], patience: PATIENCE }.frame()
    }

    pub(crate) fn request(&self, row: &dyn fmt::Display, name: &str, arguments: &[Value]) -> Vec<u8> {
        let interface = &self.loaded.project.interface;
        let number = self.number(name);
        let arguments = &encode_arguments(arguments, &interface.functions[number], interface).unwrap();
        Call { row: &row.to_string(), function: number as u32, repeat: 1, arguments, patience: PATIENCE }.frame()
    }

    /// The rows in Rust that this host can run here, apart from whole servers.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let variants = self.host.supported(&Machine::this()).into_iter();
        variants.filter(|variant| *variant != Variant::Server).map(Row::Variant).collect()
    }

    pub(crate) fn is(&self, host: &str) -> bool {
        self.host.name() == host
    }

    pub(crate) fn processes(&self) -> Processes {
        Processes(self.folder.path().to_owned())
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
            if self.writes_with_calls() && self.driver.is_some() && self.control_file().exists() {
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
        self.processes().signal(Kind::Any, signal)
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

/// What `metrics()` tells.
#[derive(Debug)]
pub(crate) struct Metrics(BTreeMap<String, String>);

impl Metrics {
    #[track_caller]
    pub(crate) fn of(ending: CallEnding) -> Metrics {
        let CallEnding::Ok(bytes) = ending else { panic!("{ending:?}") };
        let lines = String::from_utf8(bytes).unwrap();
        let pair = |line: &str| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
        Metrics(lines.lines().map(|line| pair(line).unwrap()).collect())
    }

    #[track_caller]
    pub(crate) fn get(&self, name: &str) -> &str {
        self.0.get(name).unwrap_or_else(|| panic!("{self:?} has no {name}"))
    }

    /// The counts that are not 0.
    pub(crate) fn counts(&self) -> String {
        let counts = ["calls", "errors", "panics", "timeouts", "lost"];
        shown(&counts.map(|name| (name.to_owned(), self.get(name).parse().unwrap())).into())
    }
}

/// The counts that are not 0.
fn shown(counts: &BTreeMap<String, u64>) -> String {
    let counts = counts.iter().filter(|(_, count)| **count > 0);
    counts.map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}
