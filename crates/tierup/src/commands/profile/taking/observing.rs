//! Watches the first candidates of a profile in single requests, after the load. In: the server and the ranking. Out:
//! for each that was called, the number of calls, and whether its arguments and answers can cross to Rust.

use std::{collections::BTreeMap, path::Path, time::Duration};

use tierup_codegen::{Declared, EmptyFolder, Host, HostSettings, Row, Watch, Watched, Witness};
use tierup_profile::{Frame, FrameId, Function, Observed, Placed, Ranking, SourceMaps};
use tierup_requests::Set;
use tierup_runner::{Interrupts, Observer as _};
use tierup_signature::{counted, seen, signature};

use super::{
    first_line,
    places::{LEAST, file, has_name, name_of, path},
    server::Server,
    watched::{Sight, Watching, odd},
};
use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts,
    sources::Sources,
};

/// Maximum number of candidates to watch, as each slows the server.
const MOST: usize = 8;
/// Maximum number of calls that a witness inspects, per function and process.
const LOOKED_AT: u64 = 500;
/// After this time, a round sends no more requests.
const LONGEST: Duration = Duration::from_secs(10);

/// Observes the first candidates. Empty if the host cannot watch functions, or the server cannot be watched.
///
/// # Errors
/// The user interrupts.
pub(super) fn observe(
    server: &Server,
    row: &Row,
    requests: &Set,
    (ranking, maps): (&Ranking, &SourceMaps<'_>),
    interrupts: &Interrupts,
    console: &mut Console,
) -> Result<Vec<(FrameId, Observed)>> {
    let chosen = chosen(server, ranking, maps);
    if chosen.is_empty() || witness_of_nothing(server.host).is_none() {
        return Ok(Vec::new());
    }
    let (ids, functions): (Vec<Chosen>, Vec<Watched>) = chosen.into_iter().unzip();
    console.status("watching the first candidates in single requests");
    let watching = Watching { server, row, requests, functions: &functions, longest: LONGEST, calls: false };
    let sight = watching.watch(interrupts, console);
    console.done();
    match sight.and_then(|sight| read(&sight, &ids)) {
        Err(Failure::Interrupted) => Err(Failure::Interrupted),
        Err(why) => {
            let first = first_line(&why);
            console.note(&format!("calls a request are not known, as the candidates could not be watched: {first}"));
            Ok(Vec::new())
        }
        Ok(observed) => Ok(observed),
    }
}

/// The first candidates with a known place, and their names. If stacks have no files, a class or a module is a place.
fn chosen(server: &Server, ranking: &Ranking, maps: &SourceMaps<'_>) -> Vec<(Chosen, Watched)> {
    let mut names: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for Function { frame, .. } in &ranking.functions {
        *names.entry((&frame.file, name_of(frame))).or_default() += 1;
    }
    let watched = |function: &Function| {
        let (frame, name) = (&function.frame, name_of(&function.frame));
        // Watches the compiled file, as it is the one that runs.
        let runs = match &maps.ran(&frame.file, frame.line)[..] {
            [] => frame.clone(),
            [Placed { function, file, line }, ..] => {
                Frame { function: function.clone(), file: file.clone(), line: *line, ..frame.clone() }
            }
        };
        let file = path(server.host, &server.settings.folder, &runs)?;
        // The line is given only if the name is ambiguous, as a witness may count lines from another token.
        let several = names.get(&(frame.file.as_str(), name)).is_some_and(|count| *count > 1);
        let line = Some(runs.line).filter(|line| several && *line > 0);
        let declared = declared(server, frame, name);
        let fields = declared.as_ref().and_then(|declared| declared.as_ref().ok()?.watched.clone()).unwrap_or_default();
        let watched =
            Watched { file, name: name_of(&runs).to_owned(), qualified_name: runs.function.clone(), line, fields };
        Some((Chosen { id: function.id, name: name.to_owned(), declared }, watched))
    };
    let hot = ranking.candidates().filter(|function| function.owned.value >= LEAST);
    hot.filter(|function| has_name(server.host, &function.frame)).filter_map(watched).take(MOST).collect()
}

/// A function that is watched.
struct Chosen {
    id: FrameId,
    name: String,
    /// The source's declaration, if it leaves types open.
    declared: Option<std::result::Result<Declared, String>>,
}

/// The declaration of a function, if calls must tell the rest of its types; or why it cannot be read.
fn declared(server: &Server, frame: &Frame, name: &str) -> Option<std::result::Result<Declared, String>> {
    let folder = &server.settings.folder;
    let file = file(server.host, folder, frame)?;
    let is_open = |declared: &Declared| declared.watched.is_some();
    let declared = Sources::new(server.host, folder).declared(&file, name)?;
    Some(declared).filter(|declared| declared.as_ref().map_or(true, is_open))
}

/// Whether the host has a witness that records types.
pub(in crate::commands::profile) fn can_be_watched(ranking: &Ranking) -> bool {
    let host = ranking.host.as_deref().and_then(hosts::find);
    let witness = host.and_then(witness_of_nothing).and_then(std::result::Result::ok);
    witness.is_some_and(|witness| witness.types.is_some())
}

/// A witness without functions, to find out whether the host has one.
fn witness_of_nothing(host: &dyn Host) -> Option<std::result::Result<Witness, String>> {
    let nothing = Watch { private: Path::new(""), key: "", functions: &[], calls: false };
    host.witness(&HostSettings::default(), &EmptyFolder, &nothing)
}

fn read(sight: &Sight, functions: &[Chosen]) -> Result<Vec<(FrameId, Observed)>> {
    let witnessed = &sight.witnessed;
    let counted = counted(&witnessed.counted, functions.len()).map_err(odd)?;
    let mut seen = seen(&witnessed.seen, functions.len()).map_err(odd)?;
    for (Chosen { declared, .. }, seen) in functions.iter().zip(&mut seen) {
        declared.iter().flatten().for_each(|declared| seen.declare(declared));
    }
    let all = functions.iter().zip(counted.iter().zip(&seen));
    let observed =
        all.filter(|(_, (counted, _))| counted.calls > 0).map(|(Chosen { id, name, declared }, (counted, seen))| {
            // V8 can miss the first call of a function, and counts an asynchronous one each time it resumes. Inspected
            // calls are exact, up to a limit.
            let (calls, requests) = match seen.calls() {
                1..LOOKED_AT => (seen.calls(), witnessed.asked.len()),
                0 | LOOKED_AT.. => (counted.calls, witnessed.requests),
            };
            let types = sight.types.as_ref();
            let problems = match declared {
                Some(Err(why)) => Some(vec![why.clone()]),
                _ => types.map(|types| signature(name, seen, types.spelling).err().unwrap_or_default()),
            };
            let calls = (!seen.calls_itself).then_some(calls as f64 / requests.max(1) as f64);
            (*id, Observed { calls, problems })
        });
    Ok(observed.collect())
}
