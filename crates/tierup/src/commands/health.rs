//! `tierup health`: makes the golden call of `[health]` at every baseline and in Rust, and prints the hash of each
//! answer as a line for `tierup.toml`.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use tierup_project::{
    FILE,
    edit::{self, Hash},
    open_before_health,
};
use tierup_rows::golden_hashes;
use tierup_runner::Observer as _;

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts,
};

/// Make the golden call of [health] and print the SHA-256 of each answer
#[derive(Args)]
pub struct Arguments {
    /// The folder that holds tierup.toml
    #[arg(default_value = ".")]
    project: PathBuf,
    /// Store the hashes in tierup.toml
    #[arg(long)]
    write: bool,
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let mut loaded = open_before_health(&arguments.project, &hosts::all())?;
    let Some(health) = &mut loaded.project.health else {
        return Err(Failure::usage(format!("{FILE} has no [health]"))
            .hint("add one with a `request` whose answer you have checked"));
    };
    let expected = health.sha256.clone();
    // The generated server needs a hash. No answer has this one.
    if health.sha256.is_empty() {
        health.sha256.push("0".repeat(64));
    }
    let health = health.clone();
    let mut found: Vec<Hash> = Vec::new();
    for (host, settings) in &loaded.hosts {
        for (row, hash) in golden_hashes(&loaded, *host, settings, &health, console)? {
            let row = format!("{} {row}", host.name());
            match found.iter_mut().find(|found| found.hash == hash) {
                Some(found) => found.rows.push(row),
                None => found.push(Hash { hash, rows: vec![row] }),
            }
        }
    }
    if found.len() > 1 {
        console.note("the answers differ: check them, and keep only the hashes of the correct ones");
    }
    if found.is_empty() {
        return Err(Failure::usage("no host of this project has a package that can make the call")
            .hint("`tierup hosts` says what each host can do"));
    }
    let line = edit::hashes(&found);
    console.data(&if arguments.json { as_json(&expected, &found) } else { line.clone() })?;
    if arguments.write {
        let file = loaded.folder.join(FILE);
        let text = tierup_runner::read_text(&file)?.unwrap_or_default();
        let changed = edit::with_hashes(&text, &line)?;
        tierup_runner::write_file(&file, changed.as_bytes())?;
        console.note(&format!("stored in {}", loaded.shown(&file)));
        return Ok(());
    }
    verdict(&expected, &found)
}

fn as_json(expected: &[String], found: &[Hash]) -> String {
    let answer =
        |Hash { hash, rows }: &Hash| json!({ "sha256": hash, "rows": rows, "listed": expected.contains(hash) });
    format!("{:#}", json!({ "answers": found.iter().map(answer).collect::<Value>() }))
}

/// A failure if `[health]` does not list an answer.
fn verdict(expected: &[String], found: &[Hash]) -> Result<()> {
    let wrong = found.iter().filter(|found| !expected.is_empty() && !expected.contains(&found.hash));
    let rows: Vec<&str> = wrong.flat_map(|found| &found.rows).map(String::as_str).collect();
    if rows.is_empty() {
        return Ok(());
    }
    Err(Failure::no(format!("[health] does not list the answer of {}", rows.join(", ")))
        .hint("if the new answer is right, store it with `tierup health --write`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unlisted_answer_is_a_no() {
        let found = |hash: &str, row: &str| Hash { hash: hash.into(), rows: vec![row.into()] };
        let both = [found("aa", "node 0"), found("bb", "node 1:spawn")];
        assert!(verdict(&[], &both).is_ok(), "none is stored yet");
        assert!(verdict(&["bb".into(), "aa".into()], &both).is_ok());
        let failure = verdict(&["aa".into()], &both).expect_err("another answer");
        assert_eq!(failure.exit(), crate::Exit::No);
        assert!(failure.to_string().starts_with("error: [health] does not list the answer of node 1:spawn\n"));
    }
}
