//! How a shadow compares two answers: by the project's rules, or byte for byte without a project.

use std::path::PathBuf;

use tierup_check::Comparison;
use tierup_parity::{CallOrder, Finding, Place};
use tierup_project::{CheckSettings, Loaded};
use tierup_shadow::Compare;

/// Compares what two servers answered to the same request.
pub(crate) fn compare(loaded: Option<&Loaded>) -> Box<Compare> {
    let (check, folder) = match loaded {
        Some(loaded) => (rules(loaded), loaded.folder.clone()),
        None => (CheckSettings::default(), PathBuf::new()),
    };
    let mut comparison = Comparison::new(check, folder);
    Box::new(move |target, control, candidate| {
        let mut finding = comparison.find(Some(target), control, candidate);
        if let Finding::Mismatch(found) = &mut finding {
            // A call that was refused may be why the answer differs: it comes first.
            found.list.sort_by_key(|difference| !matches!(difference.place, Place::Downstream { .. }));
        }
        finding
    })
}

/// `[check]`, with the order of calls as `ordered` of `[rollout]` has it.
pub(super) fn rules(loaded: &Loaded) -> CheckSettings {
    let mut check = loaded.check.clone();
    check.policy.calls = if loaded.rollout.ordered { CallOrder::Ordered } else { CallOrder::Any };
    check
}
