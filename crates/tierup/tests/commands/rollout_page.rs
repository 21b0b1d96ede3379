//! Runs every command of docs/rollout.md in order, with other ports and with steps of a second.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use tierup_rollout::{Control, Part};

use crate::{
    balancers::{Process, Server, free_port, get, nginx, wait},
    load_balancers::project,
    tierup,
};

/// The commands of the page, without and with nginx.
fn page() -> [Vec<String>; 2] {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rollout.md")).unwrap();
    let (alone, behind) = text.split_once("## The same behind nginx").unwrap();
    [alone, behind].map(|part| {
        let blocks = part.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```"));
        blocks.flat_map(|(block, _)| block.lines().map(str::to_owned).collect::<Vec<_>>()).collect()
    })
}

/// A terminal, and the programs that it started in the background.
struct Terminal<'a> {
    folder: &'a Path,
    /// The replacements of words in the page's commands.
    words: Vec<(String, String)>,
    proxy: Option<Process>,
    judge: Option<Process>,
}

impl Terminal<'_> {
    fn command(&self, line: &str) -> Command {
        // Replaces all words at once: a new port may contain another word, such as 30014 and 3001.
        let words = || self.words.iter().enumerate();
        let marked = words().fold(line.to_owned(), |line, (at, (from, _))| line.replace(from, &format!("\0{at}\0")));
        let line = words().fold(marked, |line, (at, (_, to))| line.replace(&format!("\0{at}\0"), to));
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] == "tierup" {
            return tierup(self.folder, &words[1..]);
        }
        let mut command = Command::new(words[0]);
        command.args(&words[1..]);
        command
    }

    /// Runs a command to its end; it must succeed.
    fn run(&self, line: &str) -> String {
        let output = self.command(line).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{line}: {text}{}", String::from_utf8_lossy(&output.stderr));
        text
    }

    fn start(&self, line: &str) -> Process {
        Process::start(self.command(line).stdout(Stdio::null()).stderr(Stdio::null()))
    }

    fn control(&self) -> Option<Control> {
        Control::parse(&fs::read_to_string(self.folder.join(".tierup/rollout/control")).ok()?).ok()
    }

    /// Starts a judge, which begins a ramp.
    fn judge(&mut self, line: &str) {
        let before = self.control().map(|control| control.ramp);
        self.judge = Some(self.start(line));
        wait("the ramp begins", || self.control().is_some_and(|control| Some(control.ramp) != before));
    }

    /// The judge must end by itself, after a rollback.
    fn rolled_back(&mut self) {
        let mut judge = self.judge.take().unwrap();
        assert_eq!(judge.0.wait().unwrap().code(), Some(1));
    }
}

/// Clients with cookies, which send requests until they are dropped.
struct Clients {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Clients {
    fn of(port: u16) -> Clients {
        let stop = Arc::<AtomicBool>::default();
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            for number in 0.. {
                if stopped.load(Relaxed) {
                    return;
                }
                let answer = get(port, "GET", Some(&format!("client-{}", number % 300)));
                assert_eq!(answer, Ok((200, "shop".to_owned())));
                thread::sleep(Duration::from_millis(2));
            }
        });
        Clients { stop, thread: Some(thread) }
    }
}

impl Drop for Clients {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        // A client that got a wrong answer has panicked.
        let is_well = self.thread.take().is_some_and(|thread| thread.join().is_ok());
        assert!(is_well || thread::panicking(), "every request was answered");
    }
}

fn places(servers: &[u16; 3], proxy: u16) -> Vec<(String, String)> {
    let of = |documented: u16, real: u16| (format!("127.0.0.1:{documented}"), format!("127.0.0.1:{real}"));
    vec![of(3000, servers[0]), of(3001, servers[1]), of(3002, servers[2]), of(8080, proxy)]
}

#[test]
fn the_page_works_with_tierup_in_front() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    project(here, "sticky = \"cookie:session\"\nhold = \"1s\"\ntolerated = \"10%\"\n");
    fs::write(here.join("requests.http"), "GET http://shop/a\n").unwrap();
    let servers = [Server::start("shop"), Server::start("shop"), Server::start("shop")];
    let proxy = free_port();
    let words = places(&servers.each_ref().map(|server| server.port), proxy);
    let mut terminal = Terminal { folder: here, words, proxy: None, judge: None };
    let mut clients = None;
    for line in &page()[0] {
        match line.as_str() {
            _ if line.starts_with("tierup shadow .") => {
                terminal.proxy = Some(terminal.start(line));
                wait("the proxy listens", || get(proxy, "GET", None).is_ok());
                clients = Some(Clients::of(proxy));
                // The proxy writes evidence every five seconds.
                wait("evidence", || terminal.run("tierup shadow report").contains("GET /a"));
            }
            "tierup ramp" => {
                terminal.judge(line);
                wait("a weight", || terminal.control().is_some_and(|control| control.weights.candidate > Part::NONE));
            }
            "tierup ramp --new" => terminal.judge(line),
            "tierup ramp abort" => {
                let said = terminal.run(line);
                assert!(said.contains("the control answers all"), "{said}");
                terminal.rolled_back();
            }
            "tierup ramp to 25%" => {
                let said = terminal.run(line);
                assert!(said.contains("25%"), "{said}");
            }
            "tierup shadow report" => {
                let said = terminal.run(line);
                assert!(said.contains("GET /a"), "{said}");
            }
            // All steps would take minutes, so this is refused. `rollout/ramps.rs` tests a successful one.
            "tierup ramp finish" => {
                let output = terminal.command(line).output().unwrap();
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(!output.status.success() && said.contains("not at its last step"), "{said}");
            }
            _ => {
                terminal.run(line);
            }
        }
    }
    assert!(terminal.proxy.is_some() && terminal.judge.is_some(), "the page starts both");
    drop(clients);
}

#[test]
fn the_page_works_behind_nginx() {
    let setup = nginx::Setup::start();
    let here = setup.folder.path();
    let of = nginx::settings(here, setup.status);
    let list = |words: &[String]| format!("{words:?}");
    let rollout = format!(
        "sticky = \"cookie:session\"\nthrough = \"nginx\"\nhold = \"1s\"\n[rollout.nginx]\nsplit = {:?}\nlog = {:?}\nstatus = \"{}\"\n\
         test = {}\nreload = {}\n",
        of.split,
        of.log,
        of.status,
        list(&of.test),
        list(&of.reload)
    );
    let folder = here.join("project");
    project(&folder, &rollout);
    let servers = [Server::start("shop"), Server::start("shop"), Server::start("shop")];
    let proxy = free_port();
    let mut words = places(&servers.each_ref().map(|server| server.port), proxy);
    words.push(("nginx -".into(), format!("nginx -e stderr -c {}/nginx.conf -", here.display())));
    let mut terminal = Terminal { folder: &folder, words, proxy: None, judge: None };
    for line in &page()[1] {
        match line.as_str() {
            "tierup ramp --show-config" => {
                let shown = terminal.run(line);
                assert!(shown.contains("split_clients"), "{shown}");
            }
            _ if line.starts_with("tierup shadow .") => {
                terminal.proxy = Some(terminal.start(line));
                wait("the proxy listens", || get(proxy, "GET", None).is_ok());
            }
            "tierup ramp" => terminal.judge(line),
            "tierup ramp abort" => {
                terminal.run(line);
                terminal.rolled_back();
            }
            _ => {
                terminal.run(line);
            }
        }
    }
    assert!(terminal.proxy.is_some(), "the page starts one");
    let answer = get(setup.port, "GET", Some("anna"));
    assert_eq!(answer, Ok((200, "control".to_owned())), "after the abort the control answers all");
}
