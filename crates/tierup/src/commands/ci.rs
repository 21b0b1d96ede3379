//! `tierup ci`: compares a project with itself at another commit, for a pull request.

use std::{env, path::PathBuf, sync::Arc};

use clap::Args;
use serde::Serialize;
use serde_json::json;
use tierup_bench::{
    analysis::{Analysis, Group, Sentence, Verdict, analyse},
    record::Check,
    report::RunReport,
};
use tierup_codegen::Row;
use tierup_project::FILE;
use tierup_report::{Exporter as _, Markdown, markdown::inline};
use tierup_rows::{BASE_AGAIN, Choice, Commit, HEAD};

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts,
    measure::{Bench, Method, ProjectRows},
};

/// Compare a project with itself at another commit: the answers, and what a request costs
///
/// Builds the working tree and the point where its branch parted from the other commit, asks both the same requests, and
/// measures them in turns, with the base a second time beside itself to show what this machine can tell apart. Prints a
/// comment for a pull request. Exits with 1 if answers differ or the change is slower, and with 3 if there is no verdict.
#[derive(Args)]
pub struct Arguments {
    /// The folder that holds tierup.toml
    #[arg(default_value = ".")]
    project: PathBuf,
    /// The commit to compare with: a branch, a tag, a hash [default: what GitHub's or GitLab's variables name]
    #[arg(long, value_name = "COMMIT")]
    base: Option<String>,
    /// The host whose server is measured [default: the project's first]
    #[arg(long)]
    host: Option<String>,
    /// The rows to compare, e.g. `0,3:native`
    #[arg(long, value_delimiter = ',', value_name = "TIER,…", default_value = "3")]
    tiers: Vec<Row>,
    /// Exit with 3 unless the change is shown not to be slower; also if the base has no project
    #[arg(long)]
    strict: bool,
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    method: Method,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let head = Arc::new(hosts::open(&arguments.project)?);
    let Some(revision) = arguments.base.clone().or_else(named_by_ci) else {
        return Err(Failure::usage("there is no commit to compare with").hint("name one: `tierup ci --base main`"));
    };
    let names: Vec<String> = arguments.host.iter().cloned().collect();
    let hosts = hosts::measured(&head, &names, console)?;
    let base = Commit::parted(&head, &revision, console)?;
    let nothing = |why: &str| nothing_to_compare(arguments, &base.name, why, console);
    if !base.project.join(FILE).is_file() {
        return nothing(&format!("there is no {FILE}"));
    }
    let before = match hosts::open(&base.project) {
        Ok(before) => Arc::new(before),
        Err(failure) => return nothing(&format!("the project cannot be read:\n{failure}")),
    };
    if let Err(failure) = before.asked_host(hosts[0].name()) {
        return nothing(&failure.to_string());
    }
    let rows = [before, Arc::clone(&head)].map(|loaded| ProjectRows {
        loaded,
        hosts: hosts.clone(),
        choice: Choice::These(arguments.tiers.clone()),
        reference: arguments.tiers[0].clone(),
    });
    let title = format!("{} beside {}", head.project.interface.package, base.name);
    let bench = Bench::of_commits(rows, title);
    let (record, output) = bench.measure(&arguments.method, console)?;
    if record.provenance.interrupted {
        return Err(Failure::Interrupted);
    }
    let record = record.masked(&|text| console.masked(text)).without_logs();
    let analysis = analyse(&record);
    let found = Findings::new(&analysis);
    let comment = found.comment(&RunReport::new(&record, &analysis), &base.name);
    let kept = output.add("comment.md", &comment, console);
    console.data(&if arguments.json { found.json(&base.name) } else { comment })?;
    kept?;
    found.exit(arguments.strict)
}

/// The base has no project, or a broken one, which is not the change's fault.
fn nothing_to_compare(arguments: &Arguments, base: &str, why: &str, console: &Console) -> Result<()> {
    let text = format!("There is nothing to compare with at {base}: {why}");
    if arguments.strict {
        return Err(Failure::new(text));
    }
    let json = || format!("{:#}", json!({ "base": base, "outcome": "nothing", "why": why, "rows": [] }));
    console.data(&if arguments.json { json() } else { text })
}

/// The base commit of a pull request, as the CI service names it.
fn named_by_ci() -> Option<String> {
    let named = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    named("CI_MERGE_REQUEST_DIFF_BASE_SHA")
        .or_else(|| named("GITHUB_BASE_REF").map(|branch| format!("origin/{branch}")))
}

/// The outcome of a row, in ascending order of precedence: on a noisy machine, only different answers count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    Faster,
    Same,
    CannotTell,
    /// CPU and throughput give opposite verdicts.
    Mixed,
    Slower,
    /// The base differs from itself, so the machine is too noisy.
    Unsound,
    /// The base's second run gives different answers.
    Noisy,
    Failed,
    Different,
}

