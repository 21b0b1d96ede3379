//! Compares the calls that two servers made to others while they answered the same request.

use crate::comparator::{Comparator, Policy};
use crate::difference::{Difference, Differences, Place};
use crate::{DownstreamCall, content_type};

/// A missing call or an extra call is a difference; so is another method, path, media type or body. Bodies are
/// compared by the rules for answers. A normalizer reads answers only: with one, the bytes of these bodies count.
pub(crate) fn downstream(control: &[DownstreamCall], candidate: &[DownstreamCall], policy: &Policy) -> Differences {
    let mut found = Differences::default();
    for index in 0..control.len().max(candidate.len()) {
        let (mine, theirs) = (control.get(index), candidate.get(index));
        match (mine, theirs) {
            (Some(mine), Some(theirs)) => found.append(calls(index + 1, mine, theirs, policy)),
            _ => {
                let [mine, theirs] = [mine, theirs].map(|call| call.map(ToString::to_string));
                let note = if mine.is_some() { "a call is missing" } else { "an extra call" };
                let place = Place::Downstream { call: index + 1, part: None };
                found.push(Difference::new(place, mine.as_deref(), theirs.as_deref()).with_note(note));
            }
        }
    }
    found
}

/// Whether two calls are the same by the policy, whenever they were made.
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
