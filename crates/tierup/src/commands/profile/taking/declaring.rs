//! What the source declares of the functions of a profile, in languages that declare types. In: the server's folder and the
//! ranking. Out: for those whose declaration can be read, whether what they are given and answer could cross to Rust.

use std::path::Path;

use tierup_build::OnDisk;
use tierup_codegen::Host;
use tierup_profile::{Frame, FrameId, Observed, Ranking};
use tierup_signature::of_declared;

use super::places::{LEAST, file, name_of};

/// Nothing is run, and nothing is counted. A function that has no declaration of its own, such as a closure, is left out.
pub(super) fn declared(host: &dyn Host, folder: &Path, ranking: &Ranking) -> Vec<(FrameId, Observed)> {
    let hot = ranking.candidates().filter(|function| function.owned.value >= LEAST);
    let read = |frame: &Frame| {
        let name = name_of(frame);
        let declared = host.declared(&OnDisk(folder), &file(host, folder, frame)?, name)?.ok()?;
        // A method may have the name of a function.
        if frame.line != 0 && frame.line != declared.line {
            return None;
        }
        let problems = of_declared(name, &declared).err().unwrap_or_default();
        Some(Observed { calls: None, problems: Some(problems) })
    };
    hot.filter_map(|function| Some((function.id, read(&function.frame)?))).collect()
}