impl Outcome {
    fn words(self) -> &'static str {
        match self {
            Outcome::Faster => "faster",
            Outcome::Same => "no difference",
            Outcome::CannotTell => "cannot tell",
            Outcome::Unsound => "no verdict: this machine tells the base from itself",
            Outcome::Noisy => "no verdict: the base answers differently from itself",
            Outcome::Failed => "failed",
            Outcome::Mixed => "better and worse",
            Outcome::Slower => "slower",
            Outcome::Different => "answers differ",
        }
    }
}

/// A row at both commits.
#[derive(Serialize)]
struct Finding {
    row: String,
    outcome: Outcome,
    head: String,
    #[serde(rename = "base_again")]
    again: String,
}

struct Findings(Vec<Finding>);

/// GitHub limits a comment to 65,536 characters.
const LONGEST: usize = 60_000;

impl Findings {
    fn new(analysis: &Analysis) -> Findings {
        let one = |group: &Group| {
            let of = |label: &str| group.verdicts.iter().find(|one| analysis.rows[one.row].label == label);
            let text = |one: Option<&Sentence>| one.map(|one| one.text.clone()).unwrap_or_default();
            let (head, again) = (of(HEAD), of(BASE_AGAIN));
            Finding {
                row: group.name.clone(),
                outcome: outcome(analysis, head, again),
                head: text(head),
                again: text(again),
            }
        };
        Findings(analysis.groups.iter().map(one).collect())
    }

    fn worst(&self) -> Outcome {
        self.0.iter().map(|one| one.outcome).max().unwrap_or(Outcome::Failed)
    }

    /// The comment on the pull request, in Markdown.
    fn comment(&self, run: &RunReport<'_>, base: &str) -> String {
        let mut text = format!("### tierup: {}, compared with {}\n", self.worst().words(), inline(base));
        for Finding { row, outcome, head, again } in &self.0 {
            text += &format!(
                "\n- **`{row}`: {}.** {}.\n  The same twice: {}.",
                outcome.words(),
                inline(head),
                inline(again)
            );
        }
        let report = Markdown.export(run);
        let run = format!("\n\n<details><summary>The run</summary>\n\n{}\n\n</details>\n", report.trim_end());
        if text.len() + run.len() <= LONGEST { text + &run } else { text + "\n" }
    }

    fn json(&self, base: &str) -> String {
        format!("{:#}", json!({ "base": base, "outcome": self.worst(), "rows": self.0 }))
    }

    /// The reason for the exit code.
    fn exit(&self, is_strict: bool) -> Result<()> {
        let outcome = self.worst();
        match outcome {
            Outcome::Different | Outcome::Slower | Outcome::Mixed => Err(Failure::no(outcome.words())),
            Outcome::Unsound => {
                Err(Failure::new(outcome.words()).hint("run it again, on a machine with nothing else to do"))
            }
            Outcome::Noisy => {
                Err(Failure::new(outcome.words())
                    .hint("say in [check] what is not to be compared: see docs/comparing.md"))
            }
            Outcome::Failed => {
                let failed = self.0.iter().find(|one| one.outcome == Outcome::Failed);
                Err(Failure::new(failed.map_or_else(|| "nothing was measured".to_owned(), |one| one.head.clone())))
            }
            Outcome::CannotTell if is_strict => {
                Err(Failure::new("cannot tell whether it is slower")
                    .hint("more blocks tell more: --blocks, --duration"))
            }
            Outcome::CannotTell | Outcome::Same | Outcome::Faster => Ok(()),
        }
    }
}

fn outcome(analysis: &Analysis, head: Option<&Sentence>, again: Option<&Sentence>) -> Outcome {
    let differs =
        |one: Option<&Sentence>| one.is_some_and(|one| matches!(analysis.rows[one.row].check, Check::Different { .. }));
    let is_told = |verdict| matches!(verdict, Verdict::Pays | Verdict::DoesNotPay | Verdict::Mixed);
    match (head.map(|head| head.verdict), again.map(|again| again.verdict)) {
        _ if differs(again) => Outcome::Noisy,
        _ if differs(head) => Outcome::Different,
        (None | Some(Verdict::Failed), _) | (_, None | Some(Verdict::Failed)) => Outcome::Failed,
        (_, Some(again)) if is_told(again) => Outcome::Unsound,
        (Some(Verdict::Pays), _) => Outcome::Faster,
        (Some(Verdict::DoesNotPay), _) => Outcome::Slower,
        (Some(Verdict::Mixed), _) => Outcome::Mixed,
        (Some(Verdict::NoDifference), _) => Outcome::Same,
        (Some(Verdict::CannotTell), _) => Outcome::CannotTell,
    }
}
