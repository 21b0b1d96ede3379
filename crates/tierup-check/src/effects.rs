//! Compares all calls that two servers made to other services. A call that arrives long after its answer cannot be
//! assigned to a request, so it counts only here.

use tierup_parity::{DownstreamCall, Observation, Policy, is_same_call};

use super::{comparison::Comparison, questions::Question};

/// A call, and the policy of the request during which it arrived.
pub(crate) struct Made<'a> {
    call: &'a DownstreamCall,
    policy: Policy,
}

/// Number of calls to search for an equal one: two servers make their calls in about the same order.
const NEAR: usize = 64;
/// The number of calls of a kind to show.
const SHOWN: usize = 3;

/// All calls that a server made during its requests and after them.
pub(crate) fn all_calls<'a>(
    questions: &[Question],
    seen: &'a [Observation],
    late: &'a [DownstreamCall],
    comparison: &Comparison,
) -> Vec<Made<'a>> {
    let of_answers = questions.iter().zip(seen).flat_map(|(question, observation)| {
        let made = move |call| Made { call, policy: comparison.policy(Some(&question.request.target)).into_owned() };
        observation.downstream.iter().map(made)
    });
    of_answers.chain(late.iter().map(|call| Made { call, policy: comparison.policy(None).into_owned() })).collect()
}

/// Lists, in words, the calls that only one of the two made; `None` if there are none.
pub(crate) fn surplus(control: Vec<Made<'_>>, candidate: Vec<Made<'_>>) -> Option<String> {
    let numbers = (candidate.len(), control.len());
    let (mut missing, mut too_many) = (control, candidate);
    // First pair the calls that are equal byte for byte, so that a merely similar call cannot take the partner of one.
    too_many.retain(|theirs| !found(&mut missing, |mine| mine.call == theirs.call));
    too_many.retain(|theirs| {
        let mut number = 0;
        !found(&mut missing, |mine| {
            number += 1;
            number <= NEAR
                && [&mine.policy, &theirs.policy].iter().any(|policy| is_same_call(mine.call, theirs.call, policy))
        })
    });
    if missing.is_empty() && too_many.is_empty() {
        return None;
    }
    let mut out = format!("calls to other services, over all requests: {} instead of {}", numbers.0, numbers.1);
    for (what, calls) in [("missing", missing), ("too many", too_many)] {
        if calls.is_empty() {
            continue;
        }
        let shown: Vec<String> = calls.iter().take(SHOWN).map(|made| made.call.to_string()).collect();
        out.push_str(&format!("; {what}: {}", shown.join(", ")));
        if calls.len() > SHOWN {
            out.push_str(&format!(", and {} more", calls.len() - SHOWN));
        }
    }
    Some(out)
}

/// Removes the first match from the list. Returns whether there was one.
fn found<'a>(list: &mut Vec<Made<'a>>, fits: impl FnMut(&Made<'a>) -> bool) -> bool {
    list.iter().position(fits).map(|at| list.remove(at)).is_some()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use tierup_parity::{Comparator, JsonRules};

    use super::*;

    fn check(control: &[&str], candidate: &[&str], expected: Expect) {
        let call = |body: &&str| DownstreamCall {
            method: "POST".into(),
            target: "/store".into(),
            content_type: None,
            body: body.as_bytes().to_vec(),
        };
        let [control, candidate] = [control, candidate].map(|bodies| bodies.iter().map(call).collect::<Vec<_>>());
        let policy = Policy { bodies: Comparator::Json(JsonRules::default()), ..Policy::default() };
        let made = |call| Made { call, policy: policy.clone() };
        let found = surplus(control.iter().map(made).collect(), candidate.iter().map(made).collect());
        expected.assert_eq(&found.unwrap_or_else(|| "the same".to_owned()));
    }

    #[test]
    fn calls_are_paired_in_any_order() {
        check(&["1", "2", "2"], &["2", "1", "2"], expect!["the same"]);
        check(&["[1, 2]"], &["[1,2]"], expect!["the same"]);
        check(
            &["1"],
            &["1", "1"],
            expect!["calls to other services, over all requests: 2 instead of 1; too many: POST /store 1"],
        );
        check(
            &["1", "2", "3", "4", "5"],
            &["6"],
            expect![
                "calls to other services, over all requests: 1 instead of 5; missing: POST /store 1, POST /store 2, POST /store 3, and 2 more; too many: POST /store 6"
            ],
        );
    }
}
