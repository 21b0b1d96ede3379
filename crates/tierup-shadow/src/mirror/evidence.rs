//! What comparing came to, by route.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;
use tierup_parity::{Difference, Finding, Observation, Seen, Tally};
use tierup_requests::{is_credential, without_credentials};

use crate::copy::Copied;

/// Routes beyond these are counted together: a path may hold an identifier.
const MOST_ROUTES: usize = 100;
/// Kinds of mismatches that are kept with an example, for each route.
const MOST_KINDS: usize = 20;
/// The route of all that have no place of their own.
const OTHERS: &str = "(others)";

/// What was compared so far.
#[derive(Debug, Default)]
pub struct Evidence(Mutex<BTreeMap<String, RouteEvidence>>);

/// One route's.
#[derive(Debug, Clone, Default, Serialize)]
pub struct RouteEvidence {
    pub tally: Tally,
    /// How often the candidate gave no answer, by the reason.
    pub silences: BTreeMap<String, u64>,
    /// From a request's head to its answer's, in seconds, for all answers that were compared.
    pub control_seconds: f64,
    pub candidate_seconds: f64,
    /// By kind: the place of the first difference, without positions.
    pub examples: BTreeMap<String, Example>,
}

/// A mismatch, the smallest of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Example {
    /// `GET /orders?limit=3`.
    pub request: String,
    /// Of target and body together, in bytes.
    pub size: usize,
    /// The first difference, in words.
    pub difference: String,
    /// How many of this kind there were.
    pub count: u64,
}

impl Evidence {
    /// What is known of each route now.
    pub fn routes(&self) -> BTreeMap<String, RouteEvidence> {
        self.lock().clone()
    }

    pub(super) fn add(&self, copied: &Copied, control: &Observation, candidate: &Observation, finding: &Finding) {
        let route = format!("{} {}", copied.method, copied.target.path());
        let mut routes = self.lock();
        let is_new = !routes.contains_key(&route);
        let route = if is_new && routes.len() >= MOST_ROUTES { OTHERS.to_owned() } else { route };
        let evidence = routes.entry(route).or_default();
        evidence.tally.add(finding);
        if let Seen::Nothing(silence) = &candidate.seen {
            *evidence.silences.entry(silence.to_string()).or_default() += 1;
            return;
        }
        if matches!(finding, Finding::Error(_) | Finding::Skipped(_)) {
            return;
        }
        evidence.control_seconds += control.took.unwrap_or_default().as_secs_f64();
        evidence.candidate_seconds += candidate.took.unwrap_or_default().as_secs_f64();
        let Finding::Mismatch(found) = finding else { return };
        let Some(first) = found.list.first() else { return };
        let (kind, example) = (kind(&first.place.to_string()), example(copied, words(first)));
        let has_room = evidence.examples.len() < MOST_KINDS;
        match evidence.examples.get_mut(&kind) {
            Some(known) => {
                let count = known.count + 1;
                if example.size < known.size {
                    *known = example;
                }
                known.count = count;
            }
            None if has_room => {
                evidence.examples.insert(kind, example);
            }
            None => {}
        }
    }

    /// How many copies have both answers, compared or not.
    pub fn answered(&self) -> u64 {
        let of = |tally: &Tally| tally.compared() + tally.error + tally.skipped.values().sum::<usize>();
        self.lock().values().map(|route| of(&route.tally) as u64).sum()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, RouteEvidence>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn example(copied: &Copied, difference: String) -> Example {
    let target = without_credentials(&copied.target.to_string());
    let size = target.len() + copied.body.len();
    Example { request: format!("{} {target}", copied.method), size, difference, count: 1 }
}

/// A difference, without values that are secret by their names.
fn words(difference: &Difference) -> String {
    let place = difference.place.to_string();
    let shown = difference.to_string();
    // A text may be JSON that is compared byte for byte.
    let names = shown.split(|character: char| !character.is_alphanumeric() && !matches!(character, '_' | '-'));
    match names.into_iter().any(is_credential) {
        true => format!("{place}: the values differ (not shown, as they may hold a credential)"),
        false => shown,
    }
}

/// A place without its positions: `$.items[3].id` and `$.items[4].id` are of one kind.
fn kind(place: &str) -> String {
    let mut kind = String::new();
    let mut was_digit = false;
    for character in place.chars() {
        if !character.is_ascii_digit() {
            kind.push(character);
        } else if !was_digit {
            kind.push('*');
        }
        was_digit = character.is_ascii_digit();
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_hold_a_credential_is_not_shown() {
        let answer = |body: &str| {
            let answer = tierup_parity::Answer { status: 200, body: body.into(), ..tierup_parity::Answer::default() };
            Observation::of(Seen::Answer(answer))
        };
        let shown = |control: &str, candidate: &str| match tierup_parity::compare(
            &answer(control),
            &answer(candidate),
            &tierup_parity::Policy::default(),
        ) {
            Finding::Mismatch(found) => words(&found.list[0]),
            found => panic!("{found:?}"),
        };
        let hidden = shown(r#"{"access_token":"one"}"#, r#"{"access_token":"two"}"#);
        assert!(!hidden.contains("one") && !hidden.contains("two"), "{hidden}");
        assert!(shown("price 1", "price 2").contains("price 2"));
    }

    #[test]
    fn mismatches_at_other_positions_are_of_one_kind() {
        assert_eq!(kind("$.items[13].id"), "$.items[*].id");
        assert_eq!(kind("line 12"), kind("line 3"));
        assert_ne!(kind("header location"), kind("header vary"));
    }
}
