//! A brief: one page with all that is known about a function, for whoever writes its port.
//!
//! In: a project, one of its functions, and the source of its baselines. Out: Markdown without secrets. Nothing is built
//! or called: the calls are those of the project's requests and corpus, and the golden call.

mod rules;
mod signature;
mod sizes;

use std::path::PathBuf;

use serde_json::Value as Json;
use tierup_codegen::{Health, Host, abi::Value};
use tierup_diagnostic::Result;
use tierup_model::{Function, Type};
use tierup_parity::{Methods, edges};
use tierup_project::{FILE, Loaded, relative};
use tierup_report::markdown::{code, code_in_table, document, inline, list, source, texts};
use tierup_runner::Observer;

use crate::{
    check::{Check, Only},
    cut::cut,
    inputs::Input,
    shown_value::Hiding,
};

/// What a brief is about.
pub struct BriefOrder {
    /// Index into the interface's functions.
    pub function: usize,
    /// The host whose baselines are shown.
    pub host: &'static dyn Host,
    pub baselines: Vec<BaselineSource>,
    /// A requests file to use instead of the project's.
    pub requests: Option<PathBuf>,
}

/// The present code of a row.
pub struct BaselineSource {
    /// The row: `0`, `0:tuned`.
    pub row: String,
    /// Its name in `[host.NAME.baseline]`.
    pub name: String,
    /// Its file, relative to the project, and the file's text; `None` if it was not found.
    pub file: Option<(String, String)>,
}

/// Number of calls to show.
const MOST_CALLS: usize = 10;
/// Number of edge values to show for a parameter.
const MOST_EDGES: usize = 24;
/// Maximum length of a call and of an edge value, in characters.
const LONGEST_CALL: usize = 600;
const LONGEST_EDGE: usize = 48;
/// Maximum number of lines of a baseline.
const MOST_LINES: usize = 800;

/// Writes the page.
///
/// # Errors
/// The requests or the corpus cannot be read.
pub fn brief(loaded: &Loaded, order: &BriefOrder, observer: &mut dyn Observer) -> Result<String> {
    let check = Check {
        only: Some(Only::Functions),
        cases: 0,
        hostile: 0,
        methods: Methods::Safe,
        seed: 0,
        show: 0,
        requests: order.requests.clone(),
        case: None,
        command: String::new(),
    };
    if let Some(golden) = &loaded.golden {
        observer.hide(std::slice::from_ref(&golden.request));
    }
    let (questions, notes) = check.questions(loaded, observer)?;
    notes.iter().for_each(|note| observer.note(note));
    let mut inputs = check.inputs(loaded, &questions)?;
    inputs.retain(|input| input.function == order.function && !input.origin.is_generated());
    let secrets = observer.secrets();
    let page = Page {
        loaded,
        order,
        function: &loaded.project.interface.functions[order.function],
        seen: &inputs,
        hiding: Hiding::as_evidence(&secrets, &loaded.rollout.hide),
    };
    // Source and docs may have a known secret, too.
    Ok(secrets.mask(&page.text()).into_owned())
}

struct Page<'a> {
    loaded: &'a Loaded,
    order: &'a BriefOrder,
    function: &'a Function,
    /// The calls of requests and corpus.
    seen: &'a [Input],
    hiding: Hiding<'a>,
}

