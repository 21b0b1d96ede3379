//! The rows of a project that a check compares, each of them built.

use tierup_codegen::{Host, HostSettings, Row, Tier, Variant};
use tierup_diagnostic::Result;
use tierup_project::Loaded;
use tierup_runner::Observer;

use crate::{
    Choice, build_server, choice,
    rows::{Possible, build_possible, build_row, is_for, never, require_dependency},
};

/// The rows of a host. The control, tier 0, is always the first.
pub struct CheckedRows<'a> {
    pub host: &'static dyn Host,
    pub settings: &'a HostSettings,
    /// Rows whose functions a driver calls.
    pub called: Vec<Row>,
    /// Rows whose servers answer requests.
    pub served: Vec<Row>,
    /// Variants that could not be built, and the reasons.
    pub left_out: Vec<(Variant, String)>,
}

/// Builds the rows. Without a choice these are all baselines and every variant that a host can have;
/// with all, also what one would try before Rust. Where `are_served`,
/// servers that take part must depend on the package.
///
/// # Errors
/// Where a row that the user named cannot be had.
pub fn checked_rows<'a>(
    loaded: &'a Loaded,
    hosts: &[&'static dyn Host],
    choice: &Choice,
    are_served: bool,
    observer: &mut dyn Observer,
) -> Result<Vec<CheckedRows<'a>>> {
    let mut all = Vec::new();
    for (number, host) in hosts.iter().enumerate() {
        let Some(settings) = loaded.host(host.name()) else { continue };
        if are_served {
            let any = [Row::Tier(Tier::Native)];
            let asked = if let Choice::These(asked) = choice { asked } else { &any[..] };
            let own: Vec<Row> = asked.iter().filter(|row| never(loaded, *host, row).is_none()).cloned().collect();
            require_dependency(loaded, *host, settings, &own, observer)?;
        }
        let mut left_out = Vec::new();
        let mut rows = vec![Row::Baseline(None)];
        match choice {
            Choice::These(asked) => {
                for row in asked {
                    if !is_for(row, loaded, *host, hosts, observer) {
                        continue;
                    }
                    let row = build_row(loaded, *host, settings, row.clone(), observer)?;
                    if row != Row::Free && !rows.contains(&row) {
                        rows.push(row);
                    }
                }
                build_server(loaded, settings, observer)?;
            }
            Choice::Default | Choice::All => {
                let labels = settings.baselines.iter().filter_map(|(label, _)| label.clone());
                rows.extend(labels.map(|label| Row::Baseline(Some(label))));
                let Possible { built, left_out: others } =
                    build_possible(loaded, *host, settings, &Variant::ALL, observer)?;
                if *choice == Choice::All {
                    rows.extend(choice::wrapped(*host));
                }
                let alternatives = choice::alternatives(loaded, *host, &built);
                rows.extend(built.into_iter().map(Row::Variant));
                rows.extend(alternatives);
                left_out = others;
            }
        }
        let called = rows.iter().filter(|row| has_code(row, settings)).cloned().collect();
        // The project's Rust server takes part as a row of the first host.
        rows.retain(|row| number == 0 || *row != Row::Variant(Variant::Server));
        all.push(CheckedRows { host: *host, settings, called, served: rows, left_out });
    }
    Ok(all)
}

/// Whether a host can call the row's functions.
fn has_code(row: &Row, settings: &HostSettings) -> bool {
    match row {
        Row::Baseline(label) => settings.baselines.iter().any(|(known, _)| known == label),
        Row::Wrapped(_) => settings.baselines.iter().any(|(known, _)| known.is_none()),
        Row::Variant(Variant::Server) | Row::Free | Row::Tier(_) => false,
        Row::Variant(_) | Row::Alternative(..) => true,
    }
}
