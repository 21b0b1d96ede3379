//! The check of a project: builds its rows and passes them to `tierup-check`.

use std::sync::Arc;

use tierup_check::{Check, HostRows, KeptControls, LabelledServer, Report};
use tierup_codegen::{Host, HostSettings, Row, Tier, Variant};
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_runner::Observer;

use crate::{
    BuiltRow, Choice, Mode, Optimized, Wanted, build_alone, build_server, choice, hold, packages,
    rows::{ProjectHost, Reasons, hosts_of, is_for, never},
};

/// Compares all variants, and the servers of all tiers, of a project. `again` is the command that repeats the check.
///
/// # Errors
/// A build failed, or nothing could be asked.
pub fn check_project(
    check: &Check,
    loaded: &Arc<Loaded>,
    hosts: &[&'static dyn Host],
    choice: &Choice,
    again: &str,
    observer: &mut (dyn Observer + Sync),
) -> Result<Report> {
    let planned = check.plan(loaded, observer)?;
    let mut rows = Vec::new();
    for at in hosts_of(loaded, hosts) {
        let has_server = !at.settings.start.is_empty();
        if planned.asks_servers() && has_server {
            require_dependency(at, choice, observer)?;
        }
        let (all, left_out) = build(at, hosts, choice, observer)?;
        let called = all.iter().filter(|row| has_code(row, at.settings)).cloned().collect();
        // The project's Rust server takes part once, as a row of the first host.
        let is_first = rows.iter().all(|one: &HostRows| one.served.is_empty());
        let served = all.into_iter().filter(|row| has_server && (is_first || *row != Row::Variant(Variant::Server)));
        let named = |(variant, reason)| (format!("{} {variant}", at.host.name()), reason);
        rows.push(HostRows {
            host: at.host.name(),
            driver: at.row(Row::Baseline(None)).driver(),
            called,
            served: served.map(|row| asked(at.row(row))).collect(),
            left_out: left_out.into_iter().map(named).collect(),
        });
    }
    let alone = planned.calls_functions().then(|| build_alone(loaded, Optimized::ForCalls, observer)).transpose()?;
    // Other builds wait meanwhile, so that the rows stay as they were built.
    let _held = hold(loaded, observer)?;
    planned.compare(rows, alone, again, observer)
}

/// Compares the functions in Rust with each host's tier 0, without servers and without building a variant: what a check
/// does while somebody writes the function. `kept` has the answers of tier 0 from the last run.
///
/// # Errors
/// The function does not compile, or tier 0 could not be called.
pub fn check_functions(
    check: &Check,
    loaded: &Arc<Loaded>,
    hosts: &[&'static dyn Host],
    again: &str,
    kept: &mut KeptControls,
    observer: &mut (dyn Observer + Sync),
) -> Result<Report> {
    let planned = check.plan(loaded, observer)?;
    kept.belong_to(&loaded.project.interface);
    let mut rows = Vec::new();
    for at in hosts_of(loaded, hosts) {
        let host = at.host.name();
        if !has_code(&Row::Baseline(None), at.settings) {
            observer.note_once(&format!("[host.{host}.baseline] names no present code to compare with"));
            continue;
        }
        if !kept.has(host) {
            // The package runs the server's own code without any variant.
            let wanted = Wanted { hosts: vec![(at.host, at.settings)], variants: Vec::new(), mode: Mode::Asked };
            packages::build(loaded, &wanted, observer)?;
        }
        rows.push(HostRows {
            host,
            driver: at.row(Row::Baseline(None)).driver(),
            called: vec![Row::Baseline(None)],
            served: Vec::new(),
            left_out: Vec::new(),
        });
    }
    if rows.is_empty() {
        return Err(Failure::usage("no host of this project has present code to compare with")
            .hint("name it as \"0\" in [host.NAME.baseline] of tierup.toml"));
    }
    let alone = build_alone(loaded, Optimized::ForBuilds, observer)?;
    let _held = hold(loaded, observer)?;
    planned.compare_functions(rows, alone, again, kept, observer)
}

fn asked(one: BuiltRow) -> LabelledServer {
    let again = format!("--hosts {} --tiers {}", one.host.name(), one.row);
    LabelledServer { label: one.label(), subject: Box::new(one.server(|_| {})), again }
}

/// Refuses a server that takes part, but does not depend on the package.
fn require_dependency(at: ProjectHost<'_>, choice: &Choice, observer: &mut dyn Observer) -> Result<()> {
    let any = [Row::Tier(Tier::Native)];
    let asked = if let Choice::These(asked) = choice { asked } else { &any[..] };
    let own: Vec<Row> = asked.iter().filter(|row| never(at.loaded, at.host, row).is_none()).cloned().collect();
    at.require_dependency(&own, observer)
}

/// Builds a host's rows. Returns the rows, beginning with the control (tier 0), and the variants that could not be
/// built, with the reasons. By default, the rows are all baselines and all variants that the host supports; with `All`,
/// they include what one would try before Rust.
fn build(
    at: ProjectHost<'_>,
    hosts: &[&'static dyn Host],
    choice: &Choice,
    observer: &mut dyn Observer,
) -> Result<(Vec<Row>, Reasons)> {
    let mut rows = vec![Row::Baseline(None)];
    if let Choice::These(asked) = choice {
        for row in asked {
            if !is_for(row, at.loaded, at.host, hosts, observer) {
                continue;
            }
            let BuiltRow { row, .. } = at.build_row(row.clone(), observer)?;
            if row != Row::Free && !rows.contains(&row) {
                rows.push(row);
            }
        }
        build_server(at.loaded, at.settings, observer)?;
        return Ok((rows, Vec::new()));
    }
    let labels = at.settings.baselines.iter().filter_map(|(label, _)| label.clone());
    rows.extend(labels.map(|label| Row::Baseline(Some(label))));
    let (built, left_out) = at.build_possible(&Variant::ALL, observer)?;
    if *choice == Choice::All {
        rows.extend(choice::wrapped(at.host));
    }
    let alternatives = choice::alternatives(at.loaded, at.host, &built);
    rows.extend(built.into_iter().map(Row::Variant));
    rows.extend(alternatives);
    Ok((rows, left_out))
}

/// Whether a host's driver can call the row's functions.
pub(crate) fn has_code(row: &Row, settings: &HostSettings) -> bool {
    match row {
        Row::Baseline(label) => settings.baselines.iter().any(|(known, _)| known == label),
        Row::Wrapped(_) => settings.baselines.iter().any(|(known, _)| known.is_none()),
        Row::Variant(Variant::Server) | Row::Free | Row::Tier(_) => false,
        Row::Variant(_) | Row::Alternative(..) => true,
    }
}
