//! `tierup check` of a new project: all rows answer alike. If the old code differs, the smallest input that shows it is
//! found, kept, and repeated.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{passed, tierup};

pub(crate) fn every_row_answers_alike(project: &Path) {
    let out =
        passed("check", &tierup(project, &["check", "--json", "--seed", "1", "--hostile", "60"]).output().unwrap());
    let report: Value = serde_json::from_str(&out).unwrap();
    let labels = |part: usize| -> Vec<String> {
        let rows = report["parts"][part]["rows"].as_array().unwrap();
        rows.iter().map(|row| row["label"].as_str().unwrap().trim_start_matches("node ").to_owned()).collect()
    };
    let variants = ["1:spawn", "1:pool", "2:bindgen", "2:core", "2:component", "3:native", "3:async"];
    assert_eq!(labels(0), variants);
    assert_eq!(labels(1)[..7], variants);
    assert_eq!(labels(1)[7..], ["4:server"]);
    for row in report["parts"][0]["rows"].as_array().unwrap() {
        assert!(row["tally"]["same"].as_u64().unwrap() > 1000, "{row}");
    }
    a_chapter_is_kept(project);
    a_difference_is_kept(project);
}

/// The project's page shows the check, and the commands of the open steps.
fn a_chapter_is_kept(project: &Path) {
    let page = fs::read_to_string(project.join(".tierup/report.html")).unwrap();
    assert!(page.contains("all rows answer alike") && page.contains("id=\"check\""), "{page}");
    assert!(page.contains("tierup ceiling") && page.contains("tierup profile") && !page.contains("id=\"bench\""));
}

fn a_difference_is_kept(project: &Path) {
    let baseline = project.join("node/baseline.js");
    let right = fs::read_to_string(&baseline).unwrap();
    let wrong = right.clone()
        + "\nmodule.exports = (text) => (text.includes('7') ? `${slugify(text)}-seven` : slugify(text));\n";
    fs::write(&baseline, wrong).unwrap();
    let check = ["check", "--only", "functions", "--tiers", "3:native"];
    let output = tierup(project, &[&check[..], &["--keep", "--seed", "1"]].concat()).output().unwrap();
    let progress = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(progress.contains("calls at node 0, twice") && progress.contains("calls at node 3:native"), "{progress}");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("slugify(\"7\")") && said.contains("made smaller"), "{said}");
    fs::write(&baseline, right).unwrap();

    let kept = fs::read_dir(project.join("corpus/slugify")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(fs::read_to_string(&kept).unwrap(), "7");
    let case = ["--case", &kept.display().to_string()];
    let again = passed("check --case", &tierup(project, &[&check[..], &case].concat()).output().unwrap());
    assert!(again.contains("1 from the corpus"), "{again}");
    fs::remove_dir_all(project.join("corpus")).unwrap();
}
