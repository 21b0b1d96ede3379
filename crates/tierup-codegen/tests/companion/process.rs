//! Builds the sample's program and runs it as a companion, whose workers first run a shell command of the test's.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use tierup_codegen::{Machine, abi, shims};

use crate::build;

/// The numbers of some of the sample's functions.
pub(crate) const LENGTH: u32 = 4;
pub(crate) const SLOW: u32 = 7;
pub(crate) const FILL: u32 = 10;

/// A call's time in milliseconds, longer than any test takes.
pub(crate) const ENDLESS: [u8; 8] = 3_600_000u64.to_le_bytes();

pub(crate) fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let folder = build::folder("companion");
        let project = crate::project::project(&folder.join("sample"));
        let members = ["calls", "cli", "json"].map(str::to_owned);
        let mut files = shims::workspace(&project, &members);
        build::add(&mut files, shims::calls(&project));
        build::add(&mut files, shims::json::json(&project));
        build::add(&mut files, shims::cli(&project, &Machine::this()).files);
        build::write(&folder.join(".tierup"), &files);
        build::sample(&folder);
        build::cargo_build(&folder, &folder.join(".tierup"), "sample", "program")
    })
}

pub(crate) fn hash() -> String {
    abi::hash_text(&crate::project::project(Path::new("sample")).interface)
}

pub(crate) struct Companion {
    pub(crate) child: Child,
    pub(crate) socket: PathBuf,
    /// The companion's folder for temporary files.
    folder: PathBuf,
}

impl Companion {
    /// Each of `orders` is a shell command that one worker runs before it starts, in order. All later workers run the
    /// last one.
    pub(crate) fn start(test: &str, orders: &[&str], environment: &[(&str, &str)]) -> Companion {
        let folder = folder(test);
        let script = "#!/bin/sh\nn=1\nwhile ! mkdir \"$0-$n\" 2>/dev/null; do n=$((n+1)); done\n\
             order=$(sed -n \"${n}p\" \"$0.orders\")\n[ -n \"$order\" ] || order=$(tail -n1 \"$0.orders\")\n\
             eval \"$order\"\nexec \"$PROGRAM\" \"$@\"\n";
        let worker = folder.join("worker");
        fs::write(&worker, script).expect("written");
        fs::set_permissions(&worker, fs::Permissions::from_mode(0o755)).expect("ours");
        fs::write(folder.join("worker.orders"), format!("{}\n", orders.join("\n"))).expect("written");
        let mut child = command(&folder)
            // The companion starts its workers by the path in its own first argument.
            .arg0(&worker)
            .args(["--tierup-companion", &hash()])
            .env("PROGRAM", program())
            .envs(environment.iter().copied())
            .spawn()
            .expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("it says where it listens");
        Companion { child, socket: line.trim_end().into(), folder }
    }

    pub(crate) fn connect(&self) -> Connection {
        let stream = UnixStream::connect(&self.socket).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
        Connection(stream)
    }

    /// How many workers the companion has begun to start.
    pub(crate) fn starts(&self) -> usize {
        (1..).take_while(|number| self.folder.join(format!("worker-{number}")).exists()).count()
    }

    /// Makes a file that workers wait for.
    pub(crate) fn make(&self, name: &str) {
        fs::write(self.folder.join(name), "").expect("written");
    }

    /// The living processes that the companion has started.
    pub(crate) fn children(&self) -> Vec<String> {
        let id = self.child.id();
        let found = Command::new("ps").args(["-eo", "ppid=,pid=,stat="]).output().expect("ps starts");
        let lines = String::from_utf8(found.stdout).expect("numbers");
        let lines = lines.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        lines
            .filter(|fields| fields[0] == id.to_string() && !fields[2].starts_with('Z'))
            .map(|fields| fields[1].to_owned())
            .collect()
    }

    /// Closes its standard input, waits for its end, and returns its standard error.
    pub(crate) fn end(mut self) -> String {
        drop(self.child.stdin.take());
        assert!(self.child.wait().expect("a child").success());
        let mut said = String::new();
        self.child.stderr.take().expect("piped").read_to_string(&mut said).expect("UTF-8");
        said
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) struct Connection(UnixStream);

impl Connection {
    /// What the connection begins with: the hash of the interface, or why there is no worker.
    pub(crate) fn greeting(&mut self) -> String {
        let mut hello = [0; 8];
        if let Err(error) = self.0.read_exact(&mut hello) {
            return error.to_string();
        }
        if hello != [0; 8] {
            return format!("{:016x}", u64::from_le_bytes(hello));
        }
        let mut reason = String::new();
        self.0.read_to_string(&mut reason).expect("UTF-8");
        reason.replace(&*build::folder("").to_string_lossy(), "")
    }

    pub(crate) fn send(&mut self, function: u32, head: &[u8], arguments: &[u8]) {
        let length = 4 + head.len() + arguments.len();
        let length = u32::try_from(length).expect("short").to_le_bytes();
        self.0.write_all(&[&length, &function.to_le_bytes(), head, arguments].concat()).expect("sent");
    }

    /// Ends the sending side of the connection.
    pub(crate) fn ends(&self) {
        self.0.shutdown(Shutdown::Write).expect("it is open");
    }

    /// The bytes of an answer.
    ///
    /// # Errors
    /// If the connection ends before the answer.
    pub(crate) fn answer(&mut self) -> io::Result<Vec<u8>> {
        let mut length = [0; 4];
        self.0.read_exact(&mut length)?;
        let mut answer = vec![0; u32::from_le_bytes(length) as usize];
        self.0.read_exact(&mut answer)?;
        Ok(answer)
    }
}

/// The program with these arguments and with a folder of its own for temporary files.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(program());
    command.env("TMPDIR", folder).env_remove("TIERUP_START_TIMEOUT");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// An empty folder. Its path is short, as that of a socket has to be.
pub(crate) fn folder(test: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tierup-companion-{}-{test}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("made");
    folder
}

pub(crate) fn eventually(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..6000 {
        if is_so() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("not within a minute: {what}");
}
