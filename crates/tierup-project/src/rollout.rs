//! `[rollout]`: how the candidate takes over from the control (`docs/rollout.md`).
//!
//! In: the table. Out: [`RolloutSettings`], with defaults for missing keys.

mod overlap;
mod plan;
mod reader;
mod through;

use std::{fmt, time::Duration};

use tierup_codegen::Route;
use tierup_parity::Path;
use tierup_rollout::{Part, Sticky, StoreUrl, Through};

use self::reader::Reader;
use crate::document::{Document, Table, finished};

pub use self::plan::Available;

/// `[rollout]`.
#[derive(Debug, Clone, PartialEq)]
pub struct RolloutSettings {
    /// The candidate's weights, in rising order; the last one is the most that a ramp gives by itself.
    pub steps: Vec<Part>,
    /// The shortest time of a step.
    pub hold: Duration,
    /// The rate of bad answers that a step must be able to detect, which takes at least 3 / `tolerated` answers.
    pub tolerated: Part,
    /// The candidate may give this many times as many bad answers as the control.
    pub margin: f64,
    /// The share of answers that may differ.
    pub mismatches: Part,
    /// The share of the candidate's safe answers that are verified: the control gets the same request.
    pub verify: Part,
    /// The share of copies that goes to a second control process. With a half, that process gets as many as the
    /// candidate, so that their latencies can be compared.
    pub second: Part,
    /// The share of safe requests that is copied.
    pub sample: Part,
    /// How to tell clients apart; if `None`, the control answers all requests.
    pub sticky: Option<Sticky>,
    /// Patterns of paths that are never copied.
    pub deny: Vec<String>,
    /// How long requests in flight may take after an abort.
    pub drain: Duration,
    /// Requests that are copied although they change data.
    pub routes: Vec<RolloutRoute>,
    /// Requests with methods other than GET and HEAD that change nothing.
    pub safe: Vec<RolloutRoute>,
    /// Whether the order of a request's calls to other services matters.
    pub ordered: bool,
    /// Whether the candidate has its own data, so that its calls over other protocols than HTTP do no harm.
    pub isolated: bool,
    /// How calls to other services are assigned to requests.
    pub attribute: Option<Attribute>,
    /// Number of processes of each side that serve one request at a time, with their own downstream address.
    pub lanes: u16,
    /// Fields of bodies that enter the evidence only as hashes.
    pub hide: Vec<Path>,
    /// Path parts and parameter names that the evidence always shows, even if few clients sent them; `*` for all.
    pub show: Vec<String>,
    pub through: Through,
    /// The database that all proxies and judges share; `None` for the state folder.
    pub store: Option<StoreUrl>,
    /// The program that is told each decision, and its arguments; empty if there is none.
    pub notify: Vec<String>,
    /// The address of the real service behind `[downstream]`: `http://payments.internal:8080`.
    pub downstream: Option<String>,
}

/// A kind of request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolloutRoute {
    pub method: String,
    /// The path, in which `*` matches any characters except `/`, and `**` any number of parts.
    pub path: String,
}

impl fmt::Display for RolloutRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// How a call to another service is assigned to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// The server forwards this header.
    Header(String),
    /// The server process had no other request at that time.
    Lane,
}

impl Default for RolloutSettings {
    fn default() -> RolloutSettings {
        let percent = |hundredths| Part::of_ten_thousand(hundredths).unwrap_or(Part::ALL);
        RolloutSettings {
            steps: [100, 500, 2500, 5000, 9_900].map(percent).to_vec(),
            hold: Duration::from_secs(600),
            tolerated: percent(10),
            margin: 1.25,
            mismatches: Part::NONE,
            verify: percent(1000),
            second: percent(5000),
            sample: Part::ALL,
            sticky: None,
            deny: Vec::new(),
            drain: Duration::from_secs(30),
            routes: Vec::new(),
            safe: Vec::new(),
            ordered: false,
            isolated: false,
            attribute: None,
            lanes: 2,
            hide: Vec::new(),
            show: Vec::new(),
            through: Through::Tierup,
            store: None,
            notify: Vec::new(),
            downstream: None,
        }
    }
}

/// Reads `[rollout]`. `has_downstream` says whether the project has `[downstream]`.
pub(crate) fn read(table: &Table<'_>, document: &Document, has_downstream: bool) -> RolloutSettings {
    let reader = Reader { table, document };
    let or = RolloutSettings::default();
    if table.has("downstream") && !has_downstream {
        let hint = "`[downstream]` says which variable tells the server the address";
        reader.problem::<()>("downstream", "`[rollout.downstream]` needs `[downstream]`", hint);
    }
    let downstream = table.table("downstream").and_then(|table| {
        finished(&table, |table| {
            let address = table.required_text("address")?;
            reader.http(&address);
            Some(address.value)
        })
    });
    let (sticky, routes) = (reader.sticky(), reader.requests("routes"));
    RolloutSettings {
        steps: reader.steps().unwrap_or(or.steps),
        hold: reader.time("hold").unwrap_or(or.hold),
        tolerated: reader.some_part("tolerated").unwrap_or(or.tolerated),
        margin: reader.factor("margin").unwrap_or(or.margin),
        mismatches: reader.part("mismatches").unwrap_or(or.mismatches),
        verify: reader.part("verify").unwrap_or(or.verify),
        second: reader.part("second").unwrap_or(or.second),
        sample: reader.some_part("sample").unwrap_or(or.sample),
        through: reader.through(sticky.clone()).unwrap_or_default(),
        sticky,
        store: reader.store(),
        notify: reader.command(table, "notify", &[]),
        deny: reader.deny(),
        drain: reader.time("drain").unwrap_or(or.drain),
        safe: reader.safe(&routes),
        routes,
        ordered: table.flag("ordered").unwrap_or(or.ordered),
        isolated: table.flag("isolated").unwrap_or(or.isolated),
        attribute: reader.attribute(),
        lanes: reader.lanes().unwrap_or(or.lanes),
        hide: reader.hide(),
        show: reader.show(),
        downstream,
    }
}

impl RolloutSettings {
    /// A note about routes that are neither in `routes` nor in `safe`, if there are any.
    pub(crate) fn undeclared(&self, routes: &[Route]) -> Option<String> {
        let is_named = |route: &RolloutRoute| self.routes.iter().chain(&self.safe).any(|named| named.covers(route));
        let routes = routes.iter().filter(|route| !matches!(route.method.as_str(), "GET" | "HEAD"));
        let routes = routes.map(|route| RolloutRoute { method: route.method.clone(), path: route.path.clone() });
        line(&self.safe, routes.filter(|route| !is_named(route)))
    }
}

fn line(safe: &[RolloutRoute], undeclared: impl Iterator<Item = RolloutRoute>) -> Option<String> {
    let undeclared: Vec<_> = undeclared.map(|route| route.to_string()).collect();
    let all = safe.iter().map(ToString::to_string).chain(undeclared.iter().cloned());
    let all: Vec<_> = all.map(|route| format!("\"{route}\"")).collect();
    (!undeclared.is_empty()).then(|| {
        format!(
            "the control answers {}, uncompared. If these requests change nothing, and only call the function, add to \
             [rollout]: safe = [{}]",
            undeclared.join(", "),
            all.join(", ")
        )
    })
}

#[cfg(test)]
mod tests;
