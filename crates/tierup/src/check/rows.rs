//! Which rows of a project are compared, each of them built.

use tierup_codegen::{Host, HostSettings, Row, Tier, Variant};

use crate::{
    build::{BuildResult, Mode, Wanted, build, build_server, impossible},
    console::Console,
    failure::Result,
    measure::Choice,
    project::Loaded,
    rows::{build_row, is_for, never, require_dependency},
};

/// A host's rows.
pub(super) struct HostRows<'a> {
    pub(super) host: &'static dyn Host,
    pub(super) settings: &'a HostSettings,
    rows: Vec<Row>,
    /// Rows that could not be had, and why.
    pub(super) left_out: Vec<(String, String)>,
    /// Whether the project's Rust server is asked as one of this host's rows.
    has_server: bool,
}

impl HostRows<'_> {
    /// Rows that a host calls, the baselines that have code first.
    pub(super) fn called(&self) -> Vec<Row> {
        let has_code = |row: &Row| match row {
            Row::Baseline(label) => self.settings.baselines.iter().any(|(known, _)| known == label),
            Row::Variant(Variant::Server) | Row::Free | Row::Tier(_) => false,
            Row::Variant(_) => true,
        };
        self.rows.iter().filter(|row| has_code(row)).cloned().collect()
    }

    /// Rows that answer requests.
    pub(super) fn served(&self) -> Vec<Row> {
        let serves = |row: &&Row| **row != Row::Variant(Variant::Server) || self.has_server;
        self.rows.iter().filter(serves).cloned().collect()
    }
}

/// Builds what is missing; servers that are to be asked must depend on the package. The control, tier 0, is always among the rows. Without a choice, every variant that can be
/// had is.
pub(super) fn host_rows<'a>(
    loaded: &'a Loaded,
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
        all.push(HostRows { host: *host, settings, rows, left_out, has_server: number == 0 });
    }
    Ok(all)
}

/// Why a host's functions are not called, in words.
pub(super) fn not_called(host: &str, called: &[Row], left_out: &[(String, String)]) -> Option<String> {
    if called.iter().any(|row| *row != Row::Baseline(None)) {
        return None;
    }
    let why = format!("functions of {host} are not called: there is no row to compare with tier 0");
    Some(left_out.iter().fold(why, |why, (row, reason)| format!("{why}; {row}: {reason}")))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_not_left_out_without_a_word() {
        let rows = [Row::Baseline(None), Row::Variant(Variant::Native)];
        assert_eq!(not_called("go", &rows, &[]), None);
        let left_out = [("go 3:native".to_owned(), "there is no C compiler".to_owned())];
        let expected = "functions of go are not called: there is no row to compare with tier 0; \
                        go 3:native: there is no C compiler";
        assert_eq!(not_called("go", &rows[..1], &left_out).as_deref(), Some(expected));
    }
}
