//! The next command after a profile. In: how the profile was taken, and its ranking. Out: a command line for a shell.

use std::path::Path;

use tierup_profile::{Function, Ranking, Verdict};
use tierup_project::FILE;
use tierup_rows::OnDisk;
use tierup_signature::of_declared;

use super::{
    super::starter::argument,
    Arguments,
    taking::{
        observing::can_be_watched,
        places::{has_name, name_of},
    },
};
use crate::{hosts, measure::quoted, sources::Sources};

/// A command that makes a project for the first candidate, or measures the existing project.
pub(super) fn command(arguments: &Arguments, ranking: &Ranking) -> Option<String> {
    let Verdict::Candidate(candidate, _) = ranking.verdict() else { return None };
    let folder = arguments.project();
    if !arguments.taking.has_server()
        && let Some(folder) = folder.filter(|folder| folder.join(FILE).exists())
    {
        return Some(format!("tierup ceiling{}", argument(folder)));
    }
    if !can_be_watched(ranking) && !is_declared(ranking, candidate) {
        // A project in which the user names the function.
        let host = ranking.host.as_deref().filter(|_| arguments.taking.starts_a_command())?;
        return Some(format!("tierup init --host {host}"));
    }
    let mut words = vec!["tierup init --function".to_owned(), word(&place(ranking, candidate)?)];
    match &arguments.host {
        Some(host) => words.extend(["--host".to_owned(), word(host)]),
        // `--command` implies the host.
        None if !arguments.taking.has_server() => {
            words.extend(ranking.host.iter().flat_map(|host| ["--host".to_owned(), word(host)]));
        }
        None => {}
    }
    words.extend(
        arguments.taking.words().into_iter().map(|text| if text.starts_with("--") { text } else { word(&text) }),
    );
    Some(words.join(" "))
}

/// Whether a function's types can be read from its source, and can cross.
fn is_declared(ranking: &Ranking, function: &Function) -> bool {
    let here = std::env::current_dir().unwrap_or_default();
    let host = ranking.host.as_deref().and_then(hosts::find);
    let name = name_of(&function.frame);
    let declared = |file: String| Sources::new(host?, &here).declared(&here.join(file).canonicalize().ok()?, name);
    let declared = file(ranking, function, &here).and_then(declared).and_then(Result::ok);
    declared.is_some_and(|declared| of_declared(name, &declared).is_ok())
}

/// For example `basket.js:price`. `None` if the function has no name of its own.
fn place(ranking: &Ranking, function: &Function) -> Option<String> {
    let host = ranking.host.as_deref().and_then(hosts::find);
    if host.is_some_and(|host| !has_name(host, &function.frame)) {
        return None;
    }
    let here = std::env::current_dir().unwrap_or_default();
    Some(format!("{}:{}", file(ranking, function, &here)?, name_of(&function.frame)))
}

/// The file that declares a function, relative to this folder if both are in the same repository.
fn file(ranking: &Ranking, function: &Function, here: &Path) -> Option<String> {
    let frame = &function.frame;
    let host = ranking.host.as_deref().and_then(hosts::find);
    if frame.file.is_empty() {
        return host?.source_of(&OnDisk(here), &frame.function);
    }
    let file = Path::new(&frame.file);
    if let Ok(below) = file.strip_prefix(here) {
        return Some(below.display().to_string());
    }
    let real = file.canonicalize().ok();
    let within = real.and_then(|real| Sources::new(host?, here).within(&real));
    Some(within.unwrap_or_else(|| file.display().to_string()))
}

fn word(text: &str) -> String {
    quoted(text)
}
