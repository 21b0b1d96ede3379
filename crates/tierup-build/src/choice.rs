//! Which rows of a project a command is about.

use tierup_codegen::{Host, HostSettings, Row, Support, Tier, Variant, Wrapping};
use tierup_project::Loaded;

use crate::{impossible, rows};

/// The rows that the user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Every baseline, the ceiling, and one variant for each tier.
    Default,
    /// The same with every variant, and with what one would try before Rust.
    All,
    /// These.
    These(Vec<Row>),
}

impl Choice {
    /// A host's rows, not built yet. `first` is the host whose group has the rows that belong to no host.
    pub fn rows(&self, loaded: &Loaded, host: &dyn Host, settings: &HostSettings, first: bool) -> Vec<Row> {
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
            let mut variants = Variant::of(tier).iter().filter(|variant| possible(variant));
            match self {
                Choice::All => rows.extend(variants.map(|variant| Row::Variant(*variant))),
                // `build_row` decides which, as a build may fail.
                _ if variants.next().is_some() => rows.push(Row::Tier(tier)),
                _ => {}
            }
        }
        let at = Variant::ALL.into_iter().filter(possible).collect::<Vec<_>>();
        rows.extend(alternatives(loaded, host, &at));
        rows
    }
}

/// Every alternative at the best of these variants that can run one: native, then Wasm, then a program.
pub(crate) fn alternatives(loaded: &Loaded, host: &dyn Host, variants: &[Variant]) -> Vec<Row> {
    let order = [Variant::Native, Variant::Core, Variant::Pool];
    let can = |variant: &Variant| variants.contains(variant) && host.alternatives(*variant) == Support::Yes;
    let Some(best) = order.into_iter().find(can) else { return Vec::new() };
    let all = loaded.project.interface.alternatives.iter();
    all.map(|alternative| Row::Alternative(best, alternative.name.clone())).collect()
}

/// The rows with something around the server's own function that a host has. A cache is right only for a function whose answer
/// depends on nothing but its arguments, so these rows are measured and checked only where they are asked for.
pub(crate) fn wrapped(host: &dyn Host) -> impl Iterator<Item = Row> {
    Wrapping::ALL.into_iter().filter(|wrapping| host.wraps(*wrapping) == Support::Yes).map(Row::Wrapped)
}

fn is_server(row: &Row) -> bool {
    matches!(row, Row::Tier(Tier::Server) | Row::Variant(Variant::Server))
}
