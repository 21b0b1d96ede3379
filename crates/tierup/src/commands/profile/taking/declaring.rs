//! Checks the functions of a profile by their source alone: reads declared types, recognises closures and handlers.
//! In: the server's folder and the ranking. Out: for each function whose source tells enough, whether it can move.

use std::path::Path;

use tierup_codegen::{Declared, Host};
use tierup_profile::{Frame, FrameId, Observed, Ranking};
use tierup_signature::of_declared;

use super::places::{LEAST, file, name_of};
use crate::sources::Sources;

/// Runs nothing, and counts no calls. Skips a function whose declaration cannot be read.
pub(super) fn declared(host: &'static dyn Host, folder: &Path, ranking: &Ranking) -> Vec<(FrameId, Observed)> {
    let hot = ranking.candidates().filter(|function| function.owned.value >= LEAST);
    hot.filter_map(|function| {
        let problems = problems(host, folder, &function.frame)?;
        Some((function.id, Observed { calls: None, problems: Some(problems) }))
    })
    .collect()
}

/// The reasons why a function cannot move as it is, by its declaration.
fn problems(host: &'static dyn Host, folder: &Path, frame: &Frame) -> Option<Vec<String>> {
    let name = name_of(frame);
    let sources = Sources::new(host, folder);
    let declared = file(host, folder, frame).and_then(|file| sources.declared(&file, name)?.ok());
    // If a declaration leaves types open, the function is watched instead. The line excludes a method of the same name.
    let is_it = |declared: &Declared| declared.watched.is_none() && [0, declared.line].contains(&frame.line);
    match declared.filter(is_it) {
        Some(declared) => Some(of_declared(name, &declared).err().unwrap_or_default()),
        None if host.is_closure(&frame.function) => {
            Some(vec!["it is a function without a name: give it one".to_owned()])
        }
        None if frame.function.starts_with('(') => {
            let why = sources.handles(&file(host, folder, frame)?, frame.line)?;
            Some(vec![why])
        }
        None => None,
    }
}
