//! The rows of a project that a command uses.

use std::sync::Arc;

use tierup_codegen::{Host, Row, Support, Tier, Variant, Wrapping};
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_runner::{Interrupts, Observer};

use crate::{
    BuiltRow, build_server,
    builder::impossible,
    rows::{self, ProjectHost, hosts_of},
};

/// The rows that the user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Every baseline, the ceiling, and one variant for each tier.
    Default,
    /// The rows of `Default`, all other variants, and the rows that one would try before Rust.
    All,
    /// These rows.
    These(Vec<Row>),
}

impl Choice {
    /// A host's rows, before they are built. `first` says whether this host's group also has the rows without a host.
    pub(crate) fn rows(&self, at: ProjectHost<'_>, first: bool) -> Vec<Row> {
        let ProjectHost { loaded, host, settings } = at;
        if let Choice::These(rows) = self {
            return rows.iter().filter(|row| first || !is_server(row)).cloned().collect();
        }
        let labels = settings.baselines.iter().filter_map(|(label, _)| label.clone());
        let mut rows = vec![Row::Baseline(None)];
        rows.extend(labels.map(|label| Row::Baseline(Some(label))));
        if rows::can_replay(host) {
            rows.push(Row::Free);
        }
        if *self == Choice::All {
            rows.extend(wrapped(host));
        }
        let possible = |variant: &Variant| impossible(loaded, host, *variant).is_none();
        for tier in Tier::ALL.into_iter().filter(|tier| *tier != Tier::Server || first) {
            let mut variants = Variant::at(tier).iter().filter(|variant| possible(variant));
            match self {
                Choice::All => rows.extend(variants.map(|variant| Row::Variant(*variant))),
                // `build_row` chooses the variant, as a build may fail.
                _ if variants.next().is_some() => rows.push(Row::Tier(tier)),
                _ => {}
            }
        }
        let at = Variant::ALL.into_iter().filter(possible).collect::<Vec<_>>();
        rows.extend(alternatives(loaded, host, &at));
        rows
    }
}

/// The rows that a benchmark measures.
pub struct ProjectRows {
    pub loaded: Arc<Loaded>,
    pub hosts: Vec<&'static dyn Host>,
    pub choice: Choice,
    /// The row that all other rows of its host are compared with.
    pub reference: Row,
}

impl ProjectRows {
    /// The hosts whose rows are measured.
    pub(crate) fn hosts(&self) -> impl Iterator<Item = ProjectHost<'_>> {
        hosts_of(&self.loaded, &self.hosts)
    }

    /// The name of a host's group, which is empty if there is only one host.
    pub(crate) fn group(&self, host: &dyn Host) -> String {
        if self.hosts.len() > 1 { host.name().to_owned() } else { String::new() }
    }

    /// Whether a row is the reference.
    pub(crate) fn is_reference(&self, row: &Row) -> bool {
        stands_for(&self.reference, row)
    }

    /// The error that the reference is not among a host's rows.
    pub(crate) fn missing(&self, host: &dyn Host, rows: impl Iterator<Item = String>) -> Failure {
        let names: Vec<_> = rows.collect();
        let hint = match names.is_empty() {
            true => "`tierup hosts` says what each host can do".to_owned(),
            false => format!("the rows are: {}; --reference ROW names another one of them", names.join(", ")),
        };
        Failure::usage(format!("the reference {} is not among the rows of {}", self.reference, host.title())).hint(hint)
    }

    /// Builds a host's rows. With the default choice, a row that cannot be built is left out with a note. `first` says
    /// whether this host's group also has the rows without a host.
    ///
    /// # Errors
    /// The reference cannot be built, or another row while the choice is not the default.
    pub(crate) fn build(&self, at: ProjectHost<'_>, first: bool, observer: &mut dyn Observer) -> Result<Vec<BuiltRow>> {
        // Builds watch for Ctrl-C only while they run, so this notices one between two builds.
        let interrupts = Interrupts::watch();
        let mut wanted = self.choice.rows(at, first);
        wanted.retain(|row| rows::is_for(row, at.loaded, at.host, &self.hosts, observer));
        // If the reference is a variant, its tier is built as this variant.
        wanted.iter_mut().filter(|row| stands_for(row, &self.reference)).for_each(|row| {
            row.clone_from(&self.reference);
        });
        // This check comes before the builds, which may take minutes.
        if !wanted.iter().any(|row| self.is_reference(row)) {
            return Err(self.missing(at.host, wanted.iter().map(Row::to_string)));
        }
        at.require_dependency(&wanted, observer)?;
        let (mut rows, mut reason) = (Vec::new(), None);
        for row in wanted {
            let built = at.build_row(row.clone(), observer);
            if interrupts.arrived() {
                return Err(Failure::Interrupted);
            }
            match built {
                Ok(built) => rows.push(built),
                // Why the reference cannot be built tells more than that it is missing.
                Err(failure) if self.is_reference(&row) => return Err(failure),
                Err(failure) if self.choice == Choice::Default => {
                    let why = observer.shown(&failure);
                    let is_known = reason.as_ref() == Some(&why);
                    let said = if is_known { ", for the same reason".to_owned() } else { format!(": {why}") };
                    observer.note(&format!("skipping {row}{said}"));
                    reason = Some(why);
                }
                Err(failure) => return Err(failure),
            }
        }
        let server = build_server(at.loaded, at.settings, observer);
        if interrupts.arrived() {
            return Err(Failure::Interrupted);
        }
        server.map(|()| rows)
    }
}

/// Whether a row is the named one. A named tier stands for any of its variants.
fn stands_for(named: &Row, row: &Row) -> bool {
    named == row || matches!((named, row), (Row::Tier(tier), Row::Variant(variant)) if variant.tier() == *tier)
}

/// All alternatives at the best of these variants that can run one: native, then Wasm, then a program.
pub(crate) fn alternatives(loaded: &Loaded, host: &dyn Host, variants: &[Variant]) -> Vec<Row> {
    let order = [Variant::Native, Variant::Core, Variant::Pool];
    let can = |variant: &Variant| variants.contains(variant) && host.alternatives(*variant) == Support::Yes;
    let Some(best) = order.into_iter().find(can) else { return Vec::new() };
    let all = loaded.project.interface.alternatives.iter();
    all.map(|alternative| Row::Alternative(best, alternative.name.clone())).collect()
}

/// The host's rows that wrap the server's own function. A cache is right only if the function's answer depends on
/// nothing but its arguments, so these rows are used only if the user asks for them.
pub(crate) fn wrapped(host: &dyn Host) -> impl Iterator<Item = Row> {
    Wrapping::ALL.into_iter().filter(|wrapping| host.wraps(*wrapping) == Support::Yes).map(Row::Wrapped)
}

fn is_server(row: &Row) -> bool {
    matches!(row, Row::Tier(Tier::Server) | Row::Variant(Variant::Server))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tier_stands_for_its_variants() {
        let of = |named: &str, row: &str| stands_for(&named.parse().unwrap(), &row.parse().unwrap());
        assert!(of("0", "0") && !of("0", "0:tuned") && of("2", "2"));
        assert!(of("2", "2:core") && !of("2:core", "2:bindgen") && !of("2:core", "2"));
        assert!(of("4", "4:server") && !of("3", "4:server"));
    }
}
