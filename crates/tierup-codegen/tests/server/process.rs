//! Builds the sample's server and runs it.

use std::fs;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::{Mutex, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tierup_codegen::{Machine, Project, shims};

use crate::build;

/// The program that the sample's routes become. Built in a folder that stays, so that only the first run is slow.
pub(crate) fn build() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let folder = build::folder("server");
        let project = crate::project::project(&folder.join("sample"));
        let members = ["json".to_owned(), "server".to_owned()];
        let mut files = shims::workspace(&project, &members);
        build::add(&mut files, shims::json::json(&project));
        build::add(&mut files, shims::server::server(&project, &Machine::this()).files);
        build::write(&folder.join(".tierup"), &files);
        build::sample(&folder);
        // Builds as the recipe does, but with the optimisations of other tests.
        cargo_build(&folder.join(".tierup"), "generated")
    })
}

/// The program of [`build`], ejected.
pub(crate) fn build_ejected() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        build();
        let mut project = crate::project::project(&build::folder("server").join("sample"));
        let program = eject("ejected", &project);
        // Even the smallest server must compile without warnings.
        project.routes.truncate(1);
        project.health = None;
        eject("ejected-least", &project);
        program
    })
}

fn eject(name: &str, project: &Project) -> PathBuf {
    let server = build::folder("server");
    let folder = server.join(name);
    let files = shims::server::eject(project, name, "../sample").expect("there are routes");
    build::write(&folder, &files);
    // Uses the versions that are built already.
    let lock = fs::read(server.join(".tierup/Cargo.lock")).expect("the first build made it");
    fs::write(folder.join("Cargo.lock"), lock).expect("written");
    cargo_build(&folder, name)
}

/// All servers have the same name, so each is copied under a name of its own.
fn cargo_build(folder: &Path, name: &str) -> PathBuf {
    build::cargo_build(&build::folder("server"), folder, "sample-server", &format!("{name}-server"))
}

/// A running server. It ends with the test.
pub(crate) struct Process {
    child: Mutex<Child>,
    pub(crate) port: u16,
    /// The port that answers `/livez` and `/readyz` only.
    pub(crate) admin: Option<u16>,
}

impl Process {
    pub(crate) fn start(program: &Path, environment: &[(&str, &str)]) -> Self {
        Self::spawn(command(program, environment))
    }

    /// Starts the server with a limit of open files, and with a closed standard error.
    pub(crate) fn start_limited(program: &Path, descriptors: u32, environment: &[(&str, &str)]) -> Self {
        let mut shell = command(Path::new("sh"), environment);
        shell.arg("-c").arg(format!("ulimit -n {descriptors}; exec \"$0\"")).arg(program);
        let process = Self::spawn(shell);
        drop(process.child.lock().expect("no other test failed").stderr.take());
        process
    }

    fn spawn(mut command: Command) -> Self {
        let mut child =
            command.env("PORT", "0").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the server starts");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("piped");
        let mut stdout = BufReader::new(stdout);
        stdout.read_line(&mut line).expect("it says where it listens");
        let port = line.strip_prefix("listening on http://127.0.0.1:").and_then(|rest| rest.split(' ').next());
        let port = port.and_then(|port| port.parse().ok()).unwrap_or_else(|| panic!("ready line: {line}"));
        let mut admin = None;
        if command.get_envs().any(|(name, _)| name == "TIERUP_ADMIN_PORT") {
            let mut line = String::new();
            stdout.read_line(&mut line).expect("it says where it is watched");
            admin = line.trim_end().rsplit(':').next().and_then(|port| port.parse().ok());
        }
        Process { child: Mutex::new(child), port, admin }
    }

    /// The most memory that was in use at a time, in MiB.
    pub(crate) fn most_memory(&self) -> u64 {
        let id = self.child.lock().expect("no other test failed").id();
        let status = fs::read_to_string(format!("/proc/{id}/status")).expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux says so");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
    }

