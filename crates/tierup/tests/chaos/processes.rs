//! Programs that can be killed, frozen and restarted.

use std::{
    fs::File,
    net::{SocketAddr, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The time limit for a program to listen again.
const START: Duration = Duration::from_secs(60);

/// A program, and how to start it.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    command: Box<dyn Fn() -> Command>,
    /// The address at which it listens, if any.
    address: Option<SocketAddr>,
    log: PathBuf,
    child: Option<Child>,
}

impl Program {
    pub(crate) fn start(
        name: &'static str,
        log: PathBuf,
        address: Option<SocketAddr>,
        command: impl Fn() -> Command + 'static,
    ) -> Program {
        let mut program = Program { name, command: Box::new(command), address, log, child: None };
        program.restart();
        program
    }

    /// Starts it, and waits until it listens.
    pub(crate) fn restart(&mut self) {
        let log = File::options().create(true).append(true).open(&self.log).expect("a log");
        let mut command = (self.command)();
        let copy = log.try_clone().expect("a log");
        let child = command.stdin(Stdio::null()).stdout(copy).stderr(log).spawn();
        self.child = Some(child.unwrap_or_else(|error| panic!("{} does not start: {error}", self.name)));
        let began = Instant::now();
        while let Some(address) = self.address {
            if TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok() {
                return;
            }
            assert!(began.elapsed() < START, "{} does not listen: {}", self.name, self.log());
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn signal(&self, signal: &str) {
        if let Some(child) = &self.child {
            let done = Command::new("kill").args([signal, &child.id().to_string()]).status();
            assert!(done.is_ok(), "there is a `kill`");
        }
    }

    /// The exit code, if the program has ended.
    pub(crate) fn ended(&mut self) -> Option<Option<i32>> {
        let status = self.child.as_mut()?.try_wait().expect("it is a child")?;
        self.child = None;
        Some(status.code())
    }

    /// Waits until the program has ended.
    pub(crate) fn wait(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.wait();
        }
    }

    /// The end of its log.
    pub(crate) fn log(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().rev().take(15).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SIGKILL also ends a frozen program.
        self.signal("-KILL");
        self.wait();
    }
}
