//! Whether a server's processes are counted whole: their CPU against what a shell counts for its children, their memory
//! whoever else shares it.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, Command, Stdio},
    time::Duration,
};

use rustix::process::{Pid, WaitOptions, set_child_subreaper, waitpid};
use tierup_subject::ServerProcesses;

/// A shell that does `work` after a line on its standard input, then prints what `times` says, and waits for another.
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

/// Lets the shell work, and answers what was counted from outside and what it says itself, in seconds.
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
    // The kernel tells what ended processes used in ticks of 10 ms, each of two times of seven processes, and so does
    // the shell in hundredths.
    assert!(told > 0.2 && (counted - told).abs() < 0.2, "{counted} s counted, {told} s told");
}

#[test]
fn what_nobody_accounts_for_is_not_told() {
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
    // The root stays, its child has a child of its own and ends first. Nobody among them waits for the grandchild: this
    // test does, as soon as it is an orphan.
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

/// What a family takes by PSS and by RSS, once it starts no more programs.
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
fn memory_is_what_it_would_be_if_the_server_ran_alone() {
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
