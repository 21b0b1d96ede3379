//! Makes calls through the sandbox, and compares them with the same calls without it. Its argument selects the test.
//! Prints the results, and exits with 1 on a failure.

use std::io::Read as _;
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

fn main() {
    match env::args().nth(1).as_deref() {
        Some("alike") => alike(),
        #[cfg(feature = "hostile")]
        Some(what) => hostile::run(what),
        _ => process::exit(2),
    }
}

fn sandboxed(function: u32, arguments: &[u8]) -> Vec<u8> {
    let mut answer = Vec::new();
    tierup_sandbox::call(function, arguments, &mut answer);
    answer
}

fn native(function: u32, arguments: &[u8]) -> Vec<u8> {
    let mut answer = Vec::new();
    tierup_calls::call(function, arguments, &mut answer);
    answer
}

/// Reads calls from standard input: the function's number, the length of the arguments, and the arguments.
fn alike() {
    if let Err(reason) = tierup_sandbox::ready() {
        println!("not ready: {reason}");
        process::exit(1);
    }
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input).expect("standard input can be read");
    let (mut rest, mut count, mut different) = (&input[..], 0, 0);
    while let Some((start, behind)) = rest.split_first_chunk::<8>() {
        let number = |at: usize| u32::from_le_bytes([start[at], start[at + 1], start[at + 2], start[at + 3]]);
        let (function, length) = (number(0), number(4) as usize);
        let (arguments, next) = behind.split_at(length);
        // Also tests truncated arguments, and arguments with an additional byte.
        for arguments in [arguments, &arguments[..length / 2], &[arguments, &[9]].concat()] {
            let (inside, outside) = (sandboxed(function, arguments), native(function, arguments));
            count += 1;
            // A panic's source path differs between builds, and a `usize` has 32 bits in Wasm.
            let both_panic = inside[0] == 2 && outside[0] == 2;
            let too_large = inside[0] == 3 && inside.ends_with(b"a size does not fit this machine");
            if inside != outside && !both_panic && !too_large {
                different += 1;
                println!("function {function}, {arguments:?}: {inside:?}, not {outside:?}");
            }
        }
        rest = next;
    }
    println!("{count} calls, {different} different");
    process::exit(i32::from(different > 0));
}

#[cfg(feature = "hostile")]
mod hostile {
    use super::*;
    use tierup_sandbox::{Outcome, direct};

    const PANIC_WITH: u32 = 2;
    const RECURSE: u32 = 4;
    const SPIN: u32 = 5;
    const FILL: u32 = 6;

    pub fn run(what: &str) {
        match what {
            "ready" => println!("{:?}", tierup_sandbox::ready()),
            "direct" => direct_calls(),
            "traps" => traps(),
            "overflow" => overflow(),
            "memory" => memory(),
            "threads" => threads(),
            "forks" => forks(false),
            "late" => late(),
            "cost" => cost(),
            _ => process::exit(2),
        }
    }

    fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat()
    }

    /// The tag and the message of an answer.
    fn said(answer: &[u8]) -> (u8, String) {
        (answer[0], String::from_utf8_lossy(&answer[5..]).into_owned())
    }

    fn shout(text: &str) -> String {
        direct::f0(text).into_result().unwrap_or_else(|failed| panic!("{}", failed.message))
    }

    fn direct_calls() {
        assert_eq!(shout("h\u{e9}llo"), "H\u{c9}LLO");
        let Outcome::Ok(value) = direct::f1(b"abc", "!") else { panic!("an answer") };
        assert_eq!(value, b"cba!");
        let Outcome::Error(words) = direct::f1(b"", "") else { panic!("an error") };
        assert_eq!(words, "nothing to reverse");
        let Outcome::Panic(words) = direct::f2("ow") else { panic!("a panic") };
        assert!(words.starts_with("ow, at functions/src/lib.rs:"), "{words}");
        let tierup_calls::Outcome::Panic(outside) = tierup_calls::direct::f2("ow") else { panic!("a panic") };
        assert_eq!(words, outside);
        assert!(matches!(direct::f3("a"), Outcome::Ok(())));
        let large = "x".repeat(5 << 20);
        assert_eq!(shout(&large), large.to_uppercase());
        sizes();
        println!("direct calls are right");
    }

    /// Arguments reuse the memory of an earlier call's, if they fit and the module still has that memory.
    fn sizes() {
        // In upper case, the second letter grows from 2 to 3 bytes: an answer can be larger than its arguments.
        let texts = ["a", "\u{149}"].map(|letter| move |bytes: usize| letter.repeat(bytes / letter.len()));
        let sizes = [64, 4092, 4096, 5000, (1 << 20) - 4, 1 << 20, 5 << 20, 700 << 10];
        for first in sizes {
            for then in sizes {
                for text in texts.iter().flat_map(|text| [text(first), text(then), text(3)]) {
                    assert_eq!(shout(&text), text.to_uppercase(), "{first}, {then}");
                }
            }
        }
        let before = resident();
        (0..20).for_each(|_| drop(shout(&texts[1](900 << 10))));
        let after = resident();
        assert!(after < before + (16 << 10), "{before} KiB before, {after} after");
    }

    fn traps() {
        let panics = |count| {
            for _ in 0..count {
                assert_eq!(sandboxed(PANIC_WITH, &text("ow")), native(PANIC_WITH, &text("ow")));
                assert_eq!(shout("a"), "A");
            }
        };
        panics(500);
        let (before, mappings) = (resident(), mappings());
        panics(10_000);
        let (after, more) = (resident(), self::mappings());
        println!("10,000 traps: {before} KiB before, {after} after; {mappings} mappings, {more} after");
        assert!(after < before + (16 << 10) && more < mappings + 20);
    }

    fn overflow() {
        for on_heap in [0, 1] {
            // A host's thread may have a small stack.
            let small = thread::Builder::new().stack_size(64 << 10);
            let ended = small.spawn(move || {
                let deep = [&u32::MAX.to_le_bytes()[..], &[on_heap]].concat();
                let ended: Vec<_> = (0..50).map(|_| said(&sandboxed(RECURSE, &deep))).collect();
                assert_eq!(shout("a"), "A");
                ended
            });
            let ended = ended.expect("a thread").join().expect("it ends");
            println!("{:?}", ended[0]);
            assert!(ended.iter().all(|one| one == &ended[0] && one.0 == 2 && one.1.contains("stack")), "{ended:?}");
        }
        let fine = [&1000_u32.to_le_bytes()[..], &[1]].concat();
        assert_eq!(sandboxed(RECURSE, &fine), native(RECURSE, &fine));
    }

    /// Runs with `TIERUP_CALL_MEMORY=64`.
    fn memory() {
        let (tag, words) = said(&sandboxed(FILL, &100_u32.to_le_bytes()));
        println!("{words}");
        assert_eq!((tag, &*words), (2, "the call wanted more than 64 MiB of memory (TIERUP_CALL_MEMORY)"));
        assert_eq!(sandboxed(FILL, &30_u32.to_le_bytes()), native(FILL, &30_u32.to_le_bytes()));
    }

    fn threads() {
        let fill = 20_u32.to_le_bytes();
        let expected = native(FILL, &fill);
        thread::scope(|scope| {
            for number in 0..8 {
                let expected = &expected;
                scope.spawn(move || {
                    for round in 0..1000 {
                        let word = format!("w{number}-{round}");
                        assert_eq!(shout(&word), word.to_uppercase());
                        if round % 100 == number {
                            assert_eq!(said(&sandboxed(PANIC_WITH, &text("ow"))).0, 2);
                            assert_eq!(&sandboxed(FILL, &fill), expected);
                        }
                    }
                });
            }
        });
        let churn = |count| {
            for _ in 0..count {
                thread::spawn(|| assert_eq!(shout("a"), "A")).join().expect("it ends");
            }
        };
        churn(200);
        let (before, mappings) = (resident(), mappings());
        churn(3000);
        let (after, more) = (resident(), self::mappings());
        println!("3,000 threads: {before} KiB before, {after} after; {mappings} mappings, {more} after");
        assert!(after < before + (16 << 10) && more < mappings + 20);
    }

    /// Forks a process while its other threads create instances; the children make calls.
    fn forks(has_timeout: bool) {
        assert_eq!(shout("a"), "A");
        let stop = std::sync::atomic::AtomicBool::new(false);
        let busy = || while !stop.load(std::sync::atomic::Ordering::Relaxed) {
            sandboxed(PANIC_WITH, &text("ow"));
        };
        thread::scope(|scope| {
            scope.spawn(busy);
            scope.spawn(busy);
            for _ in 0..200 {
                // SAFETY: the test is about what the child does.
                match unsafe { libc::fork() } {
                    0 => {
                        let trapped = said(&sandboxed(PANIC_WITH, &text("ow"))).0 == 2;
                        let late = !has_timeout || said(&sandboxed(SPIN, &[1])).0 == 4;
                        let right = direct::f0("a").into_result().is_ok_and(|value| value == "A");
                        // SAFETY: nothing else of the parent must run in the child.
                        unsafe { libc::_exit(i32::from(!(trapped && late && right))) }
                    }
                    child => assert_eq!(ended(child), Some(0), "the child is wrong or hangs"),
                }
                if has_timeout {
                    break;
                }
            }
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        println!("children call");
    }

    /// A child's exit code; `None` if it does not end.
    fn ended(child: i32) -> Option<i32> {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(60) {
            let mut status = 0;
            // SAFETY: it is a child of this process, and there is room for the status.
            if unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } == child {
                return Some(if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 1000 + status });
            }
            thread::sleep(Duration::from_millis(1));
        }
        // SAFETY: the same child.
        unsafe { libc::kill(child, libc::SIGKILL) };
        None
    }

    /// Runs with `TIERUP_CALL_TIMEOUT=0.2`.
    fn late() {
        for _ in 0..3 {
            let begin = Instant::now();
            let (tag, words) = said(&sandboxed(SPIN, &[1]));
            println!("{words}, after {:?}", begin.elapsed());
            assert_eq!((tag, &*words), (4, "the call took longer than 0.2 s (TIERUP_CALL_TIMEOUT)"));
            assert!(begin.elapsed() >= Duration::from_millis(200));
            assert_eq!(sandboxed(SPIN, &[0]), native(SPIN, &[0]));
        }
        let names = fs::read_dir("/proc/self/task").expect("threads").flatten().map(|task| {
            let (name, status) = (task.path().join("comm"), task.path().join("status"));
            (fs::read_to_string(name).unwrap_or_default(), fs::read_to_string(status).unwrap_or_default())
        });
        let clocks: Vec<_> = names.filter(|(name, _)| name.trim() == "tierup-clock").collect();
        assert_eq!(clocks.len(), 1);
        let blocked = clocks[0].1.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap_or_default().trim().to_owned();
        // All signals except SIGKILL, SIGSTOP and the two that the C library reserves.
        assert_eq!(blocked, "fffffffe7ffbfeff".to_owned(), "the clock's thread gets signals");
        forks(true);
    }

    /// Prints the cost of a call, with and without the sandbox.
    fn cost() {
        let best = |call: &dyn Fn()| {
            let times = (0..11).map(|_| {
                let begin = Instant::now();
                (0..20_000).for_each(|_| call());
                begin.elapsed().as_nanos() as f64 / 20_000.0
            });
            let mut times: Vec<f64> = times.collect();
            times.sort_by(f64::total_cmp);
            (times[5], times[0], times[10])
        };
        let short = "x".repeat(64);
        let long = "x".repeat(64 << 10);
        for (name, text) in [("64 B", &short), ("64 KiB", &long)] {
            let inside = best(&|| drop(direct::f3(text)));
            let outside = best(&|| drop(tierup_calls::direct::f3(text)));
            println!("{name}: median {:.0} ns [{:.0}, {:.0}] in the sandbox, {:.0} [{:.0}, {:.0}] without", inside.0, inside.1, inside.2, outside.0, outside.1, outside.2);
        }
    }

    fn resident() -> usize {
        let status = fs::read_to_string("/proc/self/status").expect("this process's status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
        line.trim().trim_end_matches("kB").trim().parse().expect("a number")
    }

    fn mappings() -> usize {
        fs::read_to_string("/proc/self/maps").expect("this process's mappings").lines().count()
    }
}
