//! The last profile's bounds on functions, in `.tierup/page/bounds.json`, by host. In: a ranking. Out: the bounds of
//! the project's functions, to show beside their measurement.

use std::collections::BTreeMap;

use heck::ToSnakeCase as _;
use serde::{Deserialize, Serialize};
use tierup_bench::record::Estimate;
use tierup_profile::{Bound, Ranking, prospect};
use tierup_project::Loaded;
use tierup_runner::{
    Observer as _,
    private::{self, FolderOwner, make_folder},
};

use crate::console::Console;

const FILE: &str = "bounds.json";
/// The minimum share of the CPU for a function to be kept.
const LEAST: f64 = 0.001;

/// A profile's estimate for a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Kept {
    function: String,
    words: String,
    /// `None` if the function was not a candidate.
    value: Option<f64>,
    interval: Option<(f64, f64)>,
}

/// Saves the estimates from a profile of the project's baseline. A failure is only a note.
pub(crate) fn keep(loaded: &Loaded, ranking: &Ranking, console: &Console) {
    let Some(host) = &ranking.host else { return };
    let mut all = read(loaded);
    all.insert(host.clone(), of(ranking));
    let folder = loaded.work.join("page");
    let written = make_folder(&loaded.work, FolderOwner::Ours)
        .and_then(|()| make_folder(&folder, FolderOwner::Ours))
        .and_then(|()| private::write(&folder.join(FILE), &serde_json::to_vec(&all)?));
    if let Err(error) = written {
        console.note(&format!("cannot keep the bounds of this profile for `tierup ceiling`: {error}"));
    }
}

/// This host's last estimates for the project's functions, to show beside the rows of `group`.
pub(crate) fn estimates(loaded: &Loaded, host: &str, group: &str) -> Vec<Estimate> {
    let kept = read(loaded).remove(host).unwrap_or_default();
    let functions = &loaded.project.interface.functions;
    let estimate = |Kept { function, words, value, interval }: Kept| Estimate {
        group: group.to_owned(),
        function,
        by: "the profile".to_owned(),
        words,
        value,
        interval,
    };
    let is_ours = |kept: &Kept| functions.iter().any(|function| is_named(&kept.function, &function.name));
    kept.into_iter().filter(is_ours).map(estimate).collect()
}

fn read(loaded: &Loaded) -> BTreeMap<String, Vec<Kept>> {
    let text = std::fs::read(loaded.work.join("page").join(FILE)).unwrap_or_default();
    // A file of another version, or a torn one, is ignored.
    serde_json::from_slice(&text).unwrap_or_default()
}

fn of(ranking: &Ranking) -> Vec<Kept> {
    let hot = ranking.functions.iter().filter(|function| function.owned.value >= LEAST);
    let kept = hot.map(|function| {
        let bound = Bound::new(function.owned, function.rewrite);
        let bound = Some(bound).filter(|bound| function.hindrance.is_none() && bound.value.is_finite());
        Kept {
            function: function.frame.function.clone(),
            words: prospect(function),
            value: bound.map(|bound| bound.value),
            interval: bound.and_then(|bound| bound.interval).filter(|(_, high)| high.is_finite()),
        }
    });
    kept.collect()
}

/// Whether a frame's function, in the host's spelling, has the name of this Rust function.
fn is_named(frame: &str, rust: &str) -> bool {
    frame.rsplit(['.', ':']).next().unwrap_or(frame).to_snake_case() == rust
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_recognised_in_the_spelling_of_its_language() {
        assert!(is_named("generateQrCode", "generate_qr_code"));
        assert!(is_named("shop/baseline.GenerateQrCode", "generate_qr_code"));
        assert!(is_named("com.example.Qr.generateQrCode", "generate_qr_code"));
        assert!(is_named("generate_qr_code", "generate_qr_code"));
        assert!(!is_named("regenerateQrCode", "generate_qr_code"));
    }
}
