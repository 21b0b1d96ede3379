//! `tierup ramp --inside`: a worker without requests rolls its function out, and another one rolls it back.

use std::{fs, path::Path, process::Command};

use crate::{Running, interrupt, tierup, wait};

/// Takes a job from its queue a hundred times a second, and calls the function for each of 5 texts: on a busy machine,
/// more calls could not all be compared, and without them the ramp waits.
const WORKER: &str = "const own = require('./baseline');
const odd = process.argv[2];
const baseline = { slugify: (text) => (text === odd ? 'odd' : own(text)) };
const { slugify } = require('slug').with({ baseline });
let job = 0;
setInterval(async () => {
  for (let line = 0; line < 5; line += 1) await slugify(`Job ${(job += 1) % 100}`);
}, 10);
";

pub(crate) fn a_function_is_rolled_out_without_requests(project: &Path) {
    let settings = project.join("tierup.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text.replace("export = [\"slugify\"]", "export = [\"slugify\"]\npure = true")).unwrap();
    super::passed("build", &tierup(project, &["build", "--tiers", "1:pool,3:native"]).output().unwrap());
    fs::write(project.join("node/worker.js"), WORKER).unwrap();

    let worker = worker(project, &[]);
    let mut judge = Running(ramp(project, &[]).spawn().unwrap());
    wait("it is ready", || journal(project).contains("\"decision\":\"ready\",\"weight\":9900"));
    interrupt(&judge.0);
    assert_eq!(judge.0.wait().unwrap().code(), Some(0));
    drop(worker);
    let report = tierup(project, &["shadow", "report", "--inside", "rollout"]).output().unwrap();
    let report = super::passed("report", &report);
    assert!(report.contains("share: ") && report.contains(" the control answered 0 of them"), "{report}");

    let _worker = self::worker(project, &["Job 7"]);
    let judged = ramp(project, &["--new"]).output().unwrap();
    let said = String::from_utf8_lossy(&judged.stderr);
    assert_eq!(judged.status.code(), Some(1), "{said}");
    assert!(said.contains("answered differently, such as slugify(\"Job 7\")"), "{said}");
    let control = fs::read_to_string(project.join("rollout")).unwrap();
    assert!(!control.contains("share="), "{control}");
    fs::write(&settings, text).unwrap();
}

fn worker(project: &Path, arguments: &[&str]) -> Running {
    let mut command = Command::new("node");
    command.arg("worker.js").args(arguments).current_dir(project.join("node"));
    Running(command.env("TIERUP_TIER", "0").env("TIERUP_ROLLOUT", project.join("rollout")).spawn().unwrap())
}

/// A ramp with short steps.
fn ramp(project: &Path, more: &[&str]) -> Command {
    let plan = ["--steps", "10%,99%", "--hold", "1s", "--tolerated", "3%", "--sample", "3%", "--keep-values"];
    tierup(project, &[&["ramp", "--inside", "rollout"], &plan[..], more].concat())
}

fn journal(project: &Path) -> String {
    fs::read_to_string(project.join("rollout.ramp/decisions.jsonl")).unwrap_or_default()
}
