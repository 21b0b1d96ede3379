//! Whether all tiers answer alike: the same calls through every variant, the same requests to every tier's server.
//!
//! In: a project, or two addresses. Out: a [`Report`](report::Report). What counts as alike is `tierup-parity`'s to say.

mod caller;
mod case;
mod effects;
mod found;
mod functions;
mod headers;
mod inputs;
mod kept;
mod least;
mod masked;
mod matrix;
mod questions;
pub(crate) mod report;
mod rows;
mod servers;
mod statuses;
mod text;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use clap::ValueEnum;
use tierup_codegen::{Host, Row};
use tierup_parity::{Limits, Methods};
use tierup_runner::{Interrupts, Observer as _};
use tierup_subject::{Standing, Started};

use self::{
    case::{REQUESTS, read_arguments, read_requests},
    functions::Functions,
    inputs::{Input, Origin as From, inputs},
    matrix::Rules,
    questions::{Hostility, Origin, Question, hostile_questions},
    report::Report,
    rows::{HostRows, host_rows, not_called},
    servers::{Asked, Servers},
};
pub(crate) use self::{
    kept::keep,
    text::{statuses as statuses_text, text},
};
use crate::{
    build::{build_alone, hold},
    console::Console,
    failure::{Failure, Result},
    measure::{Choice, Meanings, Source, quoted, requests},
    project::{CheckSettings, Loaded, shown},
    rows as project_rows,
    service::service,
};

/// How long a server may take to end before it is killed.
const GRACE: Duration = Duration::from_secs(5);

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    /// Calls through every variant
    Functions,
    /// Requests to every tier's server
    Servers,
}

/// How to check.
pub(crate) struct Check {
    pub(crate) only: Option<Only>,
    pub(crate) cases: usize,
    pub(crate) hostile: usize,
    pub(crate) methods: Methods,
    pub(crate) seed: u64,
    pub(crate) show: usize,
    /// A requests file that stands in for the project's.
    pub(crate) requests: Option<PathBuf>,
    /// One kept input, and nothing else.
    pub(crate) case: Option<PathBuf>,
    /// What was typed.
    pub(crate) command: String,
}

/// Of a project.
pub(crate) struct OfProject {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) hosts: Vec<&'static dyn Host>,
    pub(crate) choice: Choice,
    /// `tierup check PROJECT`.
    pub(crate) again: String,
}

/// Of two servers that run already.
pub(crate) struct OfAddresses {
    pub(crate) control: (String, Standing),
    pub(crate) candidate: (String, Standing),
    /// The path and query of the first address: asked where there is no requests file.
    pub(crate) target: String,
    pub(crate) settings: CheckSettings,
    /// Where the normalizer runs, and where what repeats a mismatch is written.
    pub(crate) folder: PathBuf,
    pub(crate) cases: PathBuf,
    pub(crate) again: String,
}

