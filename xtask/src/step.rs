//! Steps: programs that pass or fail, their cost, and the report. A step is one line; its output goes to a file, and is
//! printed only if the step fails.

use std::{
    collections::{BTreeMap, VecDeque},
    env,
    fs::{self, File},
    io::{self, BufRead, BufReader, Write as _},
    path::PathBuf,
    process::{self, ExitCode, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use tierup_codegen::Command;
use wait4::Wait4;

use crate::{
    compiled,
    evidence::Evidence,
    repository::root,
    timings::{Cost, Run, Step},
};

/// A named part of `cargo xtask test`.
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Report),
}

/// The results so far. If a program prints how many tests it ran, each test counts; any other step counts as one.
#[derive(Default)]
pub(crate) struct Report {
    stage: &'static str,
    /// This program's path, if it records crates. Taken early, as cargo replaces the file during the run.
    notes_crates: Option<PathBuf>,
    passed: u64,
    failed: u64,
    failures: Vec<Failure>,
    stages: Vec<(&'static str, Duration)>,
    steps: Vec<Step>,
    running: Running,
}

/// The running steps, for status lines.
type Running = Arc<Mutex<BTreeMap<String, Instant>>>;

/// The interval between status lines.
const STILL: Duration = Duration::from_secs(60);
/// Number of lines of a failed step's output to print; the file has all of them.
const SHOWN: usize = 1_000;

/// A step that failed.
struct Failure {
    step: String,
    evidence: Vec<String>,
}

impl Report {
    pub(crate) fn new(notes_crates: bool) -> Report {
        let notes_crates = env::current_exe().ok().filter(|_| notes_crates);
        let report = Report { notes_crates, ..Report::default() };
        let running = Arc::downgrade(&report.running);
        // Ends up to a minute after the report.
        thread::spawn(move || {
            while let Some(running) = {
                thread::sleep(STILL);
                running.upgrade()
            } {
                let running = running.lock().unwrap_or_else(PoisonError::into_inner);
                for (name, began) in running.iter().filter(|(_, began)| began.elapsed() >= STILL) {
                    println!("  ...  {:7.1} s  {name}", began.elapsed().as_secs_f64());
                }
            }
        });
        report
    }

    pub(crate) fn stage(&mut self, stage: &Stage) {
        println!("\n== {} ==", stage.name);
        self.stage = stage.name;
        let began = Instant::now();
        (stage.run)(self);
        self.stages.push((stage.name, began.elapsed()));
    }

    /// Runs lanes of stages in parallel; the stages of a lane run in sequence.
    pub(crate) fn stages_side_by_side(&mut self, lanes: &[&[&Stage]]) {
        self.side_by_side(lanes.len(), lanes, |own, lane| lane.iter().for_each(|stage| own.stage(stage)));
    }

