//! The descriptors that a program of tier 1 inherits from its host by mistake.

#![cfg(unix)]

#[expect(unreachable_pub, unsafe_code, reason = "a module of a program")]
#[path = "../templates/cli/inherited.rs"]
mod inherited;

use std::{
    env,
    fs::File,
    io::{Read as _, stdin},
    process::{Command, Stdio},
    sync::mpsc::channel,
    thread,
    time::Duration,
};

/// Tells this program, when a test starts it again, that it is the process that inherits.
const INHERITS: &str = "TIERUP_TEST_INHERITS";

/// A system library may have opened the descriptor before `main`, and would then use the next file with its number.
#[test]
fn a_descriptor_that_was_opened_since_the_start_stays_open() {
    if env::var_os(INHERITS).is_some() {
        let own = File::open("/dev/null").expect("it can be read");
        inherited::close();
        own.metadata().expect("it is still open");
        return;
    }
    let program = env::current_exe().expect("this program has a path");
    let output = Command::new(program)
        .args(["--exact", "a_descriptor_that_was_opened_since_the_start_stays_open"])
        .env(INHERITS, "1")
        .output()
        .expect("it starts");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

/// Holds the only writing end of a pipe, which it inherited by mistake, and lives on.
#[test]
fn a_descriptor_of_the_hosts_is_closed() {
    if env::var_os(INHERITS).is_some() {
        inherited::close();
        let _ = stdin().read_to_end(&mut Vec::new());
        return;
    }
    let program = env::current_exe().expect("this program has a path");
    let mut child = Command::new("/bin/sh")
        .args(["-c", "exec \"$0\" --exact a_descriptor_of_the_hosts_is_closed 9>&1 >/dev/null"])
        .arg(program)
        .env(INHERITS, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut output = child.stdout.take().expect("it is a pipe");
    let (ended, end) = channel();
    let reader = thread::spawn(move || {
        let _ = ended.send(output.read_to_end(&mut Vec::new()));
    });
    let seen = end.recv_timeout(Duration::from_secs(60));
    let lives = child.try_wait().expect("it can be asked").is_none();
    drop(child.stdin.take());
    child.wait().expect("it ends");
    reader.join().expect("the pipe has ended");
    assert!(seen.is_ok() && lives, "{seen:?}, {lives}");
}