impl Check {
    /// Compares every variant and every tier's server of a project.
    pub(crate) fn project(&self, of: &OfProject, console: &mut Console) -> Result<Report> {
        let OfProject { loaded, hosts, choice, again } = of;
        let interrupts = Interrupts::watch();
        let (questions, mut notes) = self.questions(loaded, console)?;
        let secrets = console.secrets().clone();
        let inputs = self.inputs(loaded, &questions)?;
        let are_served = self.only != Some(Only::Functions) && !questions.is_empty();
        let rows = host_rows(loaded, hosts, choice, are_served, console)?;
        let calls = self.only != Some(Only::Servers) && !inputs.is_empty();
        let alone = calls.then(|| build_alone(loaded, console)).transpose()?;
        // All rows are asked as they were built: whoever builds meanwhile waits.
        let _held = hold(loaded, console)?;
        let began = Instant::now();
        let mut rules = Rules { check: &loaded.check, meanings: Meanings::new(&loaded.check, loaded.folder.clone()) };
        // A case that is asked again stays where it is.
        let cases = loaded.work.join(if self.case.is_some() { "check-again" } else { "check" });
        let _ = std::fs::remove_dir_all(&cases);
        let mut parts = Vec::new();
        if let Some(alone) = alone {
            let functions = Functions {
                loaded,
                inputs: &inputs,
                seed: self.seed,
                alone,
                interrupts: &interrupts,
                show: self.show,
                cases: cases.clone(),
                again: again.clone(),
            };
            let rust = functions.alone(console)?;
            for one in &rows {
                let called = one.called();
                if let Some(why) = not_called(one.host.name(), &called, &one.left_out) {
                    notes.push(why);
                    continue;
                }
                let (_, driver) = one.host.driver(&loaded.project, one.settings);
                let mut part = functions.compare(one.host, driver, &called, &rust, &mut rules, console)?;
                part.left_out.clone_from(&one.left_out);
                parts.push(part);
            }
        }
        if are_served {
            let servers = Servers {
                questions: &questions,
                service: loaded.downstream.as_ref().map(service),
                interrupts: &interrupts,
                secrets: &secrets,
                show: self.show,
                cases,
                again: again.clone(),
                everything: format!("--only servers {}", self.everything()),
            };
            let mut asked = rows.iter().flat_map(|one| one.served().into_iter().map(|row| asked(loaded, one, row)));
            let control = asked.next().ok_or_else(|| Failure::new("there is no server to compare with"))?;
            let others: Vec<Asked> = asked.collect();
            if others.is_empty() {
                notes.push(format!("only {} is available, so there is nothing to compare", control.label));
            } else {
                let mut part = servers.compare(&control, &others, &mut rules, console)?;
                part.left_out = rows.iter().flat_map(|one| one.left_out.iter().cloned()).collect();
                parts.push(part);
            }
        }
        console.done();
        let title = loaded.project.interface.package.clone();
        Ok(self.report(title, parts, notes, began).masked(&secrets))
    }

    /// Compares two servers.
    pub(crate) fn addresses(&self, of: &OfAddresses, console: &mut Console) -> Result<Report> {
        let source = match &self.requests {
            Some(file) => Source::File(file.clone()),
            None => Source::Target(of.target.clone()),
        };
        let mut notes = Vec::new();
        let questions = match &self.case {
            Some(file) => read_requests(file, console)?,
            None => {
                let (set, _) = requests(&source, self.seed, console)?;
                let limits = Limits { parameter: None, body: of.settings.max_body };
                self.with_hostile(set.requests, Vec::new(), &of.settings, limits, false, &mut notes)
            }
        };
        let secrets = console.secrets().clone();
        let interrupts = Interrupts::watch();
        let began = Instant::now();
        let mut rules = Rules { check: &of.settings, meanings: Meanings::new(&of.settings, of.folder.clone()) };
        let servers = Servers {
            questions: &questions,
            service: None,
            interrupts: &interrupts,
            secrets: &secrets,
            show: self.show,
            cases: of.cases.clone(),
            again: of.again.clone(),
            everything: self.everything(),
        };
        let standing = |(label, standing): &(String, Standing)| Asked {
            label: label.clone(),
            subject: Box::new(standing.clone()),
            again: String::new(),
        };
        let part = servers.compare(&standing(&of.control), &[standing(&of.candidate)], &mut rules, console)?;
        console.done();
        let title = format!("{} and {}", of.control.0, of.candidate.0);
        Ok(self.report(title, vec![part], notes, began).masked(&secrets))
    }

    /// What of the command line asks servers the same again.
    fn everything(&self) -> String {
        if let Some(file) = &self.case {
            return format!("--case {}", quoted(&shown(file)));
        }
        let requests = self.requests.iter().map(|file| format!("--requests {} ", quoted(&shown(file))));
        let methods = if self.methods == Methods::Any { "--hostile-methods " } else { "" };
        requests.chain([format!("--hostile {} {methods}--seed {}", self.hostile, self.seed)]).collect()
    }

    fn report(&self, title: String, parts: Vec<report::Part>, notes: Vec<String>, began: Instant) -> Report {
        let seconds = began.elapsed().as_secs_f64();
        Report { title, command: self.command.clone(), seed: self.seed, seconds, parts, notes }
    }

