//! A real Postgres of the test's own.

use std::{
    env, fs,
    os::unix::{
        fs::chown,
        process::{CommandExt as _, ExitStatusExt as _},
    },
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;
use tierup_ramp::SCHEMA;
use tierup_rollout::StoreUrl;

use super::{Process, free_port, wait};

/// Postgres refuses to run as root, so it then runs as this user, whom every system has.
const NOBODY: u32 = 65_534;

pub(crate) struct Postgres {
    pub(crate) folder: TempDir,
    port: u16,
    process: Option<Process>,
}

/// Debian has the programs in a folder for each version.
fn program(name: &str) -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<_> = versions.map(|version| version.path().join("bin").join(name)).collect();
    found.retain(|path| path.exists());
    found.sort();
    found.pop().unwrap_or_else(|| name.into())
}

impl Postgres {
    /// Without passwords, and with tierup's tables and the grants of docs/postgres.md.
    pub(crate) fn start() -> Postgres {
        let postgres = Postgres::without_tables(&["--auth", "trust"]);
        postgres.ask(SCHEMA);
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/postgres.md");
        let page = fs::read_to_string(page).expect("it is there");
        let grants: Vec<&str> = page.lines().map(str::trim).filter(|line| line.starts_with("GRANT ")).collect();
        postgres.ask(&format!("CREATE USER tierup_judge; CREATE USER tierup_proxy; {}", grants.concat()));
        postgres
    }

    pub(crate) fn without_tables(arguments: &[&str]) -> Postgres {
        let folder = tempfile::Builder::new().prefix("pg").tempdir_in("/tmp").expect("there is room");
        let mut postgres = Postgres { folder, port: free_port(), process: None };
        if rustix::process::geteuid().is_root() {
            chown(postgres.folder.path(), Some(NOBODY), Some(NOBODY)).expect("root may");
        }
        fs::write(postgres.folder.path().join("password"), "s3:cret").expect("there is room");
        let mut init = postgres.command("initdb");
        init.args(["--username", "tierup", "--no-sync", "--encoding", "UTF8", "--no-locale", "--pwfile"]);
        init.arg(postgres.folder.path().join("password")).args(arguments).arg("--pgdata").arg(postgres.data());
        Process::start(&mut init).finished();
        postgres.run();
        postgres
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(program(name));
        command.current_dir(self.folder.path()).stdout(Stdio::null());
        command
            .stderr(fs::File::options().create(true).append(true).open(self.folder.path().join("log")).expect("room"));
        if rustix::process::geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    pub(crate) fn run(&mut self) {
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data()).args(["-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-p"]);
        command.arg(self.port.to_string()).arg("-k").arg(self.folder.path());
        self.process = Some(Process::start(&mut command));
        let is_ready = || {
            let mut ready = self.command("pg_isready");
            ready.args(["-h", "127.0.0.1", "-p", &self.port.to_string()]).status().is_ok_and(|status| status.success())
        };
        wait("Postgres", is_ready);
    }

    /// As when the machine loses power: all its processes end without a word.
    pub(crate) fn crash(&mut self) {
        // SIGQUIT is Postgres' "immediate shutdown".
        let mut process = self.process.take().expect("it runs");
        let pid = rustix::process::Pid::from_child(&process.0);
        rustix::process::kill_process(pid, rustix::process::Signal::QUIT).expect("it is ours");
        let ended = process.0.wait().expect("it ends");
        assert!(ended.signal().is_none(), "{ended:?}");
    }

    pub(crate) fn url(&self, rollout: &str) -> StoreUrl {
        self.address("tierup_judge", rollout).parse().expect("an address")
    }

    pub(crate) fn address(&self, user: &str, rollout: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/postgres?sslmode=disable&rollout={rollout}", self.port)
    }

    /// Takes only encrypted connections from now on. Returns the file of its certificate, which vouches for itself.
    pub(crate) fn encrypt(&mut self) -> String {
        let extensions = "subjectAltName=IP:127.0.0.1\nbasicConstraints=critical,CA:FALSE\n";
        let config =
            format!("[req]\ndistinguished_name=name\nx509_extensions=extensions\n[name]\n[extensions]\n{extensions}");
        fs::write(self.folder.path().join("openssl.conf"), config).expect("there is room");
        let mut command = self.command("openssl");
        command.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=postgres"]);
        command.args(["-config", "openssl.conf", "-keyout", "data/server.key", "-out", "data/server.crt"]);
        Process::start(&mut command).finished();
        let rules = "hostssl all all all trust\n";
        Process::start(self.command("sh").arg("-c").arg(format!("echo '{rules}' > data/pg_hba.conf"))).finished();
        Process::start(self.command("sh").arg("-c").arg("echo ssl=on >> data/postgresql.conf")).finished();
        self.crash();
        self.run();
        self.data().join("server.crt").display().to_string()
    }

    /// The answer of `psql`, without blanks around it.
    pub(crate) fn ask(&self, sql: &str) -> String {
        let asked = self.try_ask(sql);
        let log = || fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
        assert!(asked.status.success(), "{sql}: {}", log());
        String::from_utf8_lossy(&asked.stdout).trim().to_owned()
    }

    /// The same for what may fail.
    pub(crate) fn try_ask(&self, sql: &str) -> Output {
        let mut psql = self.command("psql");
        psql.args(["-h", "127.0.0.1", "-U", "tierup", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-qAt", "-c", sql]);
        let asked =
            psql.args(["-p", &self.port.to_string()]).env("PGPASSWORD", "s3:cret").stdout(Stdio::piped()).output();
        asked.expect("psql is installed")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if self.process.is_some() {
            self.crash();
        }
    }
}

impl Process {
    /// Waits until it has ended well.
    pub(crate) fn finished(mut self) {
        let ended = self.0.wait().expect("it ends");
        assert!(ended.success(), "{ended}");
    }

    /// This test program, which runs the test `name` again with this variable.
    pub(crate) fn again(name: &str, variable: &str, value: &str, folder: &Path) -> Command {
        let mut command = Command::new(env::current_exe().expect("it runs"));
        command.args(["--exact", name, "--nocapture"]).env(variable, value).current_dir(folder);
        command
    }
}
