//! One step of a recipe.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use tierup_codegen::{Command, Step, THIS_MACHINE};

use crate::{Error, Progress, Result, Workshop, convert::convert, copy::copy, process::run};

/// Carries out one step, and returns the file or folder that it made, if the step names one.
///
/// # Errors
/// The step fails or is interrupted. The file or folder that it should have replaced then remains.
pub fn carry_out(step: &Step, workshop: &Workshop, progress: &mut dyn Progress) -> Result<Option<PathBuf>> {
    let step = on_this_machine(step, &workshop.this_machine);
    let below = |path: &Path| workshop.root.join(path);
    let ran = |command: &Command, progress: &mut dyn Progress| {
        run(command, &workshop.root, &workshop.environment, progress).map(|()| None)
    };
    progress.started(&label(&step));
    let done = match &step {
        Step::Run(command) => ran(command, progress),
        Step::Either { preferred, conflict, otherwise } => match ran(preferred, progress) {
            Err(Error::Failed { output, .. }) if output.iter().any(|line| line.contains(conflict)) => {
                progress.finished();
                progress.started(&otherwise.to_string());
                ran(otherwise, progress)
            }
            done => done,
        },
        Step::Copy { from, to } => copy(&below(from), &below(to)).map(|()| Some(below(to))),
        Step::Convert { from, into, converter } => {
            convert(&below(from), &below(into), converter, workshop, progress).map(|()| Some(below(into)))
        }
    };
    progress.finished();
    done
}

/// The step with this machine's triple in place of [`THIS_MACHINE`].
fn on_this_machine(step: &Step, triple: &str) -> Step {
    let named = |path: &Path| -> PathBuf {
        path.iter().map(|part| if part == THIS_MACHINE { OsStr::new(triple) } else { part }).collect()
    };
    let mut step = step.clone();
    for command in step.commands_mut() {
        let named = command.arguments.iter_mut().filter(|argument| *argument == THIS_MACHINE);
        named.for_each(|argument| triple.clone_into(argument));
    }
    if let Step::Copy { from, .. } | Step::Convert { from, .. } = &mut step {
        *from = named(from);
    }
    step
}

fn label(step: &Step) -> String {
    match step {
        Step::Run(command) | Step::Either { preferred: command, .. } => command.to_string(),
        Step::Copy { to, .. } => format!("copy {}", to.display()),
        Step::Convert { from, .. } => format!("convert {}", from.display()),
    }
}
