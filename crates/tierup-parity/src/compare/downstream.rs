//! Compares the calls that two servers made to others while they answered the same request.

use crate::comparator::{CallOrder, Comparator, Policy};
use crate::difference::{Difference, Differences, Place};
use crate::{DownstreamCall, content_type};

/// A missing call, an extra call, and a different method, path, media type or body are differences. Bodies are compared
/// by the rules for answers. If these use a normalizer, which reads answers only, the bytes of the calls' bodies count.
pub(crate) fn downstream(control: &[DownstreamCall], candidate: &[DownstreamCall], policy: &Policy) -> Differences {
    let mut found = Differences::default();
    for (index, pair) in pairs(control, candidate, policy).into_iter().enumerate() {
        match pair {
            (Some(mine), Some(theirs)) => found.append(calls(index + 1, mine, theirs, policy)),
            (mine, theirs) => {
                let note = if mine.is_some() { "a call is missing" } else { "an extra call" };
                let [mine, theirs] = [mine, theirs].map(|call| call.map(ToString::to_string));
                let place = Place::Downstream { call: index + 1, part: None };
                found.push(Difference::new(place, mine.as_deref(), theirs.as_deref()).with_note(note));
            }
        }
    }
    found
}

type Pair<'a> = (Option<&'a DownstreamCall>, Option<&'a DownstreamCall>);

/// Pairs of calls to compare: the control's calls in its order, then the candidate's extra ones.
fn pairs<'a>(control: &'a [DownstreamCall], candidate: &'a [DownstreamCall], policy: &Policy) -> Vec<Pair<'a>> {
    let mut theirs: Vec<_> = candidate.iter().collect();
    let mut pairs: Vec<Pair<'a>> = control.iter().map(|mine| (Some(mine), None)).collect();
    // With `Any`, calls equal to the byte are paired first, then those equal by the rules, then those with the same
    // method and target: a call with another body is then one difference, not a missing call and an extra one.
    let rounds: &[fn(&DownstreamCall, &DownstreamCall, &Policy) -> bool] = match policy.calls {
        CallOrder::Ordered => &[|_, _, _| true],
        CallOrder::Any => &[
            |mine, theirs, _| mine == theirs,
            is_same_call,
            |mine, theirs, _| (&mine.method, &mine.target) == (&theirs.method, &theirs.target),
        ],
    };
    for is_like in rounds {
        for (mine, found) in &mut pairs {
            let (Some(mine), None) = (*mine, &found) else { continue };
            let at = theirs.iter().position(|theirs| is_like(mine, theirs, policy));
            *found = at.map(|at| theirs.remove(at));
        }
    }
    pairs.extend(theirs.into_iter().map(|theirs| (None, Some(theirs))));
    pairs
}

/// Whether two calls are the same by the policy, whatever their order.
pub fn is_same_call(control: &DownstreamCall, candidate: &DownstreamCall, policy: &Policy) -> bool {
    calls(1, control, candidate, policy).is_empty()
}

fn calls(call: usize, mine: &DownstreamCall, theirs: &DownstreamCall, policy: &Policy) -> Differences {
    if (&mine.method, &mine.target) != (&theirs.method, &theirs.target) {
        let [mine, theirs] = [mine, theirs].map(|call| format!("{} {}", call.method, call.target));
        return Difference::new(Place::Downstream { call, part: None }, Some(&mine), Some(&theirs)).into();
    }
    let [my_type, their_type] = [mine, theirs].map(|call| call.content_type.as_deref());
    if !content_type::alike(my_type, their_type, policy.parameters) {
        let place = Place::Downstream { call, part: Some(Box::new(Place::ContentType)) };
        return Difference::new(place, my_type, their_type).into();
    }
    let comparator = match &policy.bodies {
        Comparator::Normalized(_) => &Comparator::Exact,
        other => other,
    };
    let mut found = comparator.differences(&mine.body, &theirs.body);
    for difference in &mut found.list {
        let part = Some(Box::new(difference.place.clone()));
        difference.place = Place::Downstream { call, part };
    }
    found
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(order: CallOrder, control: &[&str], candidate: &[&str], expected: Expect) {
        let call = |text: &&str| {
            let (target, body) = text.split_once(' ').expect("a target and a body");
            DownstreamCall {
                method: "POST".into(),
                target: target.into(),
                content_type: None,
                body: body.as_bytes().to_vec(),
            }
        };
        let [control, candidate] = [control, candidate].map(|calls| calls.iter().map(call).collect::<Vec<_>>());
        let policy = Policy { calls: order, ..Policy::default() };
        let found = downstream(&control, &candidate, &policy);
        expected.assert_eq(&found.list.iter().map(|difference| format!("{difference}\n")).collect::<String>());
    }

    #[test]
    fn without_an_order_each_call_is_compared_with_the_most_similar_one() {
        check(CallOrder::Any, &["/a 1", "/b 2", "/a 1"], &["/b 2", "/a 1", "/a 1"], expect![""]);
        check(
            CallOrder::Any,
            &["/a 1", "/b 2"],
            &["/b 2"],
            expect![[r#"
            downstream call 1: nothing instead of POST /a 1 (a call is missing)
        "#]],
        );
        check(
            CallOrder::Any,
            &["/a 1", "/b 2"],
            &["/b 2", "/a 1", "/a 1"],
            expect![[r#"
            downstream call 3: POST /a 1 instead of nothing (an extra call)
        "#]],
        );
        check(
            CallOrder::Any,
            &["/a 1", "/a 2"],
            &["/a 3", "/a 1"],
            expect![[r#"
            downstream call 2, line 1: "3" instead of "2" (from byte 0; 1 bytes instead of 1)
        "#]],
        );
    }

    #[test]
    fn with_an_order_the_first_call_is_compared_with_the_first() {
        check(
            CallOrder::Ordered,
            &["/a 1", "/b 2"],
            &["/b 2", "/a 1"],
            expect![[r#"
            downstream call 1: POST /b instead of POST /a
            downstream call 2: POST /a instead of POST /b
        "#]],
        );
        check(CallOrder::Ordered, &["/a 1", "/b 2"], &["/a 1", "/b 2"], expect![""]);
    }
}
