//! `tierup health`: makes the golden call of `[health]` at every baseline and in Rust, and prints the hash of each answer
//! as a line for `tierup.toml`.

use std::{path::PathBuf, time::Duration};

use clap::Args;
use sha2::{Digest as _, Sha256};
use tierup_build::{Mode, Wanted, build, hold};
use tierup_codegen::{Health, Host, HostSettings, Machine, Row, Support, Tier, Variant, abi::content};
use tierup_model::Type;
use tierup_project::{FILE, Loaded, edit, open_before_health};
use tierup_runner::{CallEnding, Driver, Observer as _};

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

/// The time limit of a call.
const PATIENCE: Duration = Duration::from_secs(60);

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
        for (row, hash) in host_hashes(&loaded, *host, settings, &health, console)? {
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

/// Every baseline's hash, then Rust's.
fn host_hashes(
    loaded: &Loaded,
    host: &'static dyn Host,
    settings: &HostSettings,
    health: &Health,
    console: &mut Console,
) -> Result<Vec<(Row, String)>> {
    let (_, command) = host.driver(&loaded.project, settings);
    // The program of tier 1 takes the least time to build.
    let program =
        Variant::of(Tier::Cli).iter().find(|variant| host.support(**variant, &Machine::this()) == Support::Yes);
    let variants: Vec<Variant> = program.copied().into_iter().collect();
    build(loaded, &Wanted { hosts: vec![(host, settings)], variants: variants.clone(), mode: Mode::Asked }, console)?;
    let baselines = settings.baselines.iter().map(|(label, _)| Row::Baseline(label.clone()));
    let rows = baselines.chain(variants.into_iter().map(Row::Variant));
    if settings.baselines.is_empty() {
        let title = host.title();
        console.note(&format!("[host.{}.baseline] has no code for {title}: calling only Rust", host.name()));
    }
    let _held = hold(loaded, console)?;
    let mut driver = Driver::start(&command, &loaded.work, &[])?;
    rows.map(|row| Ok((row.clone(), hash(&mut driver, loaded, health, &row)?))).collect()
}

fn hash(driver: &mut Driver, loaded: &Loaded, health: &Health, row: &Row) -> Result<String> {
    let function = &loaded.project.interface.functions[health.function];
    let answer = driver.call(row, health.function as u32, 1, &health.arguments, PATIENCE)?;
    let (what, message) = match answer.ending {
        CallEnding::Ok(encoded) => return Ok(hash_of(&encoded, function.output.ty.as_ref())),
        CallEnding::Error(message) => ("failed", message),
        CallEnding::Panic(message) => ("panicked", message),
        CallEnding::Refused(message) => ("was refused", message),
        CallEnding::Lost(message) => ("could not be made", message),
    };
    Err(Failure::new(format!("the golden call of {} at {row} {what}: {message}", function.name))
        .hint("choose a request with a successful answer; every tier must give this answer".into()))
}

/// The hash of the content for text and bytes, as `sha256sum` prints it; of the encoding for other types.
fn hash_of(encoded: &[u8], ty: Option<&Type>) -> String {
    Sha256::digest(content(encoded, ty)).iter().map(|byte| format!("{byte:02x}")).collect()
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

    #[test]
    fn text_is_hashed_as_it_is_and_the_rest_encoded() {
        let text = hash_of(b"\x05\0\0\0hello", Some(&Type::Text));
        assert_eq!(text, "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
        let encoded = hash_of(b"\x05\0\0\0hello", Some(&Type::Optional(Box::new(Type::Text))));
        assert_ne!(encoded, text);
    }
}
