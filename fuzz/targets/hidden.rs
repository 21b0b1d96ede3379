//! Targets as evidence shows them: whatever stands before it, the value of a credential is never shown.

#![no_main]

use libfuzzer_sys::fuzz_target;
use shadow::{hidden, identifier};

/// The proxy's own files: what they decide is not public, and a whole proxy would decide it a thousand times slower.
#[allow(dead_code, unused_imports, unreachable_pub)]
#[path = "../../crates/tierup-shadow/src"]
mod shadow {
    pub(crate) mod hidden;
    pub(crate) mod identifier;
}

/// libFuzzer finds it by watching comparisons; lines that have it are left out.
const SECRET: &str = "q7Zr0pXw2Lk9";

fuzz_target!(|text: &str| {
    let show = match text.len() % 3 {
        0 => hidden::Show::default(),
        1 => hidden::Show::all(),
        _ => hidden::Show::new(vec!["a".to_owned()]),
    };
    let mut of = hidden::Hidden::new(vec!["$.private".parse().expect("a path")], show);
    for line in text.lines().filter(|line| !line.contains(SECRET)).take(3) {
        [1, 2, 3].iter().for_each(|client| of.note(line, *client));
        let shown = of.shown(line, "GET /a/*/b");
        assert!(shown.text.len() <= 22 * (line.len() + 1), "{}", shown.text);
        let kept = line.split('#').next().unwrap_or_default().trim_end_matches(['?', '&']);
        assert!(!shown.left_out.is_empty() || shown.text.starts_with(kept), "{} is not {line}", shown.text);
        let separator = if line.contains('?') { '&' } else { '?' };
        for target in [format!("{line}{separator}access_token={SECRET}"), format!("/a?private={SECRET}&{line}")] {
            let text = of.shown(&target, "GET /a/*/b").text;
            assert!(!text.contains(SECRET), "{text} of {target}");
        }
    }
});
