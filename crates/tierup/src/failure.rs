//! A [`Failure`] as shown on standard error: with colours if it supports them, and with the command that installs a
//! missing program.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use tierup_diagnostic::Diagnostic;
pub use tierup_diagnostic::{Exit, Failure, Result};
use tierup_rows::needs;

use crate::hosts;

/// The text for standard error, without a line end.
pub(crate) fn render(failure: &Failure, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    match failure {
        Failure::Diagnostics(problems) => {
            problems.iter().map(|problem| diagnostic(problem, &renderer)).collect::<Vec<_>>().join("\n\n")
        }
        Failure::Missing { message, program, hint, otherwise } => {
            let install = || needs::install(program, &hosts::all());
            plain(message, &[], hint.clone().or_else(install).or_else(|| otherwise.clone()).as_deref(), &renderer)
        }
        Failure::Plain { message, output, hint, .. } => plain(message, output, hint.as_deref(), &renderer),
        Failure::Interrupted => "interrupted".to_owned(),
        Failure::Unread => String::new(),
    }
}

fn plain(message: &str, output: &[String], hint: Option<&str>, renderer: &Renderer) -> String {
    let mut lines = vec![renderer.render(&[Group::with_title(Level::ERROR.primary_title(message))])];
    lines.extend(output.iter().map(|line| format!("  {line}")));
    lines.extend(hint.map(|hint| format!("hint: {hint}")));
    lines.join("\n")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_shown_with_its_install_command() {
        let missing = |program: &str| {
            let failure = Failure::from(tierup_runner::Error::Missing { program: program.to_owned() });
            render(&failure.or_hint(|| "it builds the server".to_owned()), false)
        };
        let known = missing("rustc");
        assert!(known.starts_with("error: the program `rustc` was not found\nhint: get it with: curl"), "{known}");
        assert_eq!(missing("make"), "error: the program `make` was not found\nhint: it builds the server");
    }

    #[test]
    fn without_colours_the_text_equals_display() {
        let failure = Failure::new("the `a` failed: b\u{e9}c").output(vec!["error: d".to_owned()]).hint("e");
        assert_eq!(render(&failure, false), failure.to_string());
    }
}
