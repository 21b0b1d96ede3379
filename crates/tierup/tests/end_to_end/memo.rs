//! What one would try before Rust, measured and checked: a cache wins where arguments repeat, and loses where they do not.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{passed, tierup};

/// The server's own function, which takes milliseconds.
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
fn a_cache_wins_where_arguments_repeat_and_loses_where_they_do_not() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("slug");
    passed("new", &tierup(folder.path(), &["new", "slug", "--host", "node"]).output().unwrap());
    fs::write(project.join("node/baseline.js"), HEAVY).unwrap();

    fs::write(project.join("requests.http"), "GET /slug?text=Hello\n###\nGET /slug?text=World\n").unwrap();
    let (verdict, recommendation, kept) = measured(&project, "1000", &[]);
    assert_eq!(verdict, "pays", "{recommendation}");
    assert!(recommendation.starts_with("Take 0:memo"), "{recommendation}");
    assert!(recommendation.contains("of calls were answered from memory"), "{recommendation}");
    assert!(kept["hits"].as_f64() > kept["calls"].as_f64().map(|calls| calls * 0.9), "{kept}");
    assert_eq!((&kept["entries"], &kept["has_all"]), (&2.into(), &true.into()), "{kept}");

    fs::write(project.join("requests.http"), "GET /slug?text={{$guid}}\n").unwrap();
    let (verdict, recommendation, kept) = measured(&project, "50", &[]);
    assert_ne!(verdict, "pays", "{recommendation}");
    assert!(recommendation.starts_with("Take 1:pool"), "{recommendation}");
    assert!(kept["hits"].as_f64() < kept["calls"].as_f64().map(|calls| calls * 0.1), "{kept}");
    // With a skew, a twentieth of the answers has far more than a twentieth of the calls.
    let (_, _, kept) = measured(&project, "50", &["--skew", "1.2"]);
    assert!(kept["hits"].as_f64() > kept["calls"].as_f64().map(|calls| calls * 0.3), "{kept}");
    assert_eq!(kept["is_flattered"], false);

    let mut check = tierup(&project, &["check", "--tiers", "0:memo,0:workers", "--cases", "20", "--hostile", "20"]);
    passed("check", &check.output().unwrap());
}

/// The verdict on `0:memo`, the recommendation, and what was kept.
fn measured(project: &Path, entries: &str, more: &[&str]) -> (String, String, Value) {
    let rows = ["bench", "--tiers", "0,0:memo,1:pool", "--blocks", "3", "--duration", "30s", "--connections", "10"];
    let mut bench = tierup(project, &[&rows[..], &["--seed", "1", "--json"], more].concat());
    let out = passed("bench", &bench.env("TIERUP_MEMO_ENTRIES", entries).output().unwrap());
    let report: Value = serde_json::from_str(&out).unwrap();
    let group = &report["analysis"]["groups"][0];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let verdict = text(&group["verdicts"][0]["verdict"]);
    (verdict, text(&group["recommendation"]), report["analysis"]["rows"][1]["kept"].clone())
}
