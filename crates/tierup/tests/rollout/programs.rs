//! The two programs, which share a state folder.

use std::{
    fs::{self, File},
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use tierup_rollout::Control;

use crate::server::Server;

const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until the condition holds.
pub(crate) fn until(what: &str, mut is: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A folder for the state and the programs' output, and three servers.
pub(crate) struct World {
    folder: tempfile::TempDir,
    pub(crate) control: Server,
    pub(crate) candidate: Server,
    pub(crate) twin: Server,
}

/// A program that is killed when dropped.
pub(crate) struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Program {
    pub(crate) fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.0.id().to_string()]).status().unwrap().success());
    }

    pub(crate) fn has_ended(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().unwrap()
    }

    pub(crate) fn ended(&mut self) -> ExitStatus {
        until("the program ends", || self.has_ended().is_some());
        self.has_ended().unwrap()
    }
}

impl World {
    pub(crate) fn new() -> World {
        World {
            folder: tempfile::tempdir().unwrap(),
            control: Server::start("control"),
            candidate: Server::start("candidate"),
            twin: Server::start("twin"),
        }
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn tierup(&self, log: &str, arguments: &[&str]) -> Program {
        let log = File::options().create(true).append(true).open(self.folder.path().join(log)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_tierup"));
        command.current_dir(self.folder.path()).args(arguments).env("NO_COLOR", "1").stdin(Stdio::null());
        Program(command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap())
    }

    /// A proxy, and the address at which it listens.
    pub(crate) fn proxy(&self) -> (Program, SocketAddr) {
        let (control, candidate, twin) = (self.control.url(), self.candidate.url(), self.twin.url());
        let words = ["shadow", "--control", &control, "--candidate", &candidate, "--twin", &twin];
        let more = ["--listen", "127.0.0.1:0", "--state", "state", "--sticky", "header:X-User", "--threads", "1"];
        let proxy = self.tierup("proxy.log", &[&words[..], &more].concat());
        let mut address = None;
        until("the proxy listens", || {
            let log = self.log("proxy.log");
            let found = log.split_once("listening on http://").and_then(|(_, rest)| rest.split_once(": "));
            address = found.and_then(|(address, _)| address.parse().ok());
            address.is_some()
        });
        (proxy, address.unwrap())
    }

    /// A judge with short steps.
    pub(crate) fn judge(&self, more: &[&str]) -> Program {
        let words = ["ramp", "--state", "state", "--hold", "5s", "--tolerated", "10%"];
        self.tierup("judge.log", &[&words[..], more].concat())
    }

    /// The output of an order.
    pub(crate) fn order(&self, words: &[&str]) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tierup"));
        command.current_dir(self.folder.path()).arg("ramp").args(words).args(["--state", "state"]).env("NO_COLOR", "1");
        let output = command.output().unwrap();
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    }

    pub(crate) fn control_file(&self) -> Option<Control> {
        Control::parse(&fs::read_to_string(self.state().join("control")).ok()?).ok()
    }

    /// The candidate's weight in the control file, in 1/10,000.
    pub(crate) fn weight(&self) -> u16 {
        self.control_file().map_or(0, |control| control.weights.candidate.ten_thousandths())
    }

    /// The complete lines of the journal.
    pub(crate) fn journal(&self) -> Vec<serde_json::Value> {
        let journal = fs::read_to_string(self.state().join("decisions.jsonl")).unwrap_or_default();
        journal.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// All decisions so far, such as `advance 500`.
    pub(crate) fn decisions(&self) -> Vec<String> {
        let words =
            |decided: &serde_json::Value| format!("{} {}", decided["decision"].as_str().unwrap(), decided["weight"]);
        self.journal().iter().map(words).collect()
    }

    pub(crate) fn log(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }
}
