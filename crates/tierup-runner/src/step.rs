//! One step of a recipe.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use tierup_codegen::{Step, THIS_MACHINE};

use crate::{Progress, Result, Workshop, convert::convert, copy::copy, process::run};

/// Carries out one step, and returns the file or folder that it made, if the step names one.
///
/// # Errors
/// Where it fails or is interrupted; the file or folder that it should have replaced then remains.
pub fn carry_out(step: &Step, workshop: &Workshop, progress: &mut dyn Progress) -> Result<Option<PathBuf>> {
    let step = on_this_machine(step, &workshop.this_machine);
    let below = |path: &Path| workshop.root.join(path);
    progress.started(&label(&step));
    let done = match &step {
        Step::Run(command) => run(command, &workshop.root, &workshop.environment, progress).map(|()| None),
        Step::Copy { from, to } => copy(&below(from), &below(to)).map(|()| Some(below(to))),
        Step::Convert { from, into, converter } => {
            convert(&below(from), &below(into), converter, workshop, progress).map(|()| Some(below(into)))
        }
    };
    progress.finished();
    done
}

/// The step with the triple for [`THIS_MACHINE`].
fn on_this_machine(step: &Step, triple: &str) -> Step {
    let named = |path: &Path| -> PathBuf {
        path.iter().map(|part| if part == THIS_MACHINE { OsStr::new(triple) } else { part }).collect()
    };
    let mut step = step.clone();
    match &mut step {
        Step::Run(command) => {
            let named = command.arguments.iter_mut().filter(|argument| *argument == THIS_MACHINE);
            named.for_each(|argument| triple.clone_into(argument));
        }
        Step::Copy { from, .. } | Step::Convert { from, .. } => *from = named(from),
    }
    step
}

fn label(step: &Step) -> String {
    match step {
        Step::Run(command) => command.to_string(),
        Step::Copy { to, .. } => format!("copy {}", to.display()),
        Step::Convert { from, .. } => format!("convert {}", from.display()),
    }
}
