//! A server that runs in the background until it is stopped.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    process::{Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::{
    Error, Result, http,
    interrupt::Watch,
    output::{Tail, each_line},
    port,
    process::{folder, not_started},
    tree::{Signal, Tree, ending},
};

/// The server to start, and the condition for being ready.
#[derive(Debug)]
pub struct Start<'a> {
    pub command: &'a tierup_codegen::Command,
    /// A relative folder of the command starts from here.
    pub root: &'a Path,
    pub environment: &'a [(String, String)],
    /// The port that the server will listen on, which its environment or arguments contain.
    pub port: u16,
    pub ready: Ready,
    /// How long the server may take to be ready on a machine with nothing else to do. It gets more time on a busy one.
    pub deadline: Duration,
}

/// The condition for a server to be ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ready {
    /// Its port accepts connections.
    Accepts,
    /// A GET request for this path is answered.
    Answers(String),
}

/// A running server. If it is dropped before it is stopped, it is killed.
#[derive(Debug)]
pub struct Server {
    tree: Tree,
    address: SocketAddr,
    log: Arc<Mutex<Tail>>,
}

impl Server {
    /// Starts a server and waits until it is ready.
    ///
    /// # Errors
    /// The port is taken, the program is missing, or the server exits or stays silent. In each case, none of its
    /// processes is left.
    pub fn start(start: &Start<'_>) -> Result<Server> {
        port::check_free(start.port)?;
        let folder = folder(start.command, start.root)?;
        let mut process = Command::new(&start.command.program);
        process.args(&start.command.arguments).current_dir(folder).stdin(Stdio::null());
        process.stdout(Stdio::piped()).stderr(Stdio::piped());
        process.envs(start.environment.iter().map(|(name, value)| (name, value)));
        process.envs(start.command.environment.iter().map(|(name, value)| (name, value)));
        let watch = Watch::new();
        let mut tree = Tree::start(&mut process).map_err(|error| not_started(&start.command.program, error))?;
        let log = Arc::new(Mutex::new(Tail::default()));
        if let (Some(out), Some(err)) = (tree.leader.stdout.take(), tree.leader.stderr.take()) {
            let (to_log, to_log_too) = (Arc::clone(&log), Arc::clone(&log));
            each_line(out, move |line| to_log.lock().unwrap_or_else(PoisonError::into_inner).push(line));
            each_line(err, move |line| to_log_too.lock().unwrap_or_else(PoisonError::into_inner).push(line));
        }
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, start.port));
        let mut server = Server { tree, address, log };
        server.wait_until_ready(start, &watch)?;
        Ok(server)
    }

    /// The process id of the program that was started; its workers are its descendants.
    pub fn pid(&self) -> u32 {
        self.tree.leader.id()
    }

    /// The address at which the server answers.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How the started program exited, if it has: `exit status 1`.
    pub fn ended(&mut self) -> Option<String> {
        self.tree.leader.try_wait().ok().flatten().map(ending)
    }

    /// The last lines that the server printed, of both streams as they came.
    pub fn log(&self) -> Vec<String> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).lines()
    }

    /// Asks the server to exit and waits. Processes that still run after `grace` are killed. Returns whether the server
    /// exited by itself.
    pub fn stop(mut self, grace: Duration) -> bool {
        stop(&mut self.tree, Signal::Terminate, grace, || false)
    }

    fn wait_until_ready(&mut self, start: &Start<'_>, watch: &Watch) -> Result<()> {
        let began = Instant::now();
        let command = || start.command.to_string();
        loop {
            if let Ok(Some(status)) = self.tree.leader.try_wait() {
                // The last output may still be in the pipe.
                thread::sleep(Duration::from_millis(100));
                let (port, ending, output) = (start.port, ending(status), self.log());
                return Err(Error::EndedEarly { command: command(), port, ending, output });
            }
            let ready = match &start.ready {
                Ready::Accepts => http::accepts(start.port),
                Ready::Answers(path) => http::answers(start.port, path),
            };
            if let Some(address) = ready {
                self.address = address;
                self.tree.remember();
                return Ok(());
            }
            if watch.arrived() > 0 {
                return Err(Error::Interrupted);
            }
            if began.elapsed() >= start.deadline.mul_f64(slowness()) {
                let (port, seconds, output) = (start.port, began.elapsed().as_secs(), self.log());
                return Err(Error::Unanswered { command: command(), port, seconds, output });
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// How many times as long as on an idle machine a program takes now, since programs share the processors: at most 10.
/// Only Linux says it without asking a library.
fn slowness() -> f64 {
    let average = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let running = average.split(' ').next().and_then(|number| number.parse::<f64>().ok()).unwrap_or_default();
    let processors = thread::available_parallelism().map_or(1, usize::from);
    (running / processors as f64).clamp(1.0, 10.0)
}

/// Ends a server in an order that loses no request. First its leader is asked, which knows best how to end its workers;
/// then the processes that the leader left behind are asked; then all are killed. `hurry` cuts the wait short.
///
/// Returns whether all processes exited by themselves.
pub(crate) fn stop(tree: &mut Tree, signal: Signal, grace: Duration, hurry: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + grace;
    let step = Duration::from_millis(50);
    tree.ask_leader(signal);
    while Instant::now() < deadline && !hurry() {
        if !matches!(tree.leader.try_wait(), Ok(None)) {
            break;
        }
        thread::sleep(step);
    }
    if !tree.wait_all(Duration::ZERO) {
        tree.ask_all(signal);
    }
    while Instant::now() < deadline && !hurry() {
        if tree.wait_all(step) {
            return true;
        }
    }
    let ended = tree.wait_all(Duration::ZERO);
    tree.kill_all();
    ended
}