    /// What the servers are asked; and what was left out, for people.
    fn questions(&self, loaded: &Loaded, console: &mut Console) -> Result<(Vec<Question>, Vec<String>)> {
        let mut notes = Vec::new();
        if let Some(file) = &self.case {
            let questions = if is_of(file, REQUESTS) { read_requests(file, console)? } else { Vec::new() };
            return Ok((questions, notes));
        }
        let source = match &self.requests {
            Some(file) => Source::File(file.clone()),
            None => Source::Project(loaded.folder.clone()),
        };
        let set = match requests(&source, self.seed, console) {
            Ok((set, _)) => set.requests,
            // The functions can be checked without.
            Err(failure) if self.requests.is_none() && self.only != Some(Only::Servers) => {
                notes.push(format!("skipping the servers: {}", console.shown(&failure)));
                return Ok((Vec::new(), notes));
            }
            Err(failure) => return Err(failure),
        };
        let mut kept = Vec::new();
        for file in inputs::files(&loaded.folder.join("corpus").join(REQUESTS)) {
            if file.extension().is_some_and(|ending| ending == "http") {
                kept.extend(read_requests(&file, console)?);
            }
        }
        let longest = loaded.project.routes.iter().flat_map(|route| &route.max_bytes).map(|(_, most)| *most).max();
        let limits =
            Limits { parameter: longest.and_then(|most| usize::try_from(most).ok()), body: loaded.check.max_body };
        let questions = self.with_hostile(set, kept, &loaded.check, limits, loaded.downstream.is_some(), &mut notes);
        Ok((questions, notes))
    }

    fn with_hostile(
        &self,
        good: Vec<tierup_requests::Request>,
        kept: Vec<Question>,
        settings: &CheckSettings,
        limits: Limits,
        has_downstream: bool,
        notes: &mut Vec<String>,
    ) -> Vec<Question> {
        let skip = settings.skip.clone();
        let hostility =
            Hostility { most: self.hostile, limits, methods: self.methods, seed: self.seed, has_downstream, skip };
        let hostile = if self.hostile == 0 { Vec::new() } else { hostile_questions(&good, &hostility) };
        if !settings.skip.is_empty() && self.hostile > 0 {
            notes.push(format!("hostile requests skipped by [check]: {}", settings.skip.join(", ")));
        }
        let good = good.into_iter().map(|request| Question::good(request, Origin::File));
        good.chain(kept).chain(hostile).collect()
    }

    /// What the functions are called with.
    fn inputs(&self, loaded: &Loaded, questions: &[Question]) -> Result<Vec<Input>> {
        let Some(file) = &self.case else { return inputs(loaded, questions, self.cases, self.seed) };
        if is_of(file, REQUESTS) {
            return Ok(Vec::new());
        }
        let interface = &loaded.project.interface;
        let named = interface.functions.iter().position(|function| is_of(file, &function.name));
        let number = named.or((interface.functions.len() == 1).then_some(0)).ok_or_else(|| {
            Failure::new(format!("`{}` does not show which function it belongs to", shown(file)))
                .hint("name the file's folder after the function, or `requests`".to_owned())
        })?;
        let arguments = read_arguments(file, &interface.functions[number], interface)?;
        let encoded = case::encoded(&interface.functions[number], interface, &arguments);
        Ok(vec![Input { function: number, arguments, encoded, origin: From::Corpus(shown(file)) }])
    }
}

/// Whether a file lies in a folder of this name.
fn is_of(file: &Path, name: &str) -> bool {
    file.parent().and_then(Path::file_name).is_some_and(|folder| folder == name)
}

fn asked(loaded: &Arc<Loaded>, rows: &HostRows<'_>, row: Row) -> Asked {
    let (owned, settings) = (Arc::clone(loaded), rows.settings.clone());
    let label = format!("{} {row}", rows.host.name());
    let again = format!("--hosts {} --tiers {row}", rows.host.name());
    let host = rows.host;
    let command =
        move |port| project_rows::command(&owned, host, &settings, &row, port).map_err(|failure| failure.to_string());
    Asked { label, subject: Box::new(Started::new(command, loaded.folder.clone(), GRACE)), again }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_asks_again_carries_what_was_asked_with() {
        let check = |requests: Option<&str>, case: Option<&str>| Check {
            only: None,
            cases: 0,
            hostile: 40,
            methods: Methods::Safe,
            seed: 7,
            show: 5,
            requests: requests.map(PathBuf::from),
            case: case.map(PathBuf::from),
            command: String::new(),
        };
        assert_eq!(check(None, None).everything(), "--hostile 40 --seed 7");
        assert_eq!(check(Some("/a.http"), None).everything(), "--requests /a.http --hostile 40 --seed 7");
        assert_eq!(check(None, Some("/requests/1.http")).everything(), "--case /requests/1.http");
    }
}
