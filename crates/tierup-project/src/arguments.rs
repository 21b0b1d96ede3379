//! The calls that a project's requests make of its functions, through the routes; without requests, the golden call.

use std::collections::HashSet;

use tierup_diagnostic::{Failure, Result};
use tierup_runner::Observer;

use crate::{FILE, Loaded, RouteCall, Source, requests, route_call};

/// The argument lists of each function, and notes for people about requests and functions that were left out.
pub struct Arguments {
    pub functions: Vec<FunctionArguments>,
    pub notes: Vec<String>,
}

/// The argument lists of one function.
pub struct FunctionArguments {
    /// Index into the interface's functions.
    pub function: usize,
    /// Encoded argument lists, all different.
    pub lists: Vec<Vec<u8>>,
    /// The source of the lists, for people.
    pub source: String,
}

/// The most lists for a function: too many for a cache or branch predictor to know them all, few enough to call each
/// several times.
const MOST: usize = 64;

impl Arguments {
    /// Reads the requests, if there is a route that could turn them into calls.
    ///
    /// # Errors
    /// The requests cannot be read, or there are no arguments at all.
    pub fn read(loaded: &Loaded, source: &Source, seed: u64, observer: &mut dyn Observer) -> Result<Arguments> {
        let mut found: Vec<Found> = loaded.project.interface.functions.iter().map(|_| Found::default()).collect();
        let (mut notes, mut origin) = (Vec::new(), String::new());
        if !loaded.project.routes.is_empty() {
            match requests(source, seed, observer) {
                Ok((set, name)) => {
                    notes.extend(by_routes(&set, loaded, &mut found).map(|left_out| format!("{name}: {left_out}")));
                    origin = name;
                }
                // Without a requests file, there is still the golden call.
                Err(_) if loaded.project.health.is_some() && matches!(source, Source::Project(_)) => {}
                Err(failure) => return Err(failure),
            }
        }
        let mut functions = Vec::new();
        let mut unreached = Vec::new();
        for (function, mut found) in found.into_iter().enumerate() {
            let mut source = match found.distinct() {
                all if all > MOST => format!("{origin}, of {all} different ones"),
                _ => origin.clone(),
            };
            if found.lists.is_empty()
                && let Some(health) = loaded.project.health.as_ref().filter(|health| health.function == function)
            {
                found.lists.push(health.arguments.clone());
                source = format!("[health] of {FILE}");
            }
            if found.lists.is_empty() {
                unreached.push(loaded.project.interface.functions[function].name.as_str());
            } else {
                functions.push(FunctionArguments { function, lists: found.lists, source });
            }
        }
        if functions.is_empty() {
            return Err(nothing(loaded, &unreached));
        }
        if !unreached.is_empty() {
            notes.push(format!(
                "not timed, because no request reaches it and [health] does not call it: {}",
                names(&unreached)
            ));
        }
        Ok(Arguments { functions, notes })
    }
}

/// A function's argument lists so far.
#[derive(Default)]
struct Found {
    lists: Vec<Vec<u8>>,
    seen: HashSet<Vec<u8>>,
}

impl Found {
    fn add(&mut self, arguments: Vec<u8>) {
        if self.seen.insert(arguments.clone()) && self.lists.len() < MOST {
            self.lists.push(arguments);
        }
    }

    fn distinct(&self) -> usize {
        self.seen.len()
    }
}

/// Adds the calls in the order of the mix, so that the first lists are a fair sample. Returns a note about requests
/// that make no call.
fn by_routes(set: &tierup_requests::Set, loaded: &Loaded, found: &mut [Found]) -> Option<String> {
    let (mut refused, mut unanswered) = (0, 0);
    let mut seen = HashSet::new();
    for index in set.order.iter().filter(|index| seen.insert(**index)) {
        match route_call(&set.requests[*index as usize], &loaded.project) {
            RouteCall::Call { function, arguments } => found[function].add(arguments),
            RouteCall::Refused(_) => refused += 1,
            RouteCall::NoRoute => unanswered += 1,
        }
    }
    let parts = [(refused, "refused by a route"), (unanswered, "without a matching [[route]]")];
    let parts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    (!parts.is_empty()).then(|| format!("requests left out: {}", parts.join(", ")))
}

fn nothing(loaded: &Loaded, unreached: &[&str]) -> Failure {
    let name = unreached.first().copied().unwrap_or("a_function");
    let hint = if loaded.project.routes.is_empty() {
        format!(
            "add a [[route]] that calls `{name}` and requests to {FILE}'s folder, or a golden call:\n      \
             [health]\n      call = \"{name}\"\n      arguments = […]"
        )
    } else {
        "add requests that match its [[route]]s, or name a requests file with --requests".to_owned()
    };
    Failure::usage("there are no arguments to call the functions with").hint(hint)
}

/// The first few names, and the number of the others.
fn names(all: &[&str]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = all.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let rest = all.len().saturating_sub(SHOWN);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    shown.join(", ") + &more
}
