//! `prepare` of `[host.NAME]`: the user's own build of the server (`go build`), after that of the variants it may link.

use tierup_codegen::{Command, HostSettings};
use tierup_runner::{Progress, run};

use crate::{
    console::Console,
    failure::{Failure, Result},
};

/// Runs it in the server's folder, each time: such tools know themselves what is new.
pub(crate) fn prepare(settings: &HostSettings, console: &mut Console) -> Result<()> {
    let [program, rest @ ..] = &settings.prepare[..] else { return Ok(()) };
    let command = Command::new(program, rest.iter().map(String::as_str));
    console.started(&command.to_string());
    let done = run(&command, &settings.folder, &[], console);
    console.finished();
    done.map_err(|error| match Failure::from(error) {
        failure @ Failure::Plain { hint: None, .. } => {
            failure.hint("this command is `prepare` in tierup.toml, which runs before the server starts".into())
        }
        failure => failure,
    })
}
