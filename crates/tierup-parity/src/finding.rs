//! Compares two observations of one question.

use serde::Serialize;

use crate::comparator::{Comparator, ErrorBodies, Policy};
use crate::compare::downstream;
use crate::difference::{Difference, Differences, Place};
use crate::observation::{Answer, Call, Observation, Seen};
use crate::{Outcome, coding, content_type, headers};

/// The result of comparing one candidate's observation with the control's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "finding", content = "detail", rename_all = "snake_case")]
pub enum Finding {
    Same,
    Mismatch(Differences),
    /// Something that should be compared is missing: there is no answer, or a normalizer failed.
    Error(String),
    /// There is nothing to compare, for this reason.
    Skipped(String),
}

/// Compares two observations of one question.
pub fn compare(control: &Observation, candidate: &Observation, policy: &Policy) -> Finding {
    let found = seen(&control.seen, &candidate.seen, policy);
    let calls = match (&control.seen, &candidate.seen) {
        (Seen::Answer(_), Seen::Answer(_)) => downstream(&control.downstream, &candidate.downstream, policy),
        _ => Differences::default(),
    };
    match found {
        found if calls.is_empty() => found,
        Finding::Mismatch(mut differences) => {
            differences.append(calls);
            Finding::Mismatch(differences)
        }
        // A server's calls to others are compared even if the bodies of the answers could not be.
        Finding::Error(why) => Finding::Mismatch(calls.with_note(&format!("bodies were not compared: {why}"))),
        Finding::Same | Finding::Skipped(_) => Finding::Mismatch(calls),
    }
}

/// Compares the two results, without the calls to others.
fn seen(control: &Seen, candidate: &Seen, policy: &Policy) -> Finding {
    let differences = match (control, candidate) {
        (Seen::Skipped(why), _) | (_, Seen::Skipped(why)) => return Finding::Skipped(why.clone()),
        (Seen::Nothing(mine), Seen::Nothing(theirs)) if mine.to_string() != theirs.to_string() => {
            return Finding::Error(format!("neither answered: {theirs}; the control: {mine}"));
        }
        (Seen::Nothing(why), Seen::Nothing(_)) => return Finding::Error(format!("neither answered: {why}")),
        (Seen::Nothing(why), _) => return Finding::Error(format!("the control did not answer: {why}")),
        (_, Seen::Nothing(why)) => return Finding::Error(format!("no answer: {why}")),
        (Seen::Answer(mine), Seen::Answer(theirs)) => answers(mine, theirs, policy),
        (Seen::Call(mine), Seen::Call(theirs)) => calls(mine, theirs, policy),
        (Seen::Answer(_), Seen::Call(_)) | (Seen::Call(_), Seen::Answer(_)) => {
            Err("a server's answer is not compared with a function's".to_owned())
        }
    };
    match differences {
        Ok(differences) if differences.is_empty() => Finding::Same,
        Ok(differences) => Finding::Mismatch(differences),
        Err(why) => Finding::Error(why),
    }
}

/// Whether the normalizer has to run on these two: only if the bodies differ and all else is alike. Calls to other
/// servers do not count, as the normalizer does not read them.
pub fn wants_meaning(control: &Observation, candidate: &Observation, policy: &Policy) -> bool {
    let without = Policy { bodies: Comparator::Status, ..policy.clone() };
    matches!(policy.bodies, Comparator::Normalized(_))
        && matches!((control.body(), candidate.body()), (Some(mine), Some(theirs)) if mine != theirs)
        && seen(&control.seen, &candidate.seen, &without) == Finding::Same
}

fn answers(mine: &Answer, theirs: &Answer, policy: &Policy) -> Result<Differences, String> {
    if mine.status != theirs.status {
        let [mine, theirs] = [mine, theirs].map(|answer| answer.status.to_string());
        return Ok(Difference::new(Place::Status, Some(&mine), Some(&theirs)).into());
    }
    let is_error = mine.status >= 400;
    if is_error && policy.errors == ErrorBodies::Status {
        return Ok(headers::differences(mine, theirs, &policy.headers, headers::Bodies::NotCompared));
    }
    let mut found = headers::differences(mine, theirs, &policy.headers, headers::Bodies::Compared);
    let [my_type, their_type] = [mine, theirs].map(|answer| answer.content_type.as_deref());
    if !policy.headers.ignores("content-type") && !content_type::alike(my_type, their_type, policy.parameters) {
        found.push(Difference::new(Place::ContentType, my_type, their_type));
        return Ok(found);
    }
    let comparator = if is_error { &Comparator::Exact } else { &policy.bodies };
    let compared = match comparator {
        Comparator::Status => Ok(Differences::default()),
        _ => coding::unreadable(mine, theirs)
            .unwrap_or_else(|| bodies((&mine.body, &mine.meaning), (&theirs.body, &theirs.meaning), comparator)),
    };
    match compared {
        Ok(more) => found.append(more),
        Err(why) if found.is_empty() => return Err(why),
        // The normalizer does not run if the answers differ anyway.
        Err(_) => {}
    }
    Ok(found)
}

fn calls(mine: &Call, theirs: &Call, policy: &Policy) -> Result<Differences, String> {
    let message = |mine: &str, theirs: &str| match policy.errors {
        ErrorBodies::Exact if mine != theirs => Difference::new(Place::Message, Some(mine), Some(theirs)).into(),
        _ => Differences::default(),
    };
    match (&mine.outcome, &theirs.outcome) {
        (mine, theirs) if mine == theirs && !matches!(mine, Outcome::Lost(_)) => Ok(Differences::default()),
        (Outcome::Lost(why), _) => Err(format!("the control was lost: {why}")),
        (_, Outcome::Lost(why)) => Err(format!("lost: {why}")),
        (Outcome::Ok(_), Outcome::Ok(_)) => {
            let found = bodies((&mine.body, &mine.meaning), (&theirs.body, &theirs.meaning), &policy.bodies)?;
            let is_hidden = found.is_empty() && policy.bodies == Comparator::Exact;
            if !is_hidden {
                return Ok(found);
            }
            let [mine, theirs] = [mine, theirs].map(|call| call.outcome.to_string());
            let difference = Difference::new(Place::Outcome, Some(&mine), Some(&theirs));
            Ok(difference.with_note("they differ in bits that JSON does not show").into())
        }
        (Outcome::Error(mine), Outcome::Error(theirs))
        | (Outcome::Panic(mine), Outcome::Panic(theirs))
        | (Outcome::Refused(mine), Outcome::Refused(theirs)) => Ok(message(mine, theirs)),
        (mine, theirs) => {
            Ok(Difference::new(Place::Outcome, Some(&mine.to_string()), Some(&theirs.to_string())).into())
        }
    }
}

type Body<'a> = (&'a [u8], &'a Option<Result<Vec<u8>, String>>);

fn bodies(mine: Body<'_>, theirs: Body<'_>, comparator: &Comparator) -> Result<Differences, String> {
    if mine.0 == theirs.0 || !matches!(comparator, Comparator::Normalized(_)) {
        return Ok(comparator.differences(mine.0, theirs.0));
    }
    let meaning = |whose: &str, (_, meaning): Body<'_>| match meaning {
        Some(Ok(meaning)) => Ok(meaning.clone()),
        Some(Err(why)) => Err(format!("the normalizer cannot read {whose} body: {why}")),
        None => Err(format!("the normalizer did not read {whose} body")),
    };
    Ok(comparator.differences(&meaning("the control's", mine)?, &meaning("the candidate's", theirs)?))
}
