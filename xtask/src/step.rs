//! Steps: programs that pass or fail, and the report on them.

use std::{
    env,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::{self, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

use tierup_codegen::Command;

use crate::evidence::Evidence;

/// A part of `cargo xtask test` with a name of its own.
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Report),
}

/// What passed and failed so far. If a program prints how many tests it ran, each test counts; any other step counts
/// as one.
#[derive(Default)]
pub(crate) struct Report {
    /// The prefix of every line if several reports are written at a time.
    label: String,
    passed: u64,
    failed: u64,
    failures: Vec<Failure>,
    times: Vec<(&'static str, Duration)>,
}

/// A step that failed.
struct Failure {
    step: String,
    evidence: Vec<String>,
}

impl Report {
    pub(crate) fn stage(&mut self, stage: &Stage) {
        println!("\n== {} ==", stage.name);
        let began = Instant::now();
        (stage.run)(self);
        self.times.push((stage.name, began.elapsed()));
    }

    /// Runs the same function for several names in parallel, each in a thread with a report of its own. The lines of a
    /// report begin with its name.
    pub(crate) fn side_by_side(&mut self, names: &[String], run: fn(&mut Report, &str)) {
        thread::scope(|scope| {
            let start = |name: &String| {
                let (name, mut own) = (name.clone(), Report { label: format!("{name} | "), ..Report::default() });
                scope.spawn(move || {
                    run(&mut own, &name);
                    own
                })
            };
            let running: Vec<_> = names.iter().map(start).collect();
            for (name, thread) in names.iter().zip(running) {
                match thread.join() {
                    Ok(own) => {
                        self.passed += own.passed;
                        self.failed += own.failed;
                        self.failures.extend(own.failures);
                    }
                    Err(_) => self.check(name, false, "it panicked"),
                }
            }
        });
    }

    /// Runs a program, shows its output as it comes, and returns whether it passed.
    pub(crate) fn step(&mut self, name: &str, command: &Command) -> bool {
        self.say(&format!("\n-- {name}: {command}"));
        let began = Instant::now();
        let (mut tally, mut evidence) = (Tally::default(), Evidence::default());
        let read = |line: &str| {
            tally.read(line);
            evidence.read(line);
        };
        let passed = match self.run(command, read) {
            Ok(status) => status.success(),
            Err(error) => {
                let reason = format!("`{}` cannot be run: {error}", command.program);
                self.say(&reason);
                evidence.read(&reason);
                false
            }
        };
        // A program that fails without a failed test (for example, it did not compile) is still a failure.
        self.failed += if passed { tally.failed } else { tally.failed.max(1) };
        self.passed += if passed { tally.passed.max(1) } else { tally.passed };
        if !passed {
            self.failures.push(Failure { step: name.to_owned(), evidence: evidence.lines() });
        }
        let outcome = if passed { "ok" } else { "FAILED" };
        self.say(&format!("-- {name}: {outcome} in {:.1} s", began.elapsed().as_secs_f64()));
        passed
    }

    fn run(&self, command: &Command, mut read: impl FnMut(&str)) -> std::io::Result<process::ExitStatus> {
        // Both outputs share one pipe, so that their lines keep their order and get the label.
        let (output, for_errors) = io::pipe()?;
        let mut run = process::Command::new(&command.program);
        run.args(&command.arguments)
            .current_dir(root().join(&command.folder))
            .envs(command.environment.iter().map(|(name, value)| (name, value)))
            // Each Maven process lives for seconds: too short for an optimising compiler to pay off.
            .env("MAVEN_OPTS", env::var("MAVEN_OPTS").unwrap_or("-XX:TieredStopAtLevel=1 -XX:+UseSerialGC".into()))
            .stdin(Stdio::null())
            .stdout(for_errors.try_clone()?)
            .stderr(for_errors);
        let mut child = run.spawn()?;
        // The command also holds ends of the pipe, and the output does not end before they are closed.
        drop(run);
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            self.say(&line);
            read(&line);
        }
        child.wait()
    }

