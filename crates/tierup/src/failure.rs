//! Why a command failed, for people: what happened, where, and the next step.

use std::io;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use tierup_diagnostic::Diagnostic;
use tierup_runner::Error;

use crate::needs;

pub type Result<T> = std::result::Result<T, Failure>;

/// Ends a command with exit code 1.
#[derive(Debug)]
pub enum Failure {
    /// Something is wrong with the user's texts, in these places.
    Diagnostics(Vec<Diagnostic>),
    /// Anything else.
    Plain {
        message: String,
        /// What a program that failed had to say.
        output: Vec<String>,
        /// The next step.
        hint: Option<String>,
    },
    /// The user ended it.
    Interrupted,
    /// Whoever reads our output has seen enough (`tierup hosts | head -1`): no failure at all.
    Unread,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Failure {
        Failure::Plain { message: message.into(), output: Vec::new(), hint: None }
    }

    /// Adds the next step.
    pub(crate) fn hint(self, next: String) -> Failure {
        match self {
            Failure::Plain { message, output, .. } => Failure::Plain { message, output, hint: Some(next) },
            other => other,
        }
    }

    /// As shown on standard error, without a line end behind it.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        match self {
            Failure::Diagnostics(problems) => {
                problems.iter().map(|problem| diagnostic(problem, &renderer)).collect::<Vec<_>>().join("\n\n")
            }
            Failure::Plain { message, output, hint } => {
                let mut lines =
                    vec![renderer.render(&[Group::with_title(Level::ERROR.primary_title(message.as_str()))])];
                lines.extend(output.iter().map(|line| format!("  {line}")));
                lines.extend(hint.iter().map(|hint| format!("hint: {hint}")));
                lines.join("\n")
            }
            Failure::Interrupted => "interrupted".to_owned(),
            Failure::Unread => String::new(),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let full = error.is_disk_full();
        let message = error.to_string();
        let (output, hint) = match error {
            Error::NoWasmTool { cause } => {
                let output = match *cause {
                    Error::Failed { output, .. } => relevant(&output),
                    _ => vec![],
                };
                let hint = "tierup builds them once, for 2:bindgen and 2:component, with Rust 1.95 or newer and crates from the network; run `rustup update`, check the network, or build other variants: --tiers 1,2:core,3";
                (output, Some(hint.to_owned()))
            }
            Error::Interrupted => return Failure::Interrupted,
            Error::HeldByParent { .. } => {
                let hint = "tierup builds before it starts a server: remove `tierup` from `start`, `prepare` and the scripts that they run";
                (vec![], Some(hint.to_owned()))
            }
            Error::Missing { program } => (vec![], needs::install(&program)),
            Error::Failed { output, .. } => (relevant(&output), None),
            Error::EndedEarly { output, .. } | Error::Unanswered { output, .. } => (last(&output, 20), None),
            Error::PortInUse { port } => {
                (vec![], Some(format!("choose another port with --port, or stop the program that listens on {port}")))
            }
            _ => (vec![], None),
        };
        let full = full.then(|| "free some disk space, then run the same command again".to_owned());
        Failure::Plain { message, output, hint: full.or(hint) }
    }
}

/// Standard output's own errors.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Unread,
            _ => Failure::new(format!("cannot write the output: {error}")),
        }
    }
}

/// The part of a build's output that says what is wrong: from its first error on.
fn relevant(output: &[String]) -> Vec<String> {
    const MOST: usize = 60;
    let first = output.iter().position(|line| line.starts_with("error"));
    let Some(first) = first else { return last(output, 20) };
    let errors = &output[first..];
    let mut shown = errors[..errors.len().min(MOST)].to_vec();
    if errors.len() > MOST {
        shown.push(format!("… and {} more lines", errors.len() - MOST));
    }
    shown
}

fn last(output: &[String], count: usize) -> Vec<String> {
    output[output.len().saturating_sub(count)..].to_vec()
}

fn diagnostic(problem: &Diagnostic, renderer: &Renderer) -> String {
    let title = Level::ERROR.primary_title(problem.message.as_str());
    let group = match &problem.place {
        Some(place) => {
            let mut annotation = AnnotationKind::Primary.span(place.range.clone());
            if let Some(label) = &problem.label {
                annotation = annotation.label(label.as_str());
            }
            let snippet = Snippet::source(place.source_line.as_str()).line_start(place.line).path(place.file.as_str());
            title.element(snippet.annotation(annotation))
        }
        None => Group::with_title(title),
    };
    let mut text = renderer.render(&[group]);
    if let Some(hint) = &problem.hint {
        text.push_str(&format!("\nhint: {hint}"));
    }
    text
}