    /// Runs a function for several jobs, at most `most` at a time, each with its own report.
    pub(crate) fn side_by_side<T: Sync>(&mut self, most: usize, jobs: &[T], run: impl Fn(&mut Report, &T) + Sync) {
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            let lane = || {
                let (mut own, next, run) = (self.beside(), &next, &run);
                scope.spawn(move || {
                    while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                        run(&mut own, job);
                    }
                    own
                })
            };
            let running: Vec<_> = (0..most.min(jobs.len())).map(|_| lane()).collect();
            for thread in running {
                match thread.join() {
                    Ok(own) => self.add(own),
                    Err(_) => self.check("a lane of jobs", false, "it panicked"),
                }
            }
        });
    }

    /// Runs steps in two parallel lanes. When one lane is empty, its thread takes steps of the other.
    pub(crate) fn two_lanes(&mut self, lanes: [VecDeque<(String, Command)>; 2]) {
        let lanes = Mutex::new(lanes);
        let next = |own: usize| {
            let mut lanes = lanes.lock().unwrap_or_else(PoisonError::into_inner);
            lanes[own].pop_front().or_else(|| lanes[1 - own].pop_front())
        };
        thread::scope(|scope| {
            let running: Vec<_> = [0, 1]
                .map(|lane| {
                    let (mut own, next) = (self.beside(), &next);
                    scope.spawn(move || {
                        while let Some((name, command)) = next(lane) {
                            own.step(&name, &command);
                        }
                        own
                    })
                })
                .into_iter()
                .collect();
            for thread in running {
                match thread.join() {
                    Ok(own) => self.add(own),
                    Err(_) => self.check("a lane of tests", false, "it panicked"),
                }
            }
        });
    }

    /// A report for a thread, to be added to this one when the thread ends.
    fn beside(&self) -> Report {
        Report {
            stage: self.stage,
            notes_crates: self.notes_crates.clone(),
            running: self.running.clone(),
            ..Report::default()
        }
    }

    fn add(&mut self, other: Report) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.failures.extend(other.failures);
        self.stages.extend(other.stages);
        self.steps.extend(other.steps);
    }

    /// Runs a program, and returns whether it passed.
    pub(crate) fn step(&mut self, name: &str, command: &Command) -> bool {
        self.step_reading(name, command, |_| {})
    }

    /// Like [`Report::step`]; `read` gets each line of the output.
    pub(crate) fn step_reading(&mut self, name: &str, command: &Command, mut read: impl FnMut(&str)) -> bool {
        let began = Instant::now();
        self.running.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), began);
        let (mut tally, mut evidence) = (Tally::default(), Evidence::default());
        let files = Files::new(self.stage, name);
        let ran = self.run(command, &files, |line| {
            tally.read(line);
            evidence.read(line);
            read(line);
        });
        let (passed, mut cost) = ran.unwrap_or_else(|error| {
            evidence.read(&format!("`{}` cannot be run: {error}", command.program));
            (false, Cost::default())
        });
        self.running.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
        cost.wall = began.elapsed().as_secs_f64();
        cost.tests = tally.passed + tally.failed;
        let compiled = fs::read_to_string(&files.compiled).map(|log| compiled::read(&log)).unwrap_or_default();
        // A program that fails without a failed test (for example, because it did not compile) is still a failure.
        self.failed += if passed { tally.failed } else { tally.failed.max(1) };
        self.passed += if passed { tally.passed.max(1) } else { tally.passed };
        let tests = if cost.tests > 0 { format!(", {} tests", cost.tests) } else { String::new() };
        let line = format!("{:7.1} s  {name} ({:.0} s of CPU{tests})", cost.wall, cost.user + cost.system);
        if passed {
            println!("   ok  {line}");
        } else {
            let output = fs::read_to_string(&files.output).unwrap_or_default();
            let skipped = output.lines().count().saturating_sub(SHOWN);
            let shown: String = output.lines().skip(skipped).map(|line| format!("    {line}\n")).collect();
            println!("FAILED {line}\n    {command}\n{shown}    the whole output: {}", files.output.display());
            self.failures.push(Failure { step: name.to_owned(), evidence: evidence.lines() });
        }
        let (stage, name) = (self.stage.to_owned(), name.to_owned());
        self.steps.push(Step { stage, name, cost, compiled: compiled.into_iter().collect() });
        passed
    }

    /// Runs a program, and passes each line of its output to `read`. Returns whether it passed, and its cost.
    fn run(&self, command: &Command, files: &Files, mut read: impl FnMut(&str)) -> io::Result<(bool, Cost)> {
        let mut kept = files.create()?;
        // Both outputs share a pipe, so that their lines stay in order.
        let (output, for_errors) = io::pipe()?;
        let mut run = process::Command::new(&command.program);
        run.args(&command.arguments)
            .current_dir(root().join(&command.folder))
            // Each Maven process lives for seconds, so an optimizing compiler does not pay off.
            .env("MAVEN_OPTS", env::var("MAVEN_OPTS").unwrap_or("-XX:TieredStopAtLevel=1 -XX:+UseSerialGC".into()))
            // Python compiles the modules that it imports; pip would compile all.
            .env("PIP_NO_COMPILE", "1")
            .envs(command.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(for_errors.try_clone()?)
            .stderr(for_errors);
        if let Some(program) = &self.notes_crates {
            run.env("RUSTC_WRAPPER", program).env(compiled::LOG, &files.compiled);
        }
        let child = run.spawn()?;
        // The command also holds ends of the pipe; the output ends only when they are closed.
        drop(run);
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line);
            // Cargo's JSON messages are not for people.
            if !line.starts_with(r#"{"reason":"#) {
                writeln!(kept, "{line}")?;
            }
            read(&line);
        }
        let ended = child.wait4()?;
        let (user, system) = (ended.rusage.utime.as_secs_f64(), ended.rusage.stime.as_secs_f64());
        Ok((ended.status.success(), Cost { user, system, ..Cost::default() }))
    }

    /// Prints a line.
    pub(crate) fn say(&self, line: &str) {
        println!("{line}");
    }

    /// Counts a check that is not a program.
    pub(crate) fn check(&mut self, name: &str, passed: bool, otherwise: &str) {
        if passed {
            self.passed += 1;
        } else {
            self.failed += 1;
            self.failures.push(Failure { step: name.to_owned(), evidence: vec![otherwise.to_owned()] });
            println!("FAILED {name}\n    {otherwise}");
        }
    }

    /// Prints the results. The last line is the summary, for people who read only one.
    pub(crate) fn close(self) -> ExitCode {
        println!();
        let run = Run::new(&self.stages, self.steps);
        if self.notes_crates.is_some() {
            println!("{}", run.table());
        }
        if let Err(error) = run.keep() {
            println!("the times of this run are not kept: {error}");
        }
        for (stage, time) in &self.stages {
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

/// The files with a step's output and its compiled crates, kept until the step runs again.
struct Files {
    output: PathBuf,
    compiled: PathBuf,
}

impl Files {
    fn new(stage: &str, step: &str) -> Files {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-.".contains(c) { c } else { '_' };
        let name: String = step.chars().map(plain).collect();
        let folder = root().join("target/xtask").join(stage);
        Files { output: folder.join(format!("{name}.log")), compiled: folder.join(format!("{name}.compiled")) }
    }

    fn create(&self) -> io::Result<File> {
        if let Some(folder) = self.output.parent() {
            fs::create_dir_all(folder)?;
        }
        let _ = fs::remove_file(&self.compiled);
        File::create(&self.output)
    }
}

/// The numbers of passed and failed tests that a program printed.
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
