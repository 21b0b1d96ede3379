//! `tierup health`: makes the golden call of `[health]` at every baseline and in Rust, and prints the hash of each answer
//! as a line for `tierup.toml`.

use std::path::PathBuf;

use clap::Args;
use tierup_project::{FILE, edit, open_before_health};
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
}

/// The hash of an answer, and the rows that gave it, e.g. `node 0`.
struct Found {
    hash: String,
    rows: Vec<String>,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let mut loaded = open_before_health(&arguments.project, &hosts::all())?;
    let Some(health) = &mut loaded.project.health else {
        return Err(Failure::new(format!("{FILE} has no [health]"))
            .hint("add one with a `request` whose answer you have checked".into()));
    };
    // The generated server needs a hash; no answer has this one.
    if health.sha256.is_empty() {
        health.sha256.push("0".repeat(64));
    }
    let health = health.clone();
    let mut found: Vec<Found> = Vec::new();
    for (host, settings) in &loaded.hosts {
        for (row, hash) in golden_hashes(&loaded, *host, settings, &health, console)? {
            let row = format!("{} {row}", host.name());
            match found.iter_mut().find(|found| found.hash == hash) {
                Some(found) => found.rows.push(row),
                None => found.push(Found { hash, rows: vec![row] }),
            }
        }
    }
    if found.len() > 1 {
        console.note("the answers differ: check them, and keep only the hashes of the correct ones");
    }
    if found.is_empty() {
        return Err(Failure::new("no host of this project has a package that can make the call")
            .hint("`tierup hosts` says what each host can do".into()));
    }
    let line = as_toml(&found);
    console.data(&line)?;
    if arguments.write {
        let file = loaded.folder.join(FILE);
        let text = tierup_runner::read_text(&file)?.unwrap_or_default();
        let changed = edit::with_hashes(&text, &line)?;
        tierup_runner::write_file(&file, changed.as_bytes())?;
        console.note(&format!("stored in {}", loaded.shown(&file)));
    }
    Ok(())
}

/// The line with the hash, or the list of hashes, for `[health]`.
fn as_toml(found: &[Found]) -> String {
    match found {
        [one] => format!("sha256 = \"{}\" # {}", one.hash, one.rows.join(", ")),
        several => {
            let lines = several.iter().map(|one| format!("    \"{}\", # {}\n", one.hash, one.rows.join(", ")));
            format!("sha256 = [\n{}]", lines.collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(found: &[(&str, &[&str])], expected: Expect) {
        const TEXT: &str =
            "[health] # golden\nsha256 = \"00\" # old\nrequest = 'GET /?a=b'\n\n# the end\n[bench]\nblocks = 5\n";
        let found: Vec<Found> = found
            .iter()
            .map(|(hash, rows)| Found { hash: (*hash).into(), rows: rows.iter().map(|row| (*row).into()).collect() })
            .collect();
        expected.assert_eq(&edit::with_hashes(TEXT, &as_toml(&found)).unwrap());
    }

    #[test]
    fn hashes_are_stored_and_everything_else_stays() {
        check(
            &[("aa", &["node 0", "node 1:pool"])],
            expect![[r#"
            [health] # golden
            sha256 = "aa" # node 0, node 1:pool
            request = 'GET /?a=b'

            # the end
            [bench]
            blocks = 5
        "#]],
        );
        check(
            &[("aa", &["node 0"]), ("bb", &["node 1:pool"])],
            expect![[r#"
            [health] # golden
            sha256 = [
                "aa", # node 0
                "bb", # node 1:pool
            ]
            request = 'GET /?a=b'

            # the end
            [bench]
            blocks = 5
        "#]],
        );
    }
}
