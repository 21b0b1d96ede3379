//! Watches the first candidates of a profile in single requests, after the load. In: the server and the ranking. Out: for
//! those that were called, how often, and whether what they are given and answer could cross to Rust.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

use tierup_build::OnDisk;
use tierup_codegen::{Host, HostSettings, InstallBy, Row, Watch, Watched, Witness};
use tierup_profile::{Frame, FrameId, Function, Observed, Ranking};
use tierup_requests::Set;
use tierup_runner::{Interrupts, Observer as _};
use tierup_signature::{counted, seen, signature};

use super::{
    declaring::file,
    first_line,
    server::Server,
    watched::{Sight, Watching, odd},
};
use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts,
};

/// So many candidates are watched: each slows the server.
const MOST: usize = 8;
/// A candidate with less of the CPU is not.
pub(super) const LEAST: f64 = 0.005;
/// A witness looks at so many calls of a function in each process.
const LOOKED_AT: u64 = 500;
/// After this time, a round sends no further request.
const LONGEST: Duration = Duration::from_secs(10);

/// What was seen of the first candidates; nothing if the host cannot watch functions, or the server cannot be watched.
///
/// # Errors
/// The user interrupts.
pub(super) fn observe(
    server: &Server,
    row: &Row,
    requests: &Set,
    ranking: &Ranking,
    interrupts: &Interrupts,
    console: &mut Console,
) -> Result<Vec<(FrameId, Observed)>> {
    let chosen = chosen(server, ranking);
    if chosen.is_empty() || witness_of_nothing(server.host).is_none() {
        return Ok(Vec::new());
    }
    let (ids, functions): (Vec<(FrameId, String)>, Vec<Watched>) = chosen.into_iter().unzip();
    console.status("watching the first candidates in single requests");
    let watching = Watching { server, row, requests, functions: &functions, longest: LONGEST };
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

/// The first candidates whose place is known, with their names.
fn chosen(server: &Server, ranking: &Ranking) -> Vec<((FrameId, String), Watched)> {
    let mut names: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for Function { frame, .. } in &ranking.functions {
        *names.entry((&frame.file, name_of(frame))).or_default() += 1;
    }
    let watched = |function: &Function| {
        let frame = &function.frame;
        let name = name_of(frame);
        let folder = &server.settings.folder;
        let path = match &frame.file[..] {
            "" => folder.join(file(server.host, folder, frame)?),
            file => PathBuf::from(file),
        };
        let path = path.canonicalize().ok().filter(|path| path.is_file())?;
        // The line is needed only where the name is not enough: a witness may count lines from another token.
        let several = names.get(&(frame.file.as_str(), name)).is_some_and(|count| *count > 1);
        let line = Some(frame.line).filter(|line| several && *line > 0);
        let whole = frame.function.clone();
        let watched = Watched { file: path.display().to_string(), name: name.to_owned(), whole, line };
        Some(((function.id, name.to_owned()), watched))
    };
    let hot = ranking.candidates().filter(|function| function.owned.value >= LEAST);
    hot.filter(|function| has_name(&function.frame)).filter_map(watched).take(MOST).collect()
}

/// Whether the host has a witness that notes types.
pub(in crate::commands::profile) fn can_be_watched(ranking: &Ranking) -> bool {
    let host = ranking.host.as_deref().and_then(hosts::find);
    let witness = host.and_then(witness_of_nothing).and_then(std::result::Result::ok);
    witness.is_some_and(|witness| witness.types.is_some())
}

/// The witness of no function and no server: nothing if the host has none at all.
fn witness_of_nothing(host: &dyn Host) -> Option<std::result::Result<Witness, String>> {
    let settings = HostSettings {
        folder: PathBuf::new(),
        install: InstallBy::Nobody,
        prepare: Vec::new(),
        start: Vec::new(),
        baselines: Vec::new(),
    };
    let nothing = Watch { private: Path::new(""), key: "", functions: &[] };
    host.witness(&settings, &OnDisk(Path::new("")), &nothing)
}

/// Whether it has a name of its own: `(anonymous)` has none, nor has what compilers name, such as `Shop.-price/2-fun-0-/1` on the BEAM.
pub(in crate::commands::profile) fn has_name(frame: &Frame) -> bool {
    !frame.function.starts_with('(') && !name_of(frame).starts_with('-')
}

/// The name without the class that some runtimes put before it, and the count of arguments after it: `Shop.price/2`.
pub(in crate::commands::profile) fn name_of(frame: &Frame) -> &str {
    let name = frame.function.rsplit(['.', ':']).next().unwrap_or(&frame.function);
    let name = match name.rsplit_once('/') {
        Some((name, arity)) if !name.is_empty() && arity.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => name,
    };
    match name.split_once('#') {
        // Without a class, it is a private name.
        Some((class, method)) if !class.is_empty() => method,
        _ => name,
    }
}

fn read(sight: &Sight, functions: &[(FrameId, String)]) -> Result<Vec<(FrameId, Observed)>> {
    let witnessed = &sight.witnessed;
    let counted = counted(&witnessed.counted, functions.len()).map_err(odd)?;
    let seen = seen(&witnessed.seen, functions.len()).map_err(odd)?;
    let all = functions.iter().zip(counted.iter().zip(&seen));
    let observed = all.filter(|(_, (counted, _))| counted.calls > 0).map(|((id, name), (counted, seen))| {
        // V8 can miss the first call of a function, and counts an asynchronous one each time that it goes on. Calls that
        // are looked at are exact, up to a limit.
        let (calls, requests) = match seen.calls() {
            1..LOOKED_AT => (seen.calls(), witnessed.asked.len()),
            0 | LOOKED_AT.. => (counted.calls, witnessed.requests),
        };
        let types = sight.types.as_ref();
        let problems = types.map(|types| signature(name, seen, types.spelling).err().unwrap_or_default());
        (*id, Observed { calls: Some(calls as f64 / requests.max(1) as f64), problems })
    });
    Ok(observed.collect())
}

#[cfg(test)]
mod tests {
    use tierup_profile::Kind;

    use super::*;

    #[test]
    fn a_name_has_neither_class_nor_count_of_arguments() {
        let frame = |function: &str| Frame {
            function: function.to_owned(),
            file: String::new(),
            line: 0,
            package: String::new(),
            kind: Kind::Own,
        };
        let named = |function: &str| {
            let frame = frame(function);
            (name_of(&frame).to_owned(), has_name(&frame))
        };
        let of = |name: &str, has_name| (name.to_owned(), has_name);
        assert_eq!(named("Shop.Cart.price?/2"), of("price?", true));
        assert_eq!(named("Shop.Cart#price"), of("price", true));
        assert_eq!(named("Shop.-price/2-fun-0-/1"), of("-price/2-fun-0-", false));
        assert!(!named("(anonymous)").1);
    }
}
