//! Reports of a ramp to Prometheus and to the command of `notify`.

use std::{fs, path::Path};

use super::{ended, metrics, metrics_address, signal, started, until};
use crate::{MANIFEST, run, write};

/// A project whose ramps run this script at each decision.
fn project(script: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let settings = format!(
        "[function]\ncrate = \".\"\nexport = [\"shout\"]\n[host.node]\nstart = [\"node\", \"server.js\"]\n\
         [rollout]\nnotify = [\"sh\", \"-c\", \"{script}\"]\n"
    );
    let library = "pub fn shout(text: &str) -> String { text.into() }\n";
    write(folder.path(), &[("Cargo.toml", MANIFEST), ("src/lib.rs", library), ("node/server.js", "")]);
    write(folder.path(), &[("tierup.toml", &settings)]);
    folder
}

fn order(folder: &Path, words: &[&str]) -> String {
    run(folder, &[&["ramp"][..], words, &["--state", "state"]].concat())
}

#[test]
fn decisions_reach_the_command_and_metrics_show_the_status() {
    let folder = project("cat >> told");
    let mut judge = started(folder.path(), &[".", "--metrics", "127.0.0.1:0"]);
    let address = metrics_address(&mut judge);
    order(folder.path(), &["to", "25%"]);
    for line in ["tierup_ramp_weight 0.25", "tierup_ramp_notifications_total{outcome=\"done\"} 2"] {
        until(line, || metrics(&address).lines().any(|found| found == line));
    }
    let text = metrics(&address);
    assert!(text.contains("\r\nContent-Type: text/plain; version=0.0.4"), "{text}");
    for part in ["phase=\"ramping\"} 1\n", "timestamp_seconds{decision=\"to 25%\"} ", "{kind=\"errors\"} 1\n"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    order(folder.path(), &["abort"]);
    assert_eq!(ended(judge).0, Some(1));
    // The last decision is reported before the end.
    let told = fs::read_to_string(folder.path().join("told")).unwrap();
    assert_eq!(told, fs::read_to_string(folder.path().join("state/decisions.jsonl")).unwrap());
    assert_eq!(told.lines().count(), 3, "begin, to 25%, roll back: {told}");
}

#[test]
fn a_hanging_command_delays_nothing_and_ends_with_the_judge() {
    let folder = project("sleep 1000 & echo $! > new; mv new child; wait");
    let judge = started(folder.path(), &["."]);
    let child = folder.path().join("child");
    until("the command runs", || child.exists());
    assert!(order(folder.path(), &["to", "5%"]).contains("ramping: the candidate answers 5%"));
    assert!(order(folder.path(), &["abort"]).contains("rolled back: the control answers all"));
    let stat = format!("/proc/{}/stat", fs::read_to_string(child).unwrap().trim());
    // Interrupts, so that the judge does not wait for the command. Repeats the signal, as it has no effect before the
    // wait; but stops with the command, as a later signal would end the judge before its last output.
    let mut looks = (0..100).cycle();
    until("its child has ended", || {
        // A killed process remains until its parent has waited for it.
        let has_ended = fs::read_to_string(&stat).map_or(true, |stat| stat.contains(") Z "));
        if looks.next() == Some(0) && !has_ended {
            signal(&judge, "-INT");
        }
        has_ended
    });
    let (code, _, stderr) = ended(judge);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("warning: `notify` failed or was not run for 3 decisions"), "{stderr}");
}
