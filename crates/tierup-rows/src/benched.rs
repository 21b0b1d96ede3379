//! The built rows of a project as servers that a benchmark starts and stops.

use std::{fs, path::Path, sync::Arc};

use tempfile::TempDir;
use tierup_bench::{
    plan::PlannedRow,
    record::{Change, Reuse, Role, RowRecord},
};
use tierup_codegen::{Row, Tier, Wrapping};
use tierup_diagnostic::{Failure, Result};
use tierup_project::{Loaded, shown};
use tierup_runner::Observer;
use tierup_subject::{Downstream, Started};

use crate::{
    ProjectRows,
    built_row::{BuiltRow, downstream},
    memo::Counts,
};

/// Builds the rows, and lists them in the order of the table.
///
/// # Errors
/// A build failed, or there is nothing to measure.
pub fn planned(wanted: &ProjectRows, observer: &mut dyn Observer) -> Result<Vec<PlannedRow>> {
    let beside = Beside::of(&wanted.loaded)?;
    let mut planned = Vec::new();
    for (number, at) in wanted.hosts().enumerate() {
        let built = wanted.build(at, number == 0, observer)?;
        let reference = built.iter().position(|one| wanted.is_reference(&one.row));
        let names = built.iter().map(|one| one.row.to_string());
        let reference = reference.ok_or_else(|| wanted.missing(at.host, names))?;
        for (index, one) in built.into_iter().enumerate() {
            let is_memo = one.row == Row::Wrapped(Wrapping::Memo);
            let counts = is_memo.then(|| counts(&wanted.loaded.work)).transpose()?;
            let role = if index == reference { Role::Reference } else { role(&one.row) };
            let (step, change) = (step(&one.row), change(&one.row, at.host.identity().language));
            planned.push(PlannedRow {
                row: RowRecord { step, change, ..RowRecord::new(one.row.to_string(), wanted.group(at.host), role) },
                subject: Box::new(server(one, &beside, counts.clone())),
                reuse: counts.map(|counts| -> Box<dyn Fn() -> Reuse> { Box::new(move || counts.read()) }),
            });
        }
    }
    if planned.is_empty() {
        let hint = "`tierup hosts` lists what each host supports".to_owned();
        return Err(Failure::usage("there is nothing to measure").hint(hint));
    }
    Ok(planned)
}

/// The same rows of a project at two commits, with a group for each row: the base, which is the reference; the base
/// once more, which shows how large differences by chance are; and the head.
///
/// # Errors
/// As [`planned`], and if the commits have different rows.
pub fn planned_commits(base: &ProjectRows, head: &ProjectRows, observer: &mut dyn Observer) -> Result<Vec<PlannedRow>> {
    let mut built = |wanted: &ProjectRows| {
        let mut rows = Vec::new();
        for (number, at) in wanted.hosts().enumerate() {
            rows.extend(wanted.build(at, number == 0, observer)?);
        }
        Ok::<_, Failure>((rows, Beside::of(&wanted.loaded)?))
    };
    let has_hosts = base.hosts.len() > 1;
    let ((base, beside_base), (head, beside_head)) = (built(base)?, built(head)?);
    let mut planned = Vec::new();
    let labels = |rows: &[BuiltRow]| rows.iter().map(BuiltRow::label).collect::<Vec<_>>();
    let (of_base, of_head) = (labels(&base), labels(&head));
    if of_base != of_head {
        let (of_base, of_head) = (of_base.join(", "), of_head.join(", "));
        let hint = "name rows that both commits can build, e.g. `--tiers 3:native`".to_owned();
        return Err(Failure::new(format!("the base has the rows {of_base}, and this commit {of_head}")).hint(hint));
    }
    for (base, head) in base.iter().zip(&head) {
        let group = if has_hosts { base.label() } else { base.row.to_string() };
        let mut add = |label: &str, row: &BuiltRow, beside: &Beside, role| {
            let subject = Box::new(server(row.clone(), beside, None));
            planned.push(PlannedRow { row: RowRecord::new(label, group.clone(), role), subject, reuse: None });
        };
        add(BASE, base, &beside_base, Role::Reference);
        add(BASE_AGAIN, base, &beside_base, Role::Revision);
        add(HEAD, head, &beside_head, Role::Revision);
    }
    Ok(planned)
}

