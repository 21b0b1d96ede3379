//! The rows of a project that a benchmark compares: which, built, and ready to be started.

use std::{fs, path::Path, sync::Arc};

use tierup_bench::{plan::PlannedRow, record::Role};
use tierup_codegen::{Host, HostSettings, Row, Tier, Variant};
use tierup_runner::Interrupts;

use super::started::Started;
use crate::{
    build::impossible,
    console::Console,
    failure::{Failure, Result},
    project::Loaded,
    rows,
};

/// Which rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Every baseline, the ceiling, and one variant for each tier.
    Default,
    /// The same with every variant.
    All,
    /// These.
    These(Vec<Row>),
}

/// Builds what is missing and answers the rows in the order of the table. What cannot be had is said and left out,
/// unless it was asked for by name.
pub(crate) fn project_rows(
    loaded: &Arc<Loaded>,
    hosts: &[&'static dyn Host],
    choice: &Choice,
    reference: &Row,
    console: &mut Console,
) -> Result<Vec<PlannedRow>> {
    // What `0:free` replays is recorded anew in each run.
    let recordings = loaded.work.join("recordings").join(std::process::id().to_string());
    let _ = fs::remove_dir_all(loaded.work.join("recordings"));
    // What arrives while one step of a build ends and the next begins is seen here.
    let interrupts = Interrupts::watch();
    let mut planned = Vec::new();
    for (number, host) in hosts.iter().enumerate() {
        let Some(settings) = loaded.host(host.name()) else { continue };
        let chosen = chosen(loaded, *host, settings, choice, number == 0);
        if !chosen.contains(reference) {
            let names: Vec<_> = chosen.iter().map(Row::to_string).collect();
            return Err(Failure::new(format!("the reference {reference} is not among the rows of {}", host.title()))
                .hint(format!("the rows are: {}; --reference ROW names another one of them", names.join(", "))));
        }
        for row in chosen {
            let built = rows::prepare(loaded, *host, settings, row.clone(), console);
            if interrupts.arrived() {
                return Err(Failure::Interrupted);
            }
            let built = match built {
                Ok(built) => built,
                Err(failure) if *choice == Choice::Default => {
                    console.note(&format!("{row} is left out: {}", failure.render(false)));
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            let group = if hosts.len() > 1 { host.name() } else { "" };
            let role = if row == *reference { Role::Reference } else { role(&built) };
            let subject = Box::new(started(loaded, *host, settings, &built, &recordings.join(host.name())));
            planned.push(PlannedRow {
                label: built.to_string(),
                group: group.to_owned(),
                role,
                step: step(&built),
                subject,
            });
        }
    }
    Ok(planned)
}

/// `first` is the host whose group has the rows that belong to no host.
fn chosen(loaded: &Loaded, host: &dyn Host, settings: &HostSettings, choice: &Choice, first: bool) -> Vec<Row> {
    if let Choice::These(rows) = choice {
        return rows.clone();
    }
    let labels = settings.baselines.iter().filter_map(|(label, _)| label.clone());
    let mut rows = vec![Row::Baseline(None)];
    rows.extend(labels.map(|label| Row::Baseline(Some(label))));
    rows.push(Row::Free);
    let possible = |variant: &Variant| impossible(loaded, host, *variant).is_none();
    for tier in Tier::ALL.into_iter().filter(|tier| *tier != Tier::Server || first) {
        let mut variants = Variant::of(tier).iter().filter(|variant| possible(variant));
        match choice {
            Choice::All => rows.extend(variants.map(|variant| Row::Variant(*variant))),
            // `prepare` decides which, as a build may fail.
            _ if variants.next().is_some() => rows.push(Row::Tier(tier)),
            _ => {}
        }
    }
    rows
}

fn role(row: &Row) -> Role {
    match row {
        Row::Free => Role::Ceiling,
        Row::Baseline(_) => Role::Alternative,
        Row::Tier(_) | Row::Variant(_) => Role::Candidate,
    }
}

/// How much of a change a row is. A Rust server counts two steps more than the addon: it replaces a process that
/// somebody runs.
fn step(row: &Row) -> u8 {
    match row {
        Row::Baseline(_) | Row::Free => 0,
        Row::Tier(tier) => step_of(*tier),
        Row::Variant(variant) => step_of(variant.tier()),
    }
}

fn step_of(tier: Tier) -> u8 {
    match tier {
        Tier::Server => 5,
        other => other.number(),
    }
}

fn started(
    loaded: &Arc<Loaded>,
    host: &'static dyn Host,
    settings: &HostSettings,
    row: &Row,
    recordings: &Path,
) -> Started {
    let (owned, settings, row, recordings) = (Arc::clone(loaded), settings.clone(), row.clone(), recordings.to_owned());
    let command = move |port| {
        let mut command =
            rows::command(&owned, host, &settings, &row, port).map_err(|failure| failure.render(false))?;
        if row == Row::Free {
            // What was recorded once is replayed by every server that is started afresh.
            command.environment.push(("TIERUP_RECORDING".into(), recordings.display().to_string()));
        }
        Ok(command)
    };
    Started { command: Box::new(command), root: loaded.folder.clone() }
}