    /// Prints lines.
    pub(crate) fn say(&self, lines: &str) {
        for line in lines.split('\n') {
            println!("{}{line}", self.label);
        }
    }

    /// Counts something that is no program.
    pub(crate) fn check(&mut self, name: &str, passed: bool, otherwise: &str) {
        if passed {
            self.passed += 1;
            self.say(&format!("-- {name}: ok"));
        } else {
            self.failed += 1;
            self.failures.push(Failure { step: name.to_owned(), evidence: vec![otherwise.to_owned()] });
            self.say(&format!("-- {name}: FAILED\n{otherwise}"));
        }
    }

    /// Prints the results. The last line sums them up, for people who read only one.
    pub(crate) fn close(self) -> ExitCode {
        println!();
        for (stage, time) in &self.times {
            println!("{stage:12} {:6.1} s", time.as_secs_f64());
        }
        for failure in &self.failures {
            println!("FAILED: {}", failure.step);
            failure.evidence.iter().for_each(|line| println!("    {line}"));
        }
        println!("{} passed, {} failed", self.passed, self.failed);
        if self.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Cargo, in the repository's root.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    Command::new("cargo", arguments)
}

/// For tests that mostly wait, for a server or a timeout: runs more of them at a time than there are processors.
pub(crate) fn mostly_waiting(mut tests: Command) -> Command {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    tests.environment.push(("RUST_TEST_THREADS".into(), (processors * 2).to_string()));
    tests
}

/// A test that a plain `cargo test` leaves out. It is built for the whole workspace, like everything else: for one
/// package alone, dependencies would have other features and be compiled once more.
pub(crate) fn separate_test(name: &str) -> Command {
    cargo(["test", "--workspace", "--test", name])
}

/// The repository's root, where every step starts.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The number of tests that a program printed that it ran.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: u64,
    failed: u64,
}

impl Tally {
    /// `test result: ok. 3 passed; 0 failed; …` from cargo, `# pass 3` or `ℹ pass 3` from Node,
    /// `1 failed, 3 passed in 0.12s` from pytest.
    fn read(&mut self, line: &str) {
        let line = line.trim();
        if let Some((counts, _)) = line.trim_matches(['=', ' ']).rsplit_once(" in ") {
            for (count, word) in counts.split(", ").filter_map(|part| part.split_once(' ')) {
                match (count.parse::<u64>(), word) {
                    (Ok(count), "passed") => self.passed += count,
                    (Ok(count), "failed" | "error" | "errors") => self.failed += count,
                    _ => {}
                }
            }
        }
        if let Some(result) = line.strip_prefix("test result: ") {
            let before = |word: &str| {
                let words: Vec<_> = result.split_whitespace().collect();
                words
                    .windows(2)
                    .find(|pair| pair[1].trim_end_matches(';') == word)
                    .and_then(|pair| pair[0].parse::<u64>().ok())
            };
            self.passed += before("passed").unwrap_or(0);
            self.failed += before("failed").unwrap_or(0);
        } else if let Some(count) = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ ")) {
            match count.split_once(' ').map(|(word, count)| (word, count.parse::<u64>())) {
                Some(("pass", Ok(count))) => self.passed += count,
                Some(("fail", Ok(count))) => self.failed += count,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_counted() {
        let mut tally = Tally::default();
        let cargo = "test result: FAILED. 3 passed; 1 failed; 2 ignored; 0 measured; finished in 0.01s";
        let pytest = "===== 1 failed, 5 passed, 2 skipped, 1 error in 0.12s =====";
        for line in
            [cargo, "# pass 4", "ℹ fail 2", "# passing by", "", pytest, "6 passed in 1.00s", "12 items in a box"]
        {
            tally.read(line);
        }
        assert_eq!(tally, Tally { passed: 18, failed: 5 });
    }
}