/// The labels of [`planned_commits`]' rows.
const BASE: &str = "base";
pub const BASE_AGAIN: &str = "base again";
pub const HEAD: &str = "head";

fn role(row: &Row) -> Role {
    match row {
        Row::Free => Role::Ceiling,
        Row::Baseline(_) | Row::Wrapped(_) => Role::Alternative,
        Row::Tier(_) | Row::Variant(_) => Role::Candidate,
        Row::Alternative(..) => Role::Implementation,
    }
}

/// The part of the server that a row changes. A cache or workers leave the function's code as it is.
fn change(row: &Row, language: &str) -> Option<Change> {
    let of = |tier: Tier| match tier {
        Tier::Baseline => None,
        Tier::Server => Some(Change::Server),
        Tier::Cli | Tier::Wasm | Tier::Native => Some(Change::Language),
    };
    match row {
        Row::Baseline(Some(_)) => Some(Change::Code { language: language.to_owned() }),
        Row::Baseline(None) | Row::Free | Row::Wrapped(_) => None,
        Row::Tier(tier) => of(*tier),
        Row::Variant(variant) => of(variant.tier()),
        Row::Alternative(variant, _) => Some(Change::Algorithm { of: variant.to_string() }),
    }
}

/// The size of a row's change, in steps. A Rust server counts two steps more than the addon, because it replaces a
/// process that somebody operates.
fn step(row: &Row) -> u8 {
    match row {
        Row::Baseline(_) | Row::Free | Row::Wrapped(_) => 0,
        Row::Tier(tier) => step_of(*tier),
        Row::Variant(variant) | Row::Alternative(variant, _) => step_of(variant.tier()),
    }
}

fn step_of(tier: Tier) -> u8 {
    match tier {
        Tier::Server => 5,
        other => other.number(),
    }
}

/// Things that all rows share, and that exist as long as the rows.
struct Beside {
    recordings: Arc<TempDir>,
    /// Replaces the service that the servers call.
    downstream: Option<Arc<Downstream>>,
}

impl Beside {
    fn of(loaded: &Loaded) -> Result<Beside> {
        Ok(Beside { recordings: Arc::new(recordings(&loaded.work)?), downstream: downstream(loaded)?.map(Arc::new) })
    }
}

/// A folder for the answers that `0:free` replays. Each run records its own answers, and removes them at its end.
fn recordings(work: &Path) -> Result<TempDir> {
    let made = fs::create_dir_all(work).and_then(|()| tempfile::Builder::new().prefix("recordings-").tempdir_in(work));
    made.map_err(|error| Failure::because(format!("cannot create the folder for recordings: {}", shown(work)), error))
}

/// The folder in which `0:memo` counts its cache hits.
fn counts(work: &Path) -> Result<Arc<Counts>> {
    let made = Counts::below(work);
    made.map(Arc::new)
        .map_err(|error| Failure::because(format!("cannot create the folder for counts: {}", shown(work)), error))
}

fn server(row: BuiltRow, beside: &Beside, counts: Option<Arc<Counts>>) -> Started {
    let (recordings, downstream) = (Arc::clone(&beside.recordings), beside.downstream.clone());
    let free = (row.row == Row::Free).then(|| row.host.name());
    row.server(move |command| {
        command.environment.extend(downstream.iter().map(|downstream| downstream.environment()));
        command.environment.extend(counts.as_ref().and_then(|counts| counts.environment()));
        // All starts of the server replay the same recording.
        let folder = free.map(|host| recordings.path().join(host).display().to_string());
        command.environment.extend(folder.map(|folder| ("TIERUP_RECORDING".into(), folder)));
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_names_its_change() {
        let of = |row: &str| change(&row.parse().unwrap(), "Perl");
        let expected = [
            (&["0", "0:free", "0:memo", "0:workers"][..], None),
            (&["0:tuned"], Some(Change::Code { language: "Perl".into() })),
            (&["1", "1:pool", "2:core", "3", "3:async"], Some(Change::Language)),
            (&["4", "4:server"], Some(Change::Server)),
            (&["2:core#fast"], Some(Change::Algorithm { of: "2:core".into() })),
        ];
        for (rows, change) in expected {
            rows.iter().for_each(|row| assert_eq!(of(row), change, "{row}"));
        }
    }
}
