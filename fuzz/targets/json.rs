//! Two bodies, parted by the first line end, compared by several rules: both ways, each with itself, and within the memory
//! that was said.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use tierup_fuzz::most_taken;
use tierup_parity::{
    Answer, Comparator, DuplicateKeys, Finding, JsonRules, Numbers, Observation, Policy, Seen, compare, diff,
    json::read, memory_of,
};

/// What is needed to show a difference, as in `crates/tierup-parity/tests/memory.rs`.
const SHOWING: usize = 16 << 10;

static POLICIES: LazyLock<Vec<Policy>> = LazyLock::new(|| {
    let unordered = ["$", "$.*", "$[*]"].map(|path| path.parse().expect("a path")).to_vec();
    let last = JsonRules { duplicate_keys: DuplicateKeys::Last, numbers: Numbers::Value, ..JsonRules::default() };
    let rules = [JsonRules::default(), last, JsonRules { unordered, ..JsonRules::default() }];
    rules.map(|rules| Policy { bodies: Comparator::Json(rules), ..Policy::default() }).to_vec()
});

fuzz_target!(|text: &str| {
    let (one, other) = text.split_once('\n').unwrap_or((text, "{}"));
    let [mine, theirs] = [one, other].map(answer);
    for policy in POLICIES.iter() {
        assert_eq!(compare(&mine, &mine, policy), Finding::Same);
        let (found, taken) = most_taken(|| compare(&mine, &theirs, policy));
        assert!(taken <= memory_of(&mine, &theirs) + SHOWING, "{taken}");
        let back = compare(&theirs, &mine, policy);
        assert_eq!(found == Finding::Same, back == Finding::Same, "{found:?} and {back:?}");
        drop(diff(one.as_bytes(), other.as_bytes(), &policy.bodies));
    }
    match read(one.as_bytes()) {
        Ok(json) => {
            // Not by `compare`: a duplicate key makes a value unlike any other.
            let compact = json.compact();
            for written in [json.pretty(), compact.clone()] {
                let again = read(written.as_bytes()).map(|again| again.compact());
                assert_eq!(again.ok().as_ref(), Some(&compact), "{written}");
            }
        }
        Err(why) => assert!(serde_json::from_str::<serde_json::Value>(one).is_err(), "{why}"),
    }
});

fn answer(body: &str) -> Observation {
    Observation::new(Seen::Answer(Answer { status: 200, body: body.into(), ..Answer::default() }))
}
