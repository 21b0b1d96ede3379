//! Programs that exit, fail, hang, and leave others behind.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

use std::{
    env, fs,
    io::{Read, Write},
    net::TcpListener,
    path::Path,
    process, thread,
    time::{Duration, Instant},
};

use tempfile::tempdir;
use tierup_codegen::Command;
use tierup_runner::{
    Ended, Error, Foreground, Lock, Progress, Ready, Server, Start, capture, feed_until, foreground, port, run,
    run_within,
};

#[derive(Default)]
struct Lines(Vec<String>);

impl Progress for Lines {
    fn started(&mut self, _label: &str) {}
    fn line(&mut self, line: &str) {
        self.0.push(line.to_owned());
    }
    fn finished(&mut self) {}
}

fn shell(script: &str) -> Command {
    Command::new("sh", ["-c", script])
}

#[test]
fn a_failure_has_the_output_and_the_ending() {
    let mut lines = Lines::default();
    let error = run(&shell("echo one; echo two >&2; exit 7"), Path::new("/"), &[], &mut lines).unwrap_err();
    lines.0.sort();
    assert_eq!(lines.0, ["one", "two"]);
    let Error::Failed { ending, output, .. } = error else { panic!("{error}") };
    assert_eq!((ending.as_str(), output.len()), ("exit code 7", 2));
}

#[test]
fn a_process_outside_the_group_does_not_block_by_holding_the_output() {
    let folder = tempdir().unwrap();
    // Without tierup's variable and its parent, nothing tells which tree the process belongs to.
    let script = "env -i PATH=\"$PATH\" setsid sh -c 'echo $$ > new; mv new left; exec sleep 1000' & \
                  until test -e left; do sleep 0.01; done";
    let fed = feed_until(&shell(script), folder.path(), b"", Duration::from_secs(1), 100, || false);
    if let Ok(left) = fs::read_to_string(folder.path().join("left")) {
        process::Command::new("kill").arg(left.trim()).status().unwrap();
    }
    assert!(matches!(fed, Err(Error::NeverEnded { .. })), "{fed:?}");
}

#[test]
fn terminal_codes_are_removed() {
    let mut lines = Lines::default();
    let said = shell(r"printf '\033[1;31mred\033[m and plain\033[0m\033[0m\n'; exit 1");
    let error = run(&said, Path::new("/"), &[], &mut lines).unwrap_err();
    assert_eq!(lines.0, ["red and plain"]);
    assert!(matches!(&error, Error::Failed { output, .. } if output == &lines.0), "{error:?}");
    let said = shell(r"printf '\033[31mred\033[0m\n' >&2; exit 1");
    let error = capture(&said, Path::new("/")).unwrap_err();
    assert!(matches!(&error, Error::Failed { output, .. } if output == &["red"]), "{error:?}");
}

#[test]
fn a_missing_program_and_a_missing_folder_are_told_apart() {
    let missing = Command::new("no-such-program-here", []);
    let error = run(&missing, Path::new("/"), &[], &mut Lines::default()).unwrap_err();
    assert!(matches!(&error, Error::Missing { program } if program == "no-such-program-here"), "{error}");
    let error = capture(&shell("true"), Path::new("/no/such/folder")).unwrap_err();
    assert!(matches!(&error, Error::File { path, .. } if path == Path::new("/no/such/folder")), "{error}");
}

#[test]
fn a_program_that_does_not_exit_is_killed_with_its_descendants() {
    let (folder, began) = (tempdir().unwrap(), Instant::now());
    let hangs = shell("echo one; sleep 300 & echo $! > child; wait");
    let error = run_within(&hangs, folder.path(), Duration::from_secs(1)).unwrap_err();
    assert!(matches!(&error, Error::NeverEnded { output, .. } if output == &["one"]), "{error:?}");
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    let child = fs::read_to_string(folder.path().join("child")).unwrap();
    assert!(!Path::new("/proc").join(child.trim()).join("exe").exists());
    // A program that exits reports how; one that prints without end counts as hanging.
    let long = Duration::from_secs(60);
    run_within(&shell("sleep 300 >/dev/null 2>&1 & kill $!; echo one"), folder.path(), long).unwrap();
    let error = run_within(&shell("echo no >&2; exit 3"), folder.path(), long).unwrap_err();
    assert!(matches!(&error, Error::Failed { output, ending, .. } if output == &["no"] && ending == "exit code 3"));
    let error = run_within(&shell("yes"), folder.path(), Duration::from_secs(1)).unwrap_err();
    assert!(matches!(&error, Error::NeverEnded { .. }), "{error:?}");
}

