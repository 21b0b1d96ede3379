//! The terminal: progress and notes on standard error, data on standard output.

use std::{
    collections::BTreeSet,
    ffi::OsString,
    io::{ErrorKind, IsTerminal, Write, stderr, stdout},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use clap::ColorChoice;
use indicatif::{ProgressBar, ProgressStyle};
use tierup_requests::{Request, Secrets};
use tierup_runner::{Observer, Progress};

use crate::failure::{Failure, Result, render};

/// Standard output and standard error, with a progress bar on a terminal.
pub struct Console {
    color: bool,
    quiet: bool,
    bar: Option<ProgressBar>,
    /// Secrets to mask in all output.
    secrets: Secrets,
    /// The lines that [`Observer::note_once`] has shown.
    said: Mutex<BTreeSet<String>>,
}

impl Console {
    /// Colours as requested; `quiet` shows only errors.
    pub fn new(color: ColorChoice, quiet: bool) -> Console {
        let color = match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => stderr().is_terminal() && !is_request(std::env::var_os("NO_COLOR")),
        };
        let bar = (!quiet && stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{spinner} {prefix} {wide_msg:.dim}");
            ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        });
        Console { color, quiet, bar, secrets: Secrets::default(), said: Mutex::default() }
    }

    /// The text with its secrets masked.
    pub(crate) fn masked(&self, text: &str) -> String {
        self.secrets.mask(text).into_owned()
    }

    /// Whether standard error supports colours.
    pub(crate) fn color(&self) -> bool {
        self.color
    }

    /// The width of the terminal at standard error, in columns.
    pub(crate) fn width(&self) -> Option<u16> {
        console::Term::stderr().size_checked().map(|(_, columns)| columns)
    }

    /// Prints why the command fails.
    pub fn failure(&self, failure: &Failure) {
        say(&self.masked(&render(failure, self.color)));
    }

    /// Prints text and a line feed on standard output.
    pub(crate) fn data(&self, text: &str) -> Result<()> {
        writeln!(stdout().lock(), "{text}").map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe => Failure::Unread,
            _ => Failure::because("cannot write the output", error),
        })
    }
}

/// Prints on standard error. Nobody may read it any more, such as after `2>&1 | head`: that must not end a proxy.
fn say(text: &str) {
    let _ = writeln!(stderr(), "{text}");
}

/// Whether a variable is set and not empty, as an empty one requests nothing (<https://no-color.org>).
fn is_request(value: Option<OsString>) -> bool {
    value.is_some_and(|value| !value.is_empty())
}

impl Progress for Console {
    fn started(&mut self, label: &str) {
        match &self.bar {
            Some(bar) => {
                bar.set_prefix(label.to_owned());
                bar.set_message("");
                bar.enable_steady_tick(Duration::from_millis(100));
            }
            // In a log, each step is a line.
            None => self.note(&format!("    {label}")),
        }
    }

    fn line(&mut self, line: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(line.trim().to_owned());
        }
    }

    fn finished(&mut self) {
        if let Some(bar) = &self.bar {
            bar.disable_steady_tick();
            bar.finish_and_clear();
        }
    }
}

impl Observer for Console {
    /// Prints on standard error, unless the user wants no progress.
    fn note(&self, text: &str) {
        if self.quiet {
            return;
        }
        let text = self.secrets.mask(text);
        match &self.bar {
            Some(bar) => bar.suspend(|| say(&text)),
            None => say(&text),
        }
    }

    fn note_once(&self, text: &str) {
        let is_new = self.said.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned());
        if is_new {
            self.note(text);
        }
    }

    /// Shows a status. On a terminal, it is redrawn only by the next one.
    fn status(&self, text: &str) {
        match &self.bar {
            Some(bar) => {
                bar.disable_steady_tick();
                bar.set_prefix("");
                bar.set_message(self.masked(text));
                bar.tick();
            }
            None => self.note(text),
        }
    }

    fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn hide(&mut self, requests: &[Request]) {
        self.secrets.add(requests);
    }

    fn secrets(&self) -> Secrets {
        self.secrets.clone()
    }

    fn shown(&self, failure: &Failure) -> String {
        render(failure, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_variable_requests_nothing() {
        assert!(is_request(Some("1".into())) && !is_request(Some(OsString::new())) && !is_request(None));
    }
}
