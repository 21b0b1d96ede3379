//! Whether a server's processes are counted completely: their CPU compared with a shell's count for its children, and
//! their memory no matter who shares it.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, Command, Stdio},
    time::Duration,
};

use rustix::process::{Pid, WaitOptions, set_child_subreaper, waitpid};
use tierup_subject::ServerProcesses;

/// A shell that does `work` for each line on its standard input, and then prints the output of `times`.
fn shell(work: &str) -> Child {
    let script = format!("read go; {work}; times; read end");
    Command::new("sh").args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// Some work for the processor.
const BURN: &str = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done";

/// `0m1.25s` in seconds.
fn seconds(text: &str) -> f64 {
    let (minutes, seconds) = text.split_once('m').unwrap();
    minutes.parse::<f64>().unwrap() * 60.0 + seconds.trim_end_matches('s').parse::<f64>().unwrap()
}

/// Lets the shell work; returns the seconds that were counted from outside, and those that the shell reports.
fn counted_and_told(mut shell: Child) -> (Option<Duration>, f64) {
    let mut processes = ServerProcesses::new(shell.id());
    let before = processes.cpu().unwrap();
    writeln!(shell.stdin.as_mut().unwrap(), "go").unwrap();
    let lines = BufReader::new(shell.stdout.take().unwrap()).lines().map(Result::unwrap).take(2);
    let told: f64 = lines.map(|line| line.split_whitespace().map(seconds).sum::<f64>()).sum();
    let after = processes.cpu().unwrap();
    drop(shell.stdin.take());
    shell.wait().unwrap();
    (after.since(before), told)
}

#[test]
fn children_that_come_and_go_are_counted() {
    let work = format!("for n in 1 2 3 4 5 6; do sh -c '{BURN}'; done; {BURN}");
    let (counted, told) = counted_and_told(shell(&work));
    let counted = counted.unwrap().as_secs_f64();
    // The kernel reports two times for each of the seven ended processes in ticks of 10 ms, and the shell in hundredths
    // of a second.
    assert!(told > 0.2 && (counted - told).abs() < 0.2, "{counted} s counted, {told} s told");
}

#[test]
fn time_that_nobody_accounts_for_is_unknown() {
    let mut root = shell(BURN);
    let mut processes = ServerProcesses::new(root.id());
    let before = processes.cpu().unwrap();
    root.kill().unwrap();
    root.wait().unwrap();
    // This test is its parent, not one of the processes that are measured.
    assert_eq!(processes.cpu().and_then(|after| after.since(before)), None);
    assert_eq!(processes.memory().processes, 0);
}

#[test]
fn a_worker_that_ends_after_its_parent_is_noticed() {
    // The root stays. Its child has a child of its own and ends first. None of them waits for the grandchild: this test
    // does so, as soon as the grandchild is an orphan.
    set_child_subreaper(Some(rustix::process::getpid())).unwrap();
    let script = "sh -c 'sleep 60 & echo $!; read end'; read end";
    let mut root =
        Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut lines = BufReader::new(root.stdout.take().unwrap());
    lines.read_line(&mut line).unwrap();
    let mut processes = ServerProcesses::new(root.id());
    assert_eq!(processes.memory().processes, 3);
    let before = processes.cpu().unwrap();
    writeln!(root.stdin.as_mut().unwrap(), "end").unwrap();
    while processes.memory().processes > 2 {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(processes.cpu().unwrap().since(before).is_some(), "its parent waited for the one that ended");
    Command::new("kill").arg(line.trim()).status().unwrap();
    waitpid(Pid::from_raw(line.trim().parse().unwrap()), WaitOptions::empty()).unwrap();
    assert_eq!(processes.cpu().unwrap().since(before), None);
    drop(root.stdin.take());
    root.wait().unwrap();
}

/// Three processes that wait, of two programs.
fn family() -> Child {
    let script = "sleep 60 & one=$!; sleep 60 & echo up; read end; kill $one $!";
    let mut root =
        Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    BufReader::new(root.stdout.as_mut().unwrap()).read_line(&mut String::new()).unwrap();
    root
}

/// A family's PSS and RSS, once it starts no more programs.
fn settled(root: &Child) -> (u64, u64) {
    let mut processes = ServerProcesses::new(root.id());
    let mut before = None;
    loop {
        let now = processes.memory();
        if now.processes == 3 && before == Some(now) {
            return (now.proportional.unwrap(), now.resident);
        }
        before = Some(now);
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn memory_is_counted_as_if_the_server_ran_alone() {
    let mut one = family();
    let (alone, resident) = settled(&one);
    let mut others: Vec<Child> = (0..4).map(|_| family()).collect();
    let (among_others, _) = settled(&one);
    for root in others.iter_mut().chain([&mut one]) {
        drop(root.stdin.take());
        root.wait().unwrap();
    }
    assert_eq!(among_others, alone);
    // The C library is in all three, and counts once.
    assert!(alone < resident * 3 / 4, "{alone} of {resident} bytes");
    assert!(alone > resident / 4, "{alone} of {resident} bytes");
}
