//! The cost of a test run: wall and processor time of each step, and what rustc compiled in it.
//!
//! In: the steps of a run. Out: a file for each of the last runs, and a Markdown table for CONTRIBUTING.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs, io,
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use crate::{
    compiled::{Compiled, Crate},
    repository::{answer, root},
};

/// Number of runs to keep.
const KEPT: usize = 10;
/// Number of steps and of crates to show in a table.
const SHOWN: usize = 20;

/// One program that a stage ran.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) stage: String,
    pub(crate) name: String,
    pub(crate) cost: Cost,
    /// Empty without `--timings`.
    pub(crate) compiled: Vec<(Crate, Compiled)>,
}

/// Times in seconds. They exclude processes that outlive their parent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cost {
    pub(crate) wall: f64,
    pub(crate) user: f64,
    pub(crate) system: f64,
    pub(crate) tests: u64,
}

/// One run of `cargo xtask test`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Run {
    commit: String,
    /// Names and wall times of the stages; steps of a stage may run in parallel.
    stages: Vec<(String, f64)>,
    steps: Vec<Step>,
}

impl Run {
    pub(crate) fn new(stages: &[(&str, Duration)], steps: Vec<Step>) -> Run {
        let commit = answer("git", &["describe", "--always", "--dirty"]).unwrap_or_default().trim().to_owned();
        let stages = stages.iter().map(|(name, wall)| ((*name).to_owned(), wall.as_secs_f64())).collect();
        Run { commit, stages, steps }
    }

    /// Writes the run beside the earlier ones, and removes the oldest.
    pub(crate) fn keep(&self) -> io::Result<()> {
        let folder = folder();
        fs::create_dir_all(&folder)?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        fs::write(folder.join(format!("{now:012}.json")), serde_json::to_vec(self)?)?;
        let mut kept = kept();
        kept.truncate(kept.len().saturating_sub(KEPT));
        kept.into_iter().try_for_each(fs::remove_file)
    }

    /// The newest run.
    pub(crate) fn last() -> Option<Run> {
        serde_json::from_slice(&fs::read(kept().pop()?).ok()?).ok()
    }

    /// The wall time of a step in seconds; 0 if it did not run.
    pub(crate) fn wall(&self, step: &str) -> f64 {
        self.steps.iter().find(|one| one.name == step).map_or(0.0, |one| one.cost.wall)
    }

    /// Tables of the stages, the slowest steps, and the crates that took most time to compile.
    pub(crate) fn table(&self) -> String {
        let mut text = format!("Commit {}, wall and processor time in seconds.\n\n", self.commit);
        text.push_str("| stage | wall | user | system | tests |\n|---|--:|--:|--:|--:|\n");
        let mut row = |name: &str, cost: Cost| {
            let Cost { wall, user, system, tests } = cost;
            let _ = writeln!(text, "| {name} | {wall:.0} | {user:.0} | {system:.0} | {tests} |");
        };
        for (stage, wall) in &self.stages {
            let steps = self.steps.iter().filter(|step| step.stage == *stage);
            row(stage, Cost { wall: *wall, ..sum(steps.map(|step| step.cost)) });
        }
        let wall = self.stages.iter().map(|(_, wall)| wall).sum();
        row("**all**", Cost { wall, ..sum(self.steps.iter().map(|step| step.cost)) });

        text.push_str("\n| step | wall | user | system | tests |\n|---|--:|--:|--:|--:|\n");
        let mut steps: Vec<&Step> = self.steps.iter().collect();
        steps.sort_by(|a, b| (b.cost.user + b.cost.system).total_cmp(&(a.cost.user + a.cost.system)));
        for step in steps.into_iter().take(SHOWN) {
            let Cost { wall, user, system, tests } = step.cost;
            let _ = writeln!(text, "| {} | {wall:.0} | {user:.0} | {system:.0} | {tests} |", step.name);
        }

        let mut crates = BTreeMap::<&Crate, Compiled>::new();
        for (one, compiled) in self.steps.iter().flat_map(|step| &step.compiled) {
            let all = crates.entry(one).or_default();
            all.times += compiled.times;
            all.seconds += compiled.seconds;
        }
        if !crates.is_empty() {
            let all = crates.values().fold(Compiled::default(), |all, one| Compiled {
                times: all.times + one.times,
                seconds: all.seconds + one.seconds,
            });
            let _ = writeln!(text, "\nrustc ran {} times, {:.0} s of processor time.\n", all.times, all.seconds);
            text.push_str("| crate | profile | times | s |\n|---|---|--:|--:|\n");
            let mut crates: Vec<_> = crates.into_iter().collect();
            crates.sort_by(|(_, a), (_, b)| b.seconds.total_cmp(&a.seconds));
            for (one, compiled) in crates.into_iter().take(SHOWN) {
                let _ =
                    writeln!(text, "| {} | {} | {} | {:.1} |", one.name, one.place, compiled.times, compiled.seconds);
            }
        }
        text
    }
}

fn sum(costs: impl Iterator<Item = Cost>) -> Cost {
    costs.fold(Cost::default(), |all, one| Cost {
        wall: all.wall + one.wall,
        user: all.user + one.user,
        system: all.system + one.system,
        tests: all.tests + one.tests,
    })
}

fn folder() -> PathBuf {
    root().join("target/xtask/runs")
}

/// The files of the kept runs, the oldest first.
fn kept() -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(folder()).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_show_their_wall_time_and_their_steps_processor_time() {
        let step = |stage: &str, name: &str, user| Step {
            stage: stage.into(),
            name: name.into(),
            cost: Cost { wall: 10.0, user, system: 1.0, tests: 7 },
            compiled: vec![(Crate { name: "syn".into(), place: "debug".into() }, Compiled { times: 1, seconds: 2.5 })],
        };
        let steps = vec![step("unit", "a", 5.0), step("unit", "b", 8.0), step("fmt", "c", 1.0)];
        let run = Run { commit: "abc".into(), stages: vec![("fmt".into(), 10.0), ("unit".into(), 12.0)], steps };
        let table = run.table();
        for line in [
            "| fmt | 10 | 1 | 1 | 7 |",
            "| unit | 12 | 13 | 2 | 14 |",
            "| **all** | 22 | 14 | 3 | 21 |",
            "| b | 10 | 8 | 1 | 7 |",
            "rustc ran 3 times, 8 s of processor time.",
            "| syn | debug | 3 | 7.5 |",
        ] {
            assert!(table.lines().any(|found| found == line), "{line}\n{table}");
        }
    }
}
