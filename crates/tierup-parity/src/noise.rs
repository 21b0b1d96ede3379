//! Noise: differences between a server's own answers to the same request, such as times, ids, the order of a hash map.
//!
//! Noise is always shown. A caller subtracts it only if the project says so.

use serde::Serialize;

use crate::comparator::{Comparator, HeaderRules, Policy};
use crate::difference::{MOST, Place};
use crate::finding::{Finding, compare};
use crate::observation::Observation;
use crate::{Difference, JsonRules, Path};

/// The differences between the control's two answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Noise {
    /// Values of JSON bodies, as `[check]` would name them. All items of an array have one path: `$.items[*].id`.
    pub paths: Vec<Path>,
    /// Whether bodies differ in a way that has no path: texts, bytes, a JSON document that is a single value.
    pub whole_body: bool,
    /// Names of headers, as in `ignore_headers` of `[check]`.
    pub headers: Vec<String>,
    /// Differences of status, content type or outcome, and missing answers, which no rule can ignore.
    pub unsteady: Vec<String>,
}

impl Noise {
    /// The differences between the control's first and second answer, by the same policy as for candidates.
    pub fn between(first: &Observation, second: &Observation, policy: &Policy) -> Noise {
        let mut noise = Noise::default();
        loop {
            // Known noise is ignored, so that the next round finds the differences that did not fit this round's list.
            match compare(first, second, &noise.subtracted_from(policy)) {
                Finding::Same | Finding::Skipped(_) => return noise,
                Finding::Error(why) => {
                    noise.unsteady.push(why);
                    return noise;
                }
                Finding::Mismatch(differences) => {
                    let before = noise.clone();
                    differences.list.iter().for_each(|difference| noise.add(difference));
                    // Nothing can ignore an unsteady difference, so a list full of these is found again.
                    if differences.left_out == 0 || noise == before {
                        return noise;
                    }
                    // For example an object whose keys are random ids.
                    if noise.paths.len() > MOST {
                        noise.whole_body = true;
                        noise.paths.clear();
                    }
                }
            }
        }
    }

    /// Adds the noise of another question.
    pub fn join(&mut self, other: Noise) {
        other.paths.into_iter().for_each(|path| push_new(&mut self.paths, path));
        other.headers.into_iter().for_each(|name| push_new(&mut self.headers, name));
        other.unsteady.into_iter().for_each(|line| push_new(&mut self.unsteady, line));
        self.whole_body |= other.whole_body;
    }

    pub fn is_empty(&self) -> bool {
        *self == Noise::default()
    }

    /// The policy that ignores noise. Bodies that are noise as a whole are then not compared at all. Differences in
    /// `unsteady` remain: no policy makes two statuses equal.
    pub fn subtracted_from(&self, policy: &Policy) -> Policy {
        let bodies = match &policy.bodies {
            _ if self.whole_body => Comparator::Status,
            Comparator::Json(rules) => {
                let ignore = rules.ignore.iter().chain(&self.paths).cloned().collect();
                Comparator::Json(JsonRules { ignore, ..rules.clone() })
            }
            other => other.clone(),
        };
        let ignore = policy.headers.ignore.iter().chain(&self.headers).cloned().collect();
        let headers = HeaderRules { ignore, ..policy.headers.clone() };
        Policy { bodies, headers, ..policy.clone() }
    }

    fn add(&mut self, difference: &Difference) {
        // Bodies of downstream calls are compared by the rules for all bodies.
        let place = match &difference.place {
            Place::Downstream { part: Some(part), .. } => part,
            place => place,
        };
        match place {
            Place::Json(location) if !location.0.is_empty() => push_new(&mut self.paths, Path::any_index(location)),
            Place::Json(_) | Place::Body | Place::Line(_) | Place::Byte(_) => self.whole_body = true,
            Place::Header(name) => push_new(&mut self.headers, name.clone()),
            Place::Status | Place::ContentType | Place::Outcome | Place::Message | Place::Downstream { .. } => {
                push_new(&mut self.unsteady, difference.to_string());
            }
        }
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}
