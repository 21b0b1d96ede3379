//! Finds the crates of `.tierup/` that can be built. They share a workspace with one lock file, in which cargo takes
//! one version of each dependency. If a crate needs another version than the user's crate pins, cargo builds none. So
//! that crate is left out, with the reason.
//!
//! In: the crates of the workspace, already written. Out: the crates for which cargo finds no versions, with the
//! reasons.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tierup_codegen::{Command, Files, shims};
use tierup_diagnostic::Result;
use tierup_runner::{Error, capture_with, read_text, write_file};

use crate::{assemble::Plan, toolchain::Toolchain};

/// Crates that are left out.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub(crate) struct LeftOut(Vec<Excluded>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Excluded {
    /// The crate's folder, as in the workspace's members.
    member: String,
    reason: String,
}

/// The last result, with a hash of its inputs.
#[derive(Serialize, Deserialize)]
struct LastResult {
    of: String,
    left_out: LeftOut,
}

/// The end of a reason that may be gone the next time.
const OFFLINE: &str = "; cargo is offline";
const KNOWN: &str = ".resolved.json";

impl LeftOut {
    /// Why the crate that this command builds was left out, if it was.
    pub(crate) fn reason(&self, command: &Command) -> Option<&str> {
        let member = shims::built_member(command)?;
        self.0.iter().find(|excluded| excluded.member == member).map(|excluded| excluded.reason.as_str())
    }

    /// The members that are not left out.
    fn without(&self, members: &[String]) -> Vec<String> {
        let is_in = |member: &&String| self.0.iter().all(|excluded| excluded.member != **member);
        members.iter().filter(is_in).cloned().collect()
    }
}

/// Finds the crates to leave out, and writes the workspace's manifest with the others.
pub(crate) fn resolve(plan: &Plan, work: &Path, toolchain: &Toolchain) -> Result<LeftOut> {
    let manifest = work.join("Cargo.toml");
    let locked = |members: &[String]| -> Result<Locked> {
        write_file(&manifest, &plan.manifest(members)?)?;
        Ok(locked(work, toolchain))
    };
    let conflict = |members: &[String]| -> Result<Option<String>> {
        Ok(match locked(members)? {
            Locked::Conflict(reason) => Some(reason),
            Locked::Yes | Locked::Unknown => None,
        })
    };
    let of = key(plan, work, toolchain)?;
    let known = read_text(&work.join(KNOWN))?.and_then(|text| serde_json::from_str::<LastResult>(&text).ok());
    if let Some(known) = known.filter(|known| known.of == of && work.join("Cargo.lock").exists()) {
        // Nothing has changed that decides the versions.
        write_file(&manifest, &plan.manifest(&known.left_out.without(&plan.members))?)?;
        return Ok(known.left_out);
    }
    let keep = |left_out: &LeftOut| {
        let text = serde_json::to_string_pretty(&LastResult { of: of.clone(), left_out: left_out.clone() });
        write_file(&work.join(KNOWN), text.unwrap_or_default().as_bytes())
    };
    match locked(&plan.members)? {
        Locked::Conflict(_) => {}
        Locked::Yes => {
            keep(&LeftOut::default())?;
            return Ok(LeftOut::default());
        }
        Locked::Unknown => return Ok(LeftOut::default()),
    }
    // Each crate is tried together with all that resolved before it, beginning with those that all others depend on.
    let is_base = |member: &String| shims::BASE.contains(&member.as_str());
    let (mut standing, others): (Vec<_>, Vec<_>) = plan.members.iter().cloned().partition(is_base);
    if conflict(&standing)?.is_some() {
        // The user's crate itself does not resolve: the build shows cargo's whole message.
        conflict(&plan.members)?;
        return Ok(LeftOut::default());
    }
    let mut left_out = LeftOut::default();
    for member in others {
        standing.push(member.clone());
        if let Some(reason) = conflict(&standing)? {
            standing.pop();
            left_out.0.push(Excluded { member, reason });
        }
    }
    conflict(&standing)?;
    // Crates that are missing because cargo is offline may be there the next time, so this result is not kept.
    if left_out.0.iter().all(|excluded| !excluded.reason.ends_with(OFFLINE)) {
        keep(&left_out)?;
    }
    Ok(left_out)
}