#[test]
fn a_daemon_that_holds_the_pipe_does_not_block() {
    let began = Instant::now();
    run(&shell("sleep 30 & echo done"), Path::new("/"), &[], &mut Lines::default()).unwrap();
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_second_build_waits_and_is_told_who_holds_the_lock() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("deep/lock");
    let first = Lock::take(&path, "a build", |_| panic!("nobody has it")).unwrap();
    waits(&path, first, |path, say| Lock::take(path, "another", say));
}

#[test]
fn many_may_use_built_files_but_nobody_changes_them_meanwhile() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("lock");
    let first = Lock::share(&path, "one", |_| panic!("nobody has it")).unwrap();
    let second = Lock::share(&path, "a build", |_| panic!("both only use it")).unwrap();
    drop(first);
    waits(&path, second, |path, say| Lock::take(path, "a third", say));
    let build = Lock::take(&path, "a build", |_| panic!("nobody has it")).unwrap();
    waits(&path, build, |path, say| Lock::share(path, "a fourth", say));
}

/// Servers that start one after another would otherwise keep a build waiting for ever.
#[test]
fn what_comes_after_a_waiting_build_waits_for_it() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("lock");
    let used = Lock::share(&path, "a server", |_| panic!("nobody has it")).unwrap();
    let (say, said) = std::sync::mpsc::channel();
    let waits = |name: &'static str, take: Take| {
        let (path, say, waited) = (path.clone(), say.clone(), say.clone());
        let thread = std::thread::spawn(move || {
            let lock = take(&path, &|_| waited.send(format!("{name} waits")).unwrap()).unwrap();
            say.send(format!("{name} goes on")).unwrap();
            drop(lock);
        });
        assert_eq!(said.recv_timeout(Duration::from_secs(30)).unwrap(), format!("{name} waits"));
        thread
    };
    let build = waits("the build", |path, say| Lock::take(path, "a build", say));
    let server = waits("the server", |path, say| Lock::share(path, "another server", say));
    drop(used);
    let went = [said.recv().unwrap(), said.recv().unwrap()];
    assert_eq!(went, ["the build goes on", "the server goes on"]);
    build.join().unwrap();
    server.join().unwrap();
}

type Take = fn(&Path, &dyn Fn(&str)) -> tierup_runner::Result<Lock>;

/// Checks that another thread waits until `held`, a build's lock, is dropped.
fn waits(path: &Path, held: Lock, take: Take) {
    let (send, told) = std::sync::mpsc::channel();
    let path = path.to_owned();
    let waiting = std::thread::spawn(move || take(&path, &|who| send.send(who.to_owned()).unwrap()).map(drop));
    let who = told.recv_timeout(Duration::from_secs(30)).unwrap();
    assert_eq!(who, format!("a build (process {})", process::id()));
    assert!(!waiting.is_finished());
    drop(held);
    waiting.join().unwrap().unwrap();
}

/// Not a test: this is the server of the tests below, which start this program again.
#[test]
fn as_a_server() {
    let Ok(port) = env::var("TEST_SERVER_PORT") else {
        return;
    };
    println!("listening soon");
    if port == "0" {
        process::exit(3);
    }
    let listener = TcpListener::bind(("127.0.0.1", port.parse().unwrap())).unwrap();
    for stream in listener.incoming() {
        let mut stream = stream.unwrap();
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    }
}

fn own_server(port: u16) -> Command {
    let program = env::current_exe().unwrap();
    let mut command = Command::new(program.to_str().unwrap(), ["--exact", "as_a_server", "--nocapture"]);
    command.environment.push(("TEST_SERVER_PORT".into(), port.to_string()));
    command
}

fn start(command: &Command, port: u16, deadline: Duration) -> Result<Server, Error> {
    let ready = Ready::Answers("/".into());
    Server::start(&Start { command, root: Path::new("/"), environment: &[], port, ready, deadline })
}