    /// The first answer to this request, on the admin port.
    pub(crate) fn ask_admin(&self, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.admin.expect("it was asked for"))).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
        stream.write_all(request).expect("sent");
        read_answer(&mut BufReader::new(stream), false).expect("answered")
    }

    /// A client that sends `requests` again and again, and reads nothing, until the server takes no more.
    pub(crate) fn never_reads(&self, requests: &[u8]) -> TcpStream {
        let mut stream = self.connect();
        stream.set_write_timeout(Some(Duration::from_secs(1))).expect("set");
        while stream.write_all(requests).is_ok() {}
        stream
    }

    /// A client that has the first bytes of the answer, and reads on slowly until this is dropped.
    pub(crate) fn reads_slowly(&self, request: &[u8]) -> SlowReader {
        const A_TIME: usize = 1 << 20;
        let mut stream = self.connect();
        stream.write_all(request).expect("sent");
        stream.read_exact(&mut [0; 1000]).expect("answered");
        let connection = stream.try_clone().expect("another handle");
        let reader = thread::spawn(move || {
            let mut bytes = vec![0; A_TIME];
            while stream.read_exact(&mut bytes).is_ok() {
                thread::sleep(Duration::from_millis(200));
            }
        });
        SlowReader { connection, reader: Some(reader) }
    }

    /// Its standard error, to read while it runs.
    pub(crate) fn take_stderr(&self) -> ChildStderr {
        self.child.lock().expect("no other test failed").stderr.take().expect("nobody else took it")
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
        stream
    }

    /// The answers to these bytes, a line for each. After whole requests, the client ends the connection; otherwise the
    /// server must.
    pub(crate) fn answer(&self, request: &[u8]) -> String {
        let mut stream = self.connect();
        // The server may answer, and close, before it has read all.
        let _ = stream.write_all(request);
        let whole = is_whole(request);
        if whole {
            let _ = stream.write_all(b"GET /end HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
        }
        let mut reader = BufReader::new(stream);
        let mut answers: Vec<_> = {
            // An answer to HEAD has the length of a body, but no body.
            let mut bodiless = request.starts_with(b"HEAD ");
            std::iter::from_fn(|| read_answer(&mut reader, std::mem::take(&mut bodiless))).collect()
        };
        if whole && answers.len() > 1 && answers.last().is_some_and(|last| last == "404: not found") {
            answers.pop();
        }
        answers.join("\n")
    }

    /// Asks it to stop.
    pub(crate) fn signal(&self) {
        let id = self.child.lock().expect("no other test failed").id();
        let status = Command::new("kill").arg(id.to_string()).status().expect("kill starts");
        assert!(status.success());
    }

    /// Stops the server; returns how it ended, and what it wrote to standard error.
    pub(crate) fn terminate(&self) -> (ExitStatus, String) {
        let mut child = self.child.lock().expect("no other test failed");
        if child.try_wait().expect("a child").is_none() {
            let _ = Command::new("kill").arg(child.id().to_string()).status();
        }
        let mut stderr = String::new();
        if let Some(mut pipe) = child.stderr.take() {
            pipe.read_to_string(&mut stderr).expect("UTF-8");
        }
        (child.wait().expect("a child"), stderr)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(child) = self.child.get_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

pub(crate) struct SlowReader {
    connection: TcpStream,
    reader: Option<JoinHandle<()>>,
}

impl SlowReader {
    /// Whether the answer still comes.
    pub(crate) fn is_reading(&self) -> bool {
        self.reader.as_ref().is_some_and(|reader| !reader.is_finished())
    }
}

impl Drop for SlowReader {
    fn drop(&mut self) {
        // The thread's next read fails, which ends it.
        let _ = self.connection.shutdown(Shutdown::Both);
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

/// Whether these bytes are one whole request.
fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, _)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    match length.map(|length| length.parse::<usize>().expect("a length")) {
        Some(length) => request.len() == head.len() + 4 + length,
        None => request.ends_with(b"\r\n\r\n"),
    }
}

/// The next answer: its status, its content type unless that is plain text, `Allow`, `Retry-After` and its body.
/// `None` at the end of the connection, also after a reset.
fn read_answer(reader: &mut impl BufRead, bodiless: bool) -> Option<String> {
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
        Some(line.trim_end().to_owned())
    };
    let status = line()?.strip_prefix("HTTP/1.").expect("HTTP").split(' ').nth(1).expect("a status").to_owned();
    let mut shown = status.clone();
    let mut length = (status == "204").then_some(0);
    while let Some((name, value)) = line()?.split_once(": ") {
        match name {
            "content-length" => length = Some(value.parse().expect("a length")),
            "content-type" if value == "text/plain; charset=utf-8" => {}
            "content-type" => shown += &format!(" {value}"),
            "allow" | "retry-after" => shown += &format!(" {value}"),
            _ => {}
        }
    }
    let length: usize = length.unwrap_or_else(|| panic!("{shown} has no length"));
    let mut body = vec![0; if bodiless { 0 } else { length }];
    reader.read_exact(&mut body).ok()?;
    Some(if body.is_empty() { shown } else { format!("{shown}: {}", String::from_utf8_lossy(&body)) })
}

/// Runs the program to its end; returns its output and its exit code.
pub(crate) fn run(program: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> (String, i32) {
    let output = command(program, environment).args(arguments).output().expect("the server starts");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).trim_end().replace('\n', " | ");
    (text, output.status.code().unwrap_or(-1))
}

fn command(program: &Path, environment: &[(&str, &str)]) -> Command {
    let mut command = Command::new(program);
    // Removes variables that the tests' own environment may set.
    let ours = std::env::vars_os().map(|(name, _)| name);
    for name in ours.filter(|name| name.to_string_lossy().starts_with("TIERUP_") || name == "HOST" || name == "PORT") {
        command.env_remove(name);
    }
    // A panic with a backtrace takes milliseconds, and the server would no longer take the function for a short one.
    command.env("RUST_BACKTRACE", "0");
    command.envs(environment.iter().copied());
    command
}
