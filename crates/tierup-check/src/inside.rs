//! The evidence of rollouts inside processes: calls that a server's own functions and a candidate answered differently.
//!
//! In: evidence files, as `templates/cli/evidence.rs` of `tierup-codegen` writes them, and a project. Out: [`Inside`].
//! The processes compare byte by byte; here, the project's rules are applied to the calls kept.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use tierup_codegen::abi::{self, Value};
use tierup_diagnostic::{Failure, Result};
use tierup_model::Function;
use tierup_parity::{Call, Finding, Observation, Seen, Silence};
use tierup_project::Loaded;
use tierup_report::{Exporter, Json as AsJson, Text, json::pretty, numbers::counted, printable};
use tierup_runner::CallEnding;

use crate::{
    caller::outcome,
    case::{encoded, write_arguments},
    comparison::Comparison,
    functions::words,
    report::Detail,
};

/// Number of different calls to show, and of differences of each.
const MOST_EXAMPLES: usize = 5;
const MOST_DIFFERENCES: usize = 3;
/// The largest number of calls that become cases of `check`.
const MOST_CASES: usize = 100;

/// A report on any number of processes.
#[derive(Debug, Default, Serialize)]
pub struct Inside {
    pub processes: usize,
    /// The last candidate of each process.
    pub candidates: Vec<String>,
    /// Number of processes that died during a call of the candidate.
    pub deaths: usize,
    /// The sums of the processes' counts.
    pub calls: BTreeMap<String, u64>,
    /// The sums of the counts of the comparing workers.
    pub compared: BTreeMap<String, u64>,
    /// Of the calls that differ byte by byte, the number kept, and how many of these are alike by the project's rules.
    pub kept: u64,
    pub alike_by_rules: u64,
    /// Some of the calls that differ by these rules, one per list of arguments.
    pub examples: Vec<Example>,
    pub not_shown: usize,
    /// Why the candidate would refuse arguments of a call that the control answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// Notes for people.
    pub notes: Vec<String>,
    /// The counts of each file, by its name, so that a judge can tell what is new. Here, `alike` counts the calls that
    /// differ byte by byte but are alike by the rules.
    #[serde(skip)]
    pub files: BTreeMap<String, BTreeMap<String, u64>>,
    /// Each process's counts.
    #[serde(skip)]
    pub hosts: BTreeMap<String, BTreeMap<String, u64>>,
    /// Files that were not used: they belong to another interface, or their first line cannot be read.
    #[serde(skip)]
    pub unread: BTreeSet<String>,
    /// Of all calls that differ by the rules: the size of the arguments in bytes, the function, the arguments.
    #[serde(skip)]
    different: Vec<(usize, usize, Vec<Value>)>,
}

/// A call with different answers.
#[derive(Debug, Serialize)]
pub struct Example {
    /// `slugify("…")`
    pub call: String,
    pub detail: Detail,
    /// Number of times it was kept.
    pub times: usize,
}

/// The first line of a file.
#[derive(Deserialize)]
struct First {
    abi: String,
    host: Map<String, Json>,
    #[serde(flatten)]
    counts: BTreeMap<String, u64>,
}

/// Every other line.
#[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Kept {
    function: usize,
    arguments: String,
    control: String,
    candidate: Option<String>,
    unanswered: Option<String>,
}

impl Inside {
    /// Reads evidence files. `deaths` is the number of processes that died during a call of the candidate.
    pub fn read(files: &[(String, String)], deaths: usize, loaded: &Loaded) -> Inside {
        let mut inside = Inside { deaths, ..Inside::default() };
        let hash = abi::hash_text(&loaded.project.interface);
        // A process that reconnected has several files; the last one has the highest count.
        let mut hosts: BTreeMap<String, (u64, Map<String, Json>)> = BTreeMap::new();
        let mut kept: BTreeMap<Kept, Vec<&str>> = BTreeMap::new();
        let (mut others, mut broken) = (0, 0);
        for (name, text) in files {
            let mut lines = text.lines();
            let Some(Ok(first)) = lines.next().map(serde_json::from_str::<First>) else {
                broken += 1;
                inside.unread.insert(name.clone());
                continue;
            };
            if first.abi != hash {
                others += 1;
                inside.unread.insert(name.clone());
                continue;
            }
            let mut counts = first.counts;
            if !first.host.is_empty() {
                let key = ["machine", "process", "began"].map(|name| first.host.get(name).map(Json::to_string));
                let calls = first.host.get("calls").and_then(Json::as_u64).unwrap_or_default();
                let host = hosts.entry(format!("{key:?}")).or_default();
                if host.1.is_empty() || calls > host.0 {
                    *host = (calls, first.host);
                }
            }
            let mut here = 0;
            for line in lines.filter(|line| !line.is_empty()) {
                match serde_json::from_str::<Kept>(line) {
                    Ok(call) => {
                        here += 1;
                        kept.entry(call).or_default().push(name);
                    }
                    Err(_) => broken += 1,
                }
            }
            // A call is kept at once, but counted up to a second later, so a killed process may not have counted all.
            let different = counts.entry("different".to_owned()).or_default();
            *different = here.max(*different);
            for (name, count) in &counts {
                let sum = inside.compared.entry(name.clone()).or_default();
                *sum = sum.saturating_add(*count);
            }
            counts.insert("alike".to_owned(), 0);
            inside.files.insert(name.clone(), counts);
        }
        inside.processes = hosts.len();
        for (key, (_, host)) in hosts {
            let numbers = host.iter().filter_map(|(name, value)| Some((name.clone(), value.as_u64()?)));
            inside.hosts.insert(key, numbers.collect());
            inside.add(host);
        }
        inside.judge(kept, loaded);
        if others > 0 {
            inside.notes.push(format!("{} of another interface left out", counted(others, "file")));
        }
        if broken > 0 {
            inside.notes.push(format!("{} of evidence cannot be read", counted(broken, "line")));
        }
        inside
    }