const LONG: Duration = Duration::from_secs(20);

#[test]
fn a_server_is_ready_when_it_answers_and_stops_when_asked() {
    let port = port::free().unwrap();
    let server = start(&own_server(port), port, LONG).unwrap();
    // The line was printed before the port opened, but may arrive later.
    let began = Instant::now();
    while !server.log().iter().any(|line| line.contains("listening soon")) {
        assert!(began.elapsed() < LONG, "{:?}", server.log());
        thread::sleep(Duration::from_millis(10));
    }
    assert!(matches!(port::check_free(port), Err(Error::PortInUse { .. })));
    assert!(server.stop(LONG));
    port::check_free(port).unwrap();
}

#[test]
fn a_server_that_exits_early_shows_its_output() {
    let port = port::free().unwrap();
    let error = start(&own_server(0), port, LONG).unwrap_err();
    let Error::EndedEarly { ending, output, .. } = error else { panic!("{error}") };
    assert_eq!(ending, "exit code 3");
    assert!(output.iter().any(|line| line.contains("listening soon")), "{output:?}");
}

#[test]
fn a_server_that_stays_silent_is_killed() {
    let port = port::free().unwrap();
    let folder = tempdir().unwrap();
    let file = folder.path().join("pid");
    let command = shell(&format!("echo $$ > {}; trap '' TERM; sleep 60", file.display()));
    let error = start(&command, port, Duration::from_secs(1)).unwrap_err();
    assert!(matches!(error, Error::Unanswered { .. }), "{error}");
    assert!(!runs(&fs::read_to_string(file).unwrap()));
}

#[test]
fn no_process_of_a_stubborn_server_stays() {
    let port = port::free().unwrap();
    let folder = tempdir().unwrap();
    let pids = folder.path().join("pids");
    // One child ignores the signal; one leaves the process group and loses its parent; and one leaves the group and has
    // an empty environment.
    let script = format!(
        "trap '' TERM; (trap '' TERM; sleep 61) & (setsid sh -c 'echo $$ >> {pids}; exec sleep 62' &) ; \
         echo $! >> {pids}; env -i setsid sh -c 'trap \"\" TERM; echo $$ >> {pids}; exec sleep 63' & \
         echo $$ >> {pids}; exec {server} --exact as_a_server",
        pids = pids.display(),
        server = env::current_exe().unwrap().display()
    );
    let mut command = shell(&script);
    command.environment.push(("TEST_SERVER_PORT".into(), port.to_string()));
    let server = start(&command, port, LONG).unwrap();
    assert!(!server.stop(Duration::from_millis(300)), "it ignores the signal");
    let pids = fs::read_to_string(pids).unwrap();
    assert_eq!(pids.lines().count(), 4, "{pids}");
    assert!(!pids.lines().any(runs), "{pids}");
}

/// The server exits by itself, so its processes have to be known before.
#[test]
fn a_foreground_server_that_exits_by_itself_leaves_nothing() {
    let port = port::free().unwrap();
    let folder = tempdir().unwrap();
    let pids = folder.path().join("pids");
    let script = format!(
        "echo $$ >> {pids}; env -i setsid sh -c 'echo $$ >> {pids}; exec sleep 64' & exec {server} --exact as_a_server",
        pids = pids.display(),
        server = env::current_exe().unwrap().display()
    );
    let mut command = shell(&script);
    command.environment.push(("TEST_SERVER_PORT".into(), port.to_string()));
    let what = Foreground { command: &command, root: Path::new("/"), environment: &[], port, grace: LONG };
    let read = || fs::read_to_string(&pids).unwrap();
    let ended = foreground(&what, || {
        while read().lines().count() < 2 {
            thread::sleep(Duration::from_millis(10));
        }
        let server = read().lines().next().unwrap().to_owned();
        assert!(process::Command::new("kill").args(["-KILL", &server]).status().unwrap().success());
    });
    assert!(matches!(ended, Ok(Ended::ByItself { success: false, .. })), "{ended:?}");
    assert!(!read().lines().any(runs), "{}", read());
}

fn runs(pid: &str) -> bool {
    fs::read_to_string(format!("/proc/{}/stat", pid.trim())).is_ok_and(|stat| !stat.contains(") Z"))
}
