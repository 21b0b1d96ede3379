//! The alternative to Rust, a cache, is measured and checked: it wins if arguments repeat, and loses if they do not.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{passed, tierup};

/// A function of the server that takes milliseconds.
const HEAVY: &str = "'use strict';
class SlugError extends Error {}
function slugify(text) {
  let spent = 0;
  for (let turn = 0; turn < 1e6; turn += 1) spent = (spent + turn * text.length) % 1e9;
  const slug = text.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '');
  if (slug === '' || spent < 0) throw new SlugError('text has no letters or digits');
  return slug.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
module.exports = Object.assign(slugify, { SlugError });
";

#[test]
fn a_cache_wins_only_if_arguments_repeat() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("slug");
    passed("new", &tierup(folder.path(), &["new", "slug", "--host", "node"]).output().unwrap());
    fs::write(project.join("node/baseline.js"), HEAVY).unwrap();

    fs::write(project.join("requests.http"), "GET /slug?text=Hello\n###\nGET /slug?text=World\n").unwrap();
    let (cpu, kept) = measured(&project, "1000");
    assert!(cpu < 0.5, "{cpu} {kept}");
    assert!(kept["hits"].as_f64() > kept["calls"].as_f64().map(|calls| calls * 0.9), "{kept}");
    assert_eq!((&kept["entries"], &kept["has_all"]), (&2.into(), &true.into()), "{kept}");

    fs::write(project.join("requests.http"), "GET /slug?text={{$guid}}\n").unwrap();
    // Each slice starts at a random place, so some requests repeat: keep only five of hundreds of answers.
    let (cpu, kept) = measured(&project, "5");
    assert!(cpu > 0.5, "{cpu} {kept}");
    assert!(kept["hits"].as_f64() < kept["calls"].as_f64().map(|calls| calls * 0.1), "{kept}");

    let mut check = tierup(&project, &["check", "--tiers", "0:memo,0:workers", "--cases", "20", "--hostile", "20"]);
    passed("check", &check.output().unwrap());
}

/// The CPU of a request at `0:memo` relative to `0`, which is robust against other load, and the cache's statistics.
fn measured(project: &Path, entries: &str) -> (f64, Value) {
    let rows = ["bench", "--tiers", "0,0:memo", "--blocks", "2", "--duration", "4s", "--connections", "10"];
    let mut bench = tierup(project, &[&rows[..], &["--seed", "1", "--json"]].concat());
    let out = passed("bench", &bench.env("TIERUP_MEMO_ENTRIES", entries).output().unwrap());
    let report: Value = serde_json::from_str(&out).unwrap();
    let analysis = &report["analysis"];
    let is_cpu = |column: &Value| column["figure"] == "cpu-per-request";
    let column = analysis["columns"].as_array().unwrap().iter().position(is_cpu).unwrap();
    let row = &analysis["rows"][1];
    (row["cells"][column]["ratio"].as_f64().unwrap(), row["kept"].clone())
}