    fn add(&mut self, host: Map<String, Json>) {
        for (name, value) in host {
            match (name.as_str(), value) {
                ("process" | "began" | "machine", _) => {}
                ("refusal", Json::String(words)) => {
                    self.refusal.get_or_insert(words);
                }
                ("candidate", Json::String(candidate)) if !self.candidates.contains(&candidate) => {
                    self.candidates.push(candidate);
                }
                // Other values are the package's own.
                (_, value) => {
                    if let Some(count) = value.as_u64() {
                        let sum = self.calls.entry(name).or_default();
                        *sum = sum.saturating_add(count);
                    }
                }
            }
        }
    }

    /// Applies the project's rules.
    fn judge(&mut self, kept: BTreeMap<Kept, Vec<&str>>, loaded: &Loaded) {
        let mut comparison = Comparison::new(loaded.check.clone(), loaded.folder.clone());
        for (call, files) in kept {
            let times = files.len();
            self.kept += times as u64;
            let Some((arguments, finding)) = found(&call, loaded, &mut comparison) else {
                self.notes.push(format!("function {} of a call that was kept is not in the interface", call.function));
                continue;
            };
            let Some(detail) = Detail::from_finding(&finding) else {
                self.alike_by_rules += times as u64;
                for file in files {
                    *self.files.entry(file.to_owned()).or_default().entry("alike".to_owned()).or_default() += 1;
                }
                continue;
            };
            let interface = &loaded.project.interface;
            let function = &interface.functions[call.function];
            let size = encoded(function, interface, &arguments).len();
            match self.examples.len() {
                MOST_EXAMPLES => self.not_shown += 1,
                _ => self.examples.push(Example { call: words(function, &arguments, size), detail, times }),
            }
            self.different.push((size, call.function, arguments));
        }
        let lost = self.of_compared("different").saturating_sub(self.kept);
        if lost > 0 {
            self.notes.push(format!("{lost} more differ byte by byte, and were not kept"));
        }
    }

    /// Writes the smallest calls that differ by the rules as cases of `check`, which asks the control again: a function
    /// that is not pure differs from itself.
    ///
    /// # Errors
    /// `folder` cannot be written.
    pub fn write_cases(&self, folder: &Path, loaded: &Loaded) -> Result<()> {
        let interface = &loaded.project.interface;
        let mut smallest: Vec<_> = self.different.iter().collect();
        smallest.sort_by_key(|(size, ..)| *size);
        for (number, (_, function, arguments)) in smallest.into_iter().take(MOST_CASES).enumerate() {
            let function = &interface.functions[*function];
            write_arguments(folder, &number.to_string(), function, interface, arguments)?;
        }
        Ok(())
    }

    fn of_compared(&self, name: &str) -> u64 {
        self.compared.get(name).copied().unwrap_or_default()
    }

    fn of_calls(&self, name: &str) -> u64 {
        self.calls.get(name).copied().unwrap_or_default()
    }

    /// # Errors
    /// The candidate differs from the control, or there is nothing to compare.
    pub fn verdict(&self) -> Result<()> {
        if self.kept == 0 && self.of_compared("different") > 0 {
            return Err(Failure::no(
                "not alike byte by byte, and no call was kept to be judged by the project's rules",
            )
            .hint("`keep=values` in the control file keeps calls that differ, with all their values"));
        }
        let failures: u64 =
            ["refused", "erred", "panics", "timeouts", "lost"].map(|name| self.of_calls(name)).iter().sum();
        if !self.examples.is_empty() || failures > 0 || self.deaths > 0 {
            return Err(Failure::no("not alike: the candidate"));
        }
        if self.of_compared("compared") + self.of_calls("shared") == 0 {
            return Err(Failure::new("nothing was compared, and no call was answered by the candidate")
                .hint("`shadow` or `share` of the control file must be above 0"));
        }
        Ok(())
    }
}

