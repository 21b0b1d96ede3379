//! A check's options, and the questions that follow from them for a project, or for two running servers.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use tierup_codegen::quoted;
use tierup_diagnostic::{Failure, Result};
use tierup_parity::{Limits, Methods};
use tierup_project::{CheckSettings, Loaded, Source, requests, shown};
use tierup_requests::Request;
use tierup_runner::{Interrupts, Observer};
use tierup_subject::Standing;

use crate::{
    asked::LabelledServer,
    case::{self, REQUESTS, read_arguments, read_requests},
    comparison::Comparison,
    inputs::{self, Input, Origin as From, inputs},
    questions::{Hostility, Origin, Question, hostile_questions},
    report::{FORMAT, Part, Report},
    servers::Servers,
};

/// Half of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Only {
    /// Calls through every variant.
    Functions,
    /// Requests to each tier's server.
    Servers,
}

/// The options of a check.
pub struct Check {
    pub only: Option<Only>,
    /// Number of calls that are generated at random.
    pub cases: usize,
    /// Maximum number of hostile requests.
    pub hostile: usize,
    pub methods: Methods,
    pub seed: u64,
    /// Number of mismatches to show.
    pub show: usize,
    /// A requests file to use instead of the project's.
    pub requests: Option<PathBuf>,
    /// A single kept input, which replaces all others.
    pub case: Option<PathBuf>,
    /// The command line, for the report.
    pub command: String,
}

/// Two running servers.
pub struct OfAddresses {
    pub control: (String, Standing),
    pub candidate: (String, Standing),
    /// The path and query of the first address, used as the request if there is no requests file.
    pub target: String,
    pub settings: CheckSettings,
    /// The folder in which the normalizer runs.
    pub folder: PathBuf,
    /// The folder for files that repeat a mismatch.
    pub cases: PathBuf,
    /// The command line that names the two servers, without options.
    pub again: String,
}

impl Check {
    /// Compares two servers.
    ///
    /// # Errors
    /// The requests cannot be read, the control cannot be asked, or the user interrupts.
    pub fn addresses(&self, of: &OfAddresses, observer: &mut (dyn Observer + Sync)) -> Result<Report> {
        let source = match &self.requests {
            Some(file) => Source::File(file.clone()),
            None => Source::Target(of.target.clone()),
        };
        let mut notes = Vec::new();
        let questions = match &self.case {
            Some(file) => read_requests(file, observer)?,
            None => {
                let (set, _) = requests(&source, self.seed, observer)?;
                let limits = Limits { parameter: None, body: of.settings.max_body };
                self.with_hostile(set.requests, Vec::new(), &of.settings, limits, false, &mut notes)
            }
        };
        let secrets = observer.secrets();
        let interrupts = Interrupts::watch();
        let began = Instant::now();
        let mut comparison = Comparison::new(of.settings.clone(), of.folder.clone());
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
        let standing = |(label, standing): &(String, Standing)| LabelledServer {
            label: label.clone(),
            subject: Box::new(standing.clone()),
            again: String::new(),
        };
        let part = servers.compare(&standing(&of.control), &[standing(&of.candidate)], &mut comparison, observer)?;
        observer.done();
        let title = format!("{} and {}", of.control.0, of.candidate.0);
        Ok(self.report(title, vec![part], notes, began).masked(&secrets))
    }

    /// The options that send servers the same requests again.
    pub(crate) fn everything(&self) -> String {
        if let Some(file) = &self.case {
            return format!("--case {}", quoted(&shown(file)));
        }
        let requests = self.requests.iter().map(|file| format!("--requests {} ", quoted(&shown(file))));
        let methods = if self.methods == Methods::Any { "--hostile-methods " } else { "" };
        requests.chain([format!("--hostile {} {methods}--seed {}", self.hostile, self.seed)]).collect()
    }

    pub(crate) fn report(&self, title: String, parts: Vec<Part>, notes: Vec<String>, began: Instant) -> Report {
        let seconds = began.elapsed().as_secs_f64();
        let (command, seed) = (self.command.clone(), self.seed);
        Report { format: FORMAT, title, command, seed, seconds, parts, notes }
    }

    /// The questions for servers, and notes about skipped ones.
    pub(crate) fn questions(
        &self,
        loaded: &Loaded,
        observer: &mut dyn Observer,
    ) -> Result<(Vec<Question>, Vec<String>)> {
        let mut notes = Vec::new();
        if let Some(file) = &self.case {
            let questions = if is_of(file, REQUESTS) { read_requests(file, observer)? } else { Vec::new() };
            return Ok((questions, notes));
        }
        let source = match &self.requests {
            Some(file) => Source::File(file.clone()),
            None => match &loaded.bench.requests {
                Some(file) => Source::File(file.clone()),
                None => Source::Project(loaded.folder.clone()),
            },
        };
        let set = match requests(&source, self.seed, observer) {
            Ok((set, _)) => set.requests,
            // The functions can be checked without requests.
            Err(failure) if self.requests.is_none() && self.only != Some(Only::Servers) => {
                notes.push(format!("skipping the servers: {}", observer.shown(&failure)));
                return Ok((Vec::new(), notes));
            }
            Err(failure) => return Err(failure),
        };
        let mut kept = Vec::new();
        for file in inputs::files(&loaded.folder.join("corpus").join(REQUESTS)) {
            if file.extension().is_some_and(|ending| ending == "http") {
                kept.extend(read_requests(&file, observer)?);
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
        good: Vec<Request>,
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

    /// The inputs for functions.
    pub(crate) fn inputs(&self, loaded: &Loaded, questions: &[Question]) -> Result<Vec<Input>> {
        let Some(file) = &self.case else { return inputs(loaded, questions, self.cases, self.seed) };
        if is_of(file, REQUESTS) {
            return Ok(Vec::new());
        }
        let interface = &loaded.project.interface;
        let named = interface.functions.iter().position(|function| is_of(file, &function.name));
        let number = named.or((interface.functions.len() == 1).then_some(0)).ok_or_else(|| {
            Failure::usage(format!("`{}` does not show which function it belongs to", shown(file)))
                .hint("name the file's folder after the function, or `requests`")
        })?;
        let arguments = read_arguments(file, &interface.functions[number], interface)?;
        let encoded = case::encoded(&interface.functions[number], interface, &arguments);
        Ok(vec![Input { function: number, arguments, encoded, origin: From::Corpus(shown(file)) }])
    }
}

/// Whether the file's folder has this name.
fn is_of(file: &Path, name: &str) -> bool {
    file.parent().and_then(Path::file_name).is_some_and(|folder| folder == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repeating_command_has_the_options_of_the_run() {
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
