//! A project's check: first the questions, then the caller builds the rows, then both halves are compared.

use std::{path::PathBuf, time::Instant};

use tierup_codegen::Row;
use tierup_diagnostic::{Failure, Result};
use tierup_project::{DownstreamSettings, Loaded};
use tierup_runner::{Interrupts, Observer};
use tierup_subject::Service;

use crate::{
    asked::{HostRows, LabelledServer},
    check::{Check, Only},
    comparison::Comparison,
    functions::{Functions, KeptControls},
    inputs::Input,
    questions::Question,
    report::Report,
    servers::Servers,
};

/// The questions for a project's rows.
pub struct PlannedCheck<'a> {
    pub(crate) check: &'a Check,
    pub(crate) loaded: &'a Loaded,
    pub(crate) questions: Vec<Question>,
    pub(crate) inputs: Vec<Input>,
    /// Notes for people.
    pub(crate) notes: Vec<String>,
    pub(crate) interrupts: Interrupts,
}

impl Check {
    /// Collects the questions for a project's rows, before any row is built.
    ///
    /// # Errors
    /// The requests file, a kept input or the input of `--case` cannot be read.
    pub fn plan<'a>(&'a self, loaded: &'a Loaded, observer: &mut dyn Observer) -> Result<PlannedCheck<'a>> {
        let interrupts = Interrupts::watch();
        let (questions, notes) = self.questions(loaded, observer)?;
        let inputs = self.inputs(loaded, &questions)?;
        Ok(PlannedCheck { check: self, loaded, questions, inputs, notes, interrupts })
    }
}

impl PlannedCheck<'_> {
    /// Whether the check sends requests: then the rows of the servers must be built, with their dependencies.
    pub fn asks_servers(&self) -> bool {
        self.check.only != Some(Only::Functions) && !self.questions.is_empty()
    }

    /// Whether the check calls functions: then the program that calls them without a host must be built too.
    pub fn calls_functions(&self) -> bool {
        self.check.only != Some(Only::Servers) && !self.inputs.is_empty()
    }

    /// Compares every variant and every tier's server. `alone` is the program that calls the functions without a host; `again`
    /// is the command without options, `tierup check PROJECT`.
    ///
    /// # Errors
    /// A driver or the control cannot be asked, a case cannot be written, or the user interrupts.
    pub fn compare(
        self,
        hosts: Vec<HostRows>,
        alone: Option<PathBuf>,
        again: &str,
        observer: &(dyn Observer + Sync),
    ) -> Result<Report> {
        self.compare_all(hosts, alone, again, None, observer)
    }

    /// Compares the functions in Rust, without a host, with each host's baseline. Calls the baseline only for inputs
    /// whose answers are not kept.
    ///
    /// # Errors
    /// As [`PlannedCheck::compare`].
    pub fn compare_functions(
        self,
        hosts: Vec<HostRows>,
        alone: PathBuf,
        again: &str,
        kept: &mut KeptControls,
        observer: &(dyn Observer + Sync),
    ) -> Result<Report> {
        self.compare_all(hosts, Some(alone), again, Some(kept), observer)
    }

    fn compare_all(
        self,
        hosts: Vec<HostRows>,
        alone: Option<PathBuf>,
        again: &str,
        mut kept: Option<&mut KeptControls>,
        observer: &(dyn Observer + Sync),
    ) -> Result<Report> {
        let began = Instant::now();
        let PlannedCheck { check, loaded, questions, inputs, mut notes, interrupts } = self;
        let secrets = observer.secrets();
        let are_served = check.only != Some(Only::Functions) && !questions.is_empty();
        let mut comparison = Comparison::new(loaded.check.clone(), loaded.folder.clone());
        // A repeated case stays where it is.
        let cases = loaded.work.join(if check.case.is_some() { "check-again" } else { "check" });
        let _ = std::fs::remove_dir_all(&cases);
        let mut parts = Vec::new();
        if let Some(alone) = alone {
            let functions = Functions {
                loaded,
                inputs: &inputs,
                seed: check.seed,
                alone,
                interrupts: &interrupts,
                show: check.show,
                cases: cases.clone(),
                again: again.to_owned(),
                secrets: &secrets,
            };
            let rust = functions.alone(observer)?;
            for one in &hosts {
                if kept.is_none()
                    && let Some(why) = not_called(one.host, &one.called, &one.left_out)
                {
                    notes.push(why);
                    continue;
                }
                let mut part = functions.compare(one, &rust, &mut comparison, kept.as_deref_mut(), observer)?;
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
                show: check.show,
                cases,
                again: again.to_owned(),
                everything: format!("--only servers {}", check.everything()),
            };
            let left_out = hosts.iter().flat_map(|one| one.left_out.iter().cloned()).collect();
            let mut asked = hosts.into_iter().flat_map(|one| one.served);
            let control = asked.next();
            let others: Vec<LabelledServer> = asked.collect();
            match control {
                Some(control) if others.is_empty() => {
                    notes.push(format!("only {} is available, so there is nothing to compare", control.label));
                }
                Some(control) => {
                    let mut part = servers.compare(&control, &others, &mut comparison, observer)?;
                    part.left_out = left_out;
                    parts.push(part);
                }
                None if check.only == Some(Only::Servers) => {
                    return Err(Failure::usage("no host of tierup.toml has `start`, so there is no server to ask"));
                }
                None => notes.push("skipping the servers: no host of tierup.toml has `start`".to_owned()),
            }
        }
        observer.done();
        let title = loaded.project.interface.package.clone();
        Ok(check.report(title, parts, notes, began).masked(&secrets))
    }
}

/// Why no function of a host is called, in words.
fn not_called(host: &str, called: &[Row], left_out: &[(String, String)]) -> Option<String> {
    if called.iter().any(|row| *row != Row::Baseline(None)) {
        return None;
    }
    let why = format!("functions of {host} are not called: there is no row to compare with tier 0");
    Some(left_out.iter().fold(why, |why, (row, reason)| format!("{why}; {row}: {reason}")))
}

/// A stand-in for the service that the project's server calls, by `[downstream]` in tierup.toml.
pub fn service(settings: &DownstreamSettings) -> Service {
    Service {
        variable: settings.env.clone(),
        status: settings.status,
        content_type: settings.content_type.clone(),
        body: settings.body.clone(),
    }
}