impl Page<'_> {
    fn text(&self) -> String {
        let mut parts = vec![
            format!("# A port of {} to Rust", code(&self.function.name)),
            "This page has what is known about the function. The port is right if it answers each call as the present \
             code does; the commands at the end prove it. Secrets are masked."
                .to_owned(),
        ];
        parts.extend(self.signature());
        parts.extend(self.baselines());
        parts.extend(self.arguments());
        parts.extend(self.calls());
        parts.extend(self.edges());
        parts.push("## When two answers are alike".to_owned());
        parts.push(list(rules::rules(&self.loaded.check.policy).into_iter()));
        parts.extend(self.commands());
        document(&parts)
    }

    fn signature(&self) -> Vec<String> {
        let interface = &self.loaded.project.interface;
        let folder = relative(&self.loaded.folder, &self.loaded.project.crate_folder);
        let folder = if folder.is_empty() { "the folder of tierup.toml".to_owned() } else { code(&folder) };
        let path = self.function.path.trim_start_matches("::");
        let mut parts = vec![
            "## The function to write".to_owned(),
            format!(
                "It is {} in the crate in {folder}. Its name, its arguments and its types stay as they are; it is plain \
                 Rust, without attributes for other languages.",
                code(path)
            ),
            source("rust", &signature::declarations(self.function, interface)),
        ];
        if self.function.output.fallible {
            parts.push("The error may be any type with `Display`.".to_owned());
        }
        if self.loaded.project.pure.contains(&self.order.function) {
            parts.push("It is pure: the same arguments have the same answer, and a call has no effects.".to_owned());
        }
        parts
    }

    fn baselines(&self) -> Vec<String> {
        let title = self.order.host.title();
        let mut parts = vec!["## What it does today".to_owned()];
        if self.order.baselines.is_empty() {
            parts.push(format!("{FILE} names no present code for {}.", inline(title)));
        }
        for baseline in &self.order.baselines {
            let what = format!("Row {} in {}, {}", code(&baseline.row), inline(title), code(&baseline.name));
            let Some((file, text)) = &baseline.file else {
                parts.push(format!("{what}: its source was not found; ask its owner for it."));
                continue;
            };
            parts.push(format!("{what}, is in {}. It may use other files of its server.", code(file)));
            let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
            let ending = file.rsplit('.').next().unwrap_or_default();
            parts.push(source(ending, &lines.join("\n")));
            let more = text.lines().count() - lines.len();
            if more > 0 {
                parts.push(format!("{more} more lines are in the file."));
            }
        }
        parts
    }

    fn arguments(&self) -> Vec<String> {
        let interface = &self.loaded.project.interface;
        let title = "## Arguments that were seen".to_owned();
        if self.seen.is_empty() {
            return vec![title, "No request, no file of the corpus and no golden call reaches it.".to_owned()];
        }
        let calls: Vec<&[Value]> = self.seen.iter().map(|input| &input.arguments[..]).collect();
        let places = sizes::sizes(&calls, self.function, interface, |name| self.hiding.hides(name));
        let rows = places.into_iter().map(|place| {
            let [least, median, most] = place.sizes.unwrap_or_default();
            let cells =
                vec![place.what.to_owned(), place.values.to_string(), least, median, most, place.never.join(", ")];
            (code_in_table(&place.at), cells)
        });
        let words = format!(
            "{} different calls are in the requests, the corpus and the golden call. `[]` stands for the items of a list, \
             `{{}}` for the values of a map. tierup also makes calls with shapes that were never seen.",
            calls.len()
        );
        let head = ["type", "values", "least", "median", "largest", "never seen"].map(str::to_owned);
        vec![title, words, texts(&head, rows)]
    }

    fn calls(&self) -> Vec<String> {
        let mut parts = vec!["## Golden calls".to_owned()];
        if let Some(health) = self.loaded.project.health.as_ref().filter(|it| it.function == self.order.function) {
            parts.extend(self.golden(health));
        }
        let mut smallest: Vec<&Input> = self.seen.iter().collect();
        smallest.sort_by_key(|input| input.encoded.len());
        let shown: Vec<String> = smallest.iter().take(MOST_CALLS).map(|input| self.call(&input.arguments)).collect();
        if !shown.is_empty() {
            parts.push(
                "The smallest calls that were seen, as JSON; the present code has their answers. Bytes are a text, or \
                 `hex:` and digits."
                    .to_owned(),
            );
            parts.push(source("text", &shown.join("\n")));
        }
        if parts.len() == 1 {
            parts.push("None is known.".to_owned());
        }
        parts
    }

    fn golden(&self, health: &Health) -> Vec<String> {
        let interface = &self.loaded.project.interface;
        let mut rest = &health.arguments[..];
        let values = self.function.parameters.iter().map(|one| Value::decode_prefix(&one.ty, interface, &mut rest));
        let Ok(values) = values.collect::<std::result::Result<Vec<_>, _>>() else { return Vec::new() };
        let of = match &self.function.output.ty {
            Some(Type::Text | Type::Bytes) => "its answer",
            _ => "the byte encoding of its answer",
        };
        let hashes: Vec<String> = health.sha256.iter().map(|hash| code(hash)).collect();
        vec![
            "The golden call, which every deployment makes before it serves:".to_owned(),
            source("text", &self.call(&values)),
            format!("The SHA-256 of {of} must be {}.", hashes.join(" or ")),
        ]
    }

    /// `render("…", 3)`, with values as JSON.
    fn call(&self, arguments: &[Value]) -> String {
        let values = self.hiding.arguments(arguments, self.function, &self.loaded.project.interface);
        let values: Vec<String> = values.iter().map(Json::to_string).collect();
        cut(&format!("{}({})", self.function.name, values.join(", ")), LONGEST_CALL)
    }

    fn edges(&self) -> Vec<String> {
        let interface = &self.loaded.project.interface;
        let row = |parameter: &tierup_model::Parameter| {
            let all = edges(&parameter.ty, interface);
            let shown = all.iter().take(MOST_EDGES).map(|value| {
                code_in_table(&cut(&self.hiding.value(value, &parameter.ty, interface).to_string(), LONGEST_EDGE))
            });
            let more = all.len().saturating_sub(MOST_EDGES);
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            (code_in_table(&parameter.name), vec![shown.collect::<Vec<_>>().join(", ") + &more])
        };
        if self.function.parameters.is_empty() {
            return Vec::new();
        }
        vec![
            "## Edge values".to_owned(),
            "tierup calls the function with these values, one argument at a time, and with random ones.".to_owned(),
            texts(&["values".to_owned()], self.function.parameters.iter().map(row)),
        ]
    }

    fn commands(&self) -> Vec<String> {
        let host = self.order.host.name();
        let mut lines = vec![
            format!("tierup check --only functions --hosts {host} --watch   # after each save, while you write"),
            format!("tierup check --only functions --hosts {host} --json    # counterexamples for a program"),
            format!("tierup check --hosts {host}                            # everything, servers too"),
        ];
        if self.loaded.project.health.is_some() {
            lines.push("tierup health                                        # the golden call".to_owned());
        }
        lines.push(format!("tierup bench --hosts {host}                            # what the port is worth"));
        vec![
            "## Commands that prove it".to_owned(),
            format!("In the folder of {FILE}:"),
            source("sh", &lines.join("\n")),
            "The port is right when `tierup check` ends with exit code 0. A mismatch is shown with the smallest arguments \
             at which the answers differ, and with the command that repeats it."
                .to_owned(),
        ]
    }
}
