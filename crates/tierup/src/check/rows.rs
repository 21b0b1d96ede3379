//! Which rows of a project are compared, each of them built.

use std::{sync::Arc, time::Duration};

use tierup_build::{
    BuildResult, Choice, Mode, Wanted, build, build_server, impossible,
    rows::{self, build_row, is_for, never, require_dependency},
};
use tierup_check::{Asked, HostRows};
use tierup_codegen::{Host, HostSettings, Row, Tier, Variant};
use tierup_project::Loaded;
use tierup_subject::Started;

use crate::{console::Console, failure::Result};

/// How long a server may take to end before it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// Builds what is missing; servers that are to be asked must depend on the package. The control, tier 0, is always among
/// the rows. Without a choice, every variant that can be had is.
pub(super) fn host_rows<'a>(
    loaded: &'a Arc<Loaded>,
    hosts: &[&'static dyn Host],
    choice: &Choice,
    are_served: bool,
    console: &mut Console,
) -> Result<Vec<HostRows<'a>>> {
    let mut all = Vec::new();
    for (number, host) in hosts.iter().enumerate() {
        let Some(settings) = loaded.host(host.name()) else { continue };
        if are_served {
            let any = [Row::Tier(Tier::Native)];
            let asked = if let Choice::These(asked) = choice { asked } else { &any[..] };
            let own: Vec<Row> = asked.iter().filter(|row| never(loaded, *host, row).is_none()).cloned().collect();
            require_dependency(loaded, *host, settings, &own, console)?;
        }
        let mut left_out = Vec::new();
        let mut rows = vec![Row::Baseline(None)];
        match choice {
            Choice::These(asked) => {
                for row in asked {
                    if !is_for(row, loaded, *host, hosts, console) {
                        continue;
                    }
                    let row = build_row(loaded, *host, settings, row.clone(), console)?;
                    if row != Row::Free && !rows.contains(&row) {
                        rows.push(row);
                    }
                }
                build_server(loaded, settings, console)?;
            }
            Choice::Default | Choice::All => {
                let labels = settings.baselines.iter().filter_map(|(label, _)| label.clone());
                rows.extend(labels.map(|label| Row::Baseline(Some(label))));
                rows.extend(variants(loaded, *host, settings, &mut left_out, console)?.into_iter().map(Row::Variant));
            }
        }
        let called = rows.iter().filter(|row| has_code(row, settings)).cloned().collect();
        // The project's Rust server is asked as a row of the first host.
        let served = rows.into_iter().filter(|row| number == 0 || *row != Row::Variant(Variant::Server));
        let served = served.map(|row| asked(loaded, *host, settings, row)).collect();
        all.push(HostRows { host: *host, settings, called, served, left_out });
    }
    Ok(all)
}

/// Whether a host can call the row's functions.
fn has_code(row: &Row, settings: &HostSettings) -> bool {
    match row {
        Row::Baseline(label) => settings.baselines.iter().any(|(known, _)| known == label),
        Row::Variant(Variant::Server) | Row::Free | Row::Tier(_) => false,
        Row::Variant(_) => true,
    }
}

/// The row's server.
fn asked(loaded: &Arc<Loaded>, host: &'static dyn Host, settings: &HostSettings, row: Row) -> Asked {
    let (owned, settings) = (Arc::clone(loaded), settings.clone());
    let label = format!("{} {row}", host.name());
    let again = format!("--hosts {} --tiers {row}", host.name());
    let command = move |port| rows::command(&owned, host, &settings, &row, port).map_err(|failure| failure.to_string());
    Asked { label, subject: Box::new(Started::new(command, loaded.folder.clone(), GRACE)), again }
}

/// Builds every variant that can be had.
fn variants(
    loaded: &Loaded,
    host: &'static dyn Host,
    settings: &HostSettings,
    left_out: &mut Vec<(String, String)>,
    console: &mut Console,
) -> Result<Vec<Variant>> {
    let possible = |variant: &Variant| impossible(loaded, host, *variant).is_none();
    let variants = Variant::ALL.into_iter().filter(possible).collect();
    let mut built = Vec::new();
    for outcome in build(loaded, &Wanted { hosts: vec![(host, settings)], variants, mode: Mode::Possible }, console)? {
        match outcome.result {
            BuildResult::Built { .. } => built.push(outcome.variant),
            BuildResult::No(reason) => left_out.push((format!("{} {}", host.name(), outcome.variant), reason)),
        }
    }
    Ok(built)
}