/// A call's arguments and its finding; `None` if the interface has no such function.
fn found(call: &Kept, loaded: &Loaded, comparison: &mut Comparison) -> Option<(Vec<Value>, Finding)> {
    let interface = &loaded.project.interface;
    let function = interface.functions.get(call.function)?;
    let bytes = STANDARD.decode(&call.arguments).ok()?;
    let mut rest = &bytes[..];
    let arguments = function.parameters.iter().map(|one| Value::decode_prefix(&one.ty, interface, &mut rest).ok());
    let arguments = arguments.collect::<Option<Vec<_>>>()?;
    let control = observation(&STANDARD.decode(&call.control).ok()?, function, loaded);
    let candidate = match (&call.candidate, &call.unanswered) {
        (Some(answer), _) => observation(&STANDARD.decode(answer).ok()?, function, loaded),
        (None, why) => Observation::new(Seen::Nothing(Silence::CallLost(why.clone().unwrap_or_default()))),
    };
    Some((arguments, comparison.find(None, &control, &candidate)))
}

/// An answer of the byte ABI.
fn observation(answer: &[u8], function: &Function, loaded: &Loaded) -> Observation {
    let interface = &loaded.project.interface;
    let message = || answer.get(5..).map(|text| String::from_utf8_lossy(text).into_owned()).unwrap_or_default();
    let ending = match answer.first() {
        Some(0) => CallEnding::Ok(answer[1..].to_vec()),
        Some(1) => CallEnding::Error(message()),
        Some(2) => CallEnding::Panic(message()),
        Some(3) => CallEnding::Refused(message()),
        _ => CallEnding::Lost("its answer has no valid first byte".to_owned()),
    };
    Observation::new(Seen::Call(Call::new(outcome(ending, function, interface), &function.output, interface)))
}

impl Exporter<Inside> for AsJson {
    fn export(&self, inside: &Inside) -> String {
        pretty(inside)
    }
}

impl Exporter<Inside> for Text {
    fn export(&self, inside: &Inside) -> String {
        printable::laid_out(&text(inside)) + "\n"
    }
}

fn text(inside: &Inside) -> String {
    let (calls, compared) = (|name| inside.of_calls(name), |name| inside.of_compared(name));
    let several = |count: u64, word: &str| counted(usize::try_from(count).unwrap_or(usize::MAX), word);
    let mut out = vec![format!(
        "{} in {}; the candidate: {}",
        several(calls("calls"), "call"),
        counted(inside.processes, "process"),
        inside.candidates.join(", ")
    )];
    out.push(format!(
        "shadow: {} sampled, {} compared, {} alike, {} different ({}, {}, {})",
        calls("sampled"),
        compared("compared"),
        compared("alike") + inside.alike_by_rules,
        compared("different").saturating_sub(inside.alike_by_rules),
        several(compared("panics"), "panic"),
        several(compared("timeouts"), "time-out"),
        several(compared("deaths"), "death"),
    ));
    let left = calls("dropped") + compared("dropped");
    if left + calls("too_large") > 0 {
        out.push(format!("not compared: {left} while others were under way, {} too large", calls("too_large")));
    }
    if let Some(refusal) = &inside.refusal {
        let count = several(calls("refused"), "call");
        out.push(format!("{count} had arguments that the candidate refuses: {refusal}"));
    }
    if calls("shared") > 0 {
        out.push(format!(
            "share: {} for the candidate; the control answered {} of them ({}, {}, {}, {} lost)",
            several(calls("shared"), "call"),
            ["errors", "panics", "timeouts", "lost"].map(calls).iter().sum::<u64>(),
            several(calls("errors"), "error"),
            several(calls("panics"), "panic"),
            several(calls("timeouts"), "time-out"),
            calls("lost"),
        ));
    }
    if calls("control_ns") > 0 {
        out.push(format!(
            "time: the candidate took {:.2} times as long in {} of calls",
            calls("candidate_ns") as f64 / calls("control_ns") as f64,
            several(calls("pairs"), "pair"),
        ));
    }
    if calls("erred") > 0 {
        let count = several(calls("erred"), "call");
        out.push(format!("{count} ended in an error of the candidate's, where the control gave a value"));
    }
    if inside.deaths > 0 {
        out.push(format!("processes that ended in a call of the candidate: {}", inside.deaths));
    }
    for (number, example) in inside.examples.iter().enumerate() {
        let times = if example.times > 1 { format!(" ({} times)", example.times) } else { String::new() };
        out.push(format!("\n{}. {}{times}", number + 1, example.call));
        match &example.detail {
            Detail::Differences(found) => {
                let shown = found.list.iter().take(MOST_DIFFERENCES).map(|difference| format!("   {difference}"));
                out.extend(shown);
            }
            Detail::Error(why) => out.push(format!("   {why}")),
        }
    }
    if inside.not_shown > 0 {
        out.push(format!("\n{} more are not shown", inside.not_shown));
    }
    out.extend(inside.notes.iter().map(|note| format!("note: {note}")));
    out.join("\n")
}