/// A hash of everything that decides the versions: the manifests, the user's lock file, the toolchain.
fn key(plan: &Plan, work: &Path, toolchain: &Toolchain) -> Result<String> {
    let mut hash = Sha256::new();
    for (name, content) in manifests(&plan.files) {
        hash.update(name);
        hash.update(content);
    }
    hash.update(plan.users.to_string());
    hash.update(read_text(&plan.project.crate_folder.join("Cargo.toml"))?.unwrap_or_default());
    hash.update(read_text(&work.join(SEED))?.unwrap_or_default());
    hash.update(format!("{:?}", toolchain.environment));
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn manifests(files: &Files) -> impl Iterator<Item = (&str, &[u8])> {
    files.iter().filter(|(name, _)| name.ends_with("/Cargo.toml"))
}

/// Whether cargo finds versions for a workspace.
enum Locked {
    Yes,
    /// Cargo finds none, for this reason.
    Conflict(String),
    /// Cargo could not try (the network, a manifest): the build itself reports why.
    Unknown,
}

/// Locks new packages of the workspace, and keeps all other versions of the lock file. This takes half a second, which
/// [`KNOWN`] saves if nothing changed.
fn locked(work: &Path, toolchain: &Toolchain) -> Locked {
    let update = Command::new("cargo", ["update", "--workspace"]);
    match capture_with(&update, work, &toolchain.environment) {
        Ok(_) => Locked::Yes,
        Err(Error::Failed { output, .. }) => reason(&output).map_or(Locked::Unknown, Locked::Conflict),
        Err(_) => Locked::Unknown,
    }
}

/// Cargo's message in one line.
fn reason(output: &[String]) -> Option<String> {
    let quoted = |line: &str| line.split('`').nth(1).map(str::to_owned);
    let offline = output.iter().any(|line| line.contains("offline mode"));
    let conflict = output.iter().find(|line| line.starts_with("error: failed to select a version for"));
    if let Some(line) = conflict {
        let package = quoted(line).unwrap_or_default();
        // Lines such as `    ... required by package …` tell which package wants which version.
        let wants = output.iter().map(|line| line.trim()).filter(|line| {
            line.starts_with("... required by")
                || line.starts_with("... which satisfies dependency")
                || line.starts_with("versions that meet")
                || line.starts_with("package `") && line.contains("links to the native library")
        });
        let wants: Vec<String> = wants.map(|line| without_paths(line.trim_start_matches("... "))).collect();
        let note = if offline { OFFLINE } else { "" };
        return Some(format!("no version of `{package}` suits both it and your crate ({}){note}", wants.join("; ")));
    }
    let missing = output.iter().find(|line| line.starts_with("error: no matching package"));
    missing.filter(|_| offline).map(|line| format!("{}{OFFLINE}", line.trim_start_matches("error: ")))
}

/// Removes the folders from a text such as `package `hot v0.1.0 (/home/…)``.
fn without_paths(line: &str) -> String {
    let mut parts = line.split(" (");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once(')').map_or(part, |(_, rest)| rest))
}

/// The last copy of the user's lock file.
const SEED: &str = ".seed.lock";

/// Copies the lock file of the workspace in `root` to `work`, at first and whenever the user's file changed, so that
/// the tiers are built with the versions that the user tested. Cargo adds what the shims need.
pub(crate) fn seed(root: &Path, work: &Path) -> Result<()> {
    let Some(users) = read_text(&root.join("Cargo.lock"))? else { return Ok(()) };
    let (seed, lock) = (work.join(SEED), work.join("Cargo.lock"));
    if read_text(&seed)?.as_ref() == Some(&users) && lock.exists() {
        return Ok(());
    }
    write_file(&lock, users.as_bytes())?;
    write_file(&seed, users.as_bytes())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(output: &str, expected: Expect) {
        let lines: Vec<_> = output.lines().map(str::to_owned).collect();
        expected.assert_eq(&format!("{:?}", reason(&lines)));
    }

    #[test]
    fn a_conflict_is_told_in_one_line() {
        check(
            "    Updating crates.io index\nerror: failed to select a version for `wasm-bindgen`.\n    ... required by package `pinned v0.1.0 (/p)`\n    ... which satisfies path dependency `pinned` of package `calls v0.1.0 (/t)`\nversions that meet the requirements `=0.2.100` are: 0.2.100\n\nall possible versions conflict with previously selected packages.\n\n  previously selected package `wasm-bindgen v0.2.130`\n    ... which satisfies dependency `wasm-bindgen = \"=0.2.130\"` of package `bind v0.1.0 (/b)`\n\nfailed to select a version for `wasm-bindgen` which could resolve this conflict\n",
            expect![[
                r#"Some("no version of `wasm-bindgen` suits both it and your crate (required by package `pinned v0.1.0`; versions that meet the requirements `=0.2.100` are: 0.2.100; which satisfies dependency `wasm-bindgen = \"=0.2.130\"` of package `bind v0.1.0`)")"#
            ]],
        );
    }

    #[test]
    fn a_package_missing_offline_is_a_reason_and_a_broken_network_is_not() {
        check(
            "error: no matching package named `napi` found\nlocation searched: crates.io index\nAs a reminder, you're using offline mode (--offline) which\n",
            expect![[r#"Some("no matching package named `napi` found; cargo is offline")"#]],
        );
        check(
            "error: failed to get `napi` as a dependency of package `b`\n\nCaused by:\n  failed to download from `https://index.crates.io`\n",
            expect!["None"],
        );
        check("error: no matching package named `nappi` found\n", expect!["None"]);
    }
}
