//! `prepare` of `[host.NAME]`: the user's own build of the server (`go build`), after the variants that it may link.

use tierup_codegen::{Command, HostSettings};
use tierup_diagnostic::{Failure, Result};
use tierup_runner::{Observer, run};

/// Runs the command in the server's folder with more variables in its environment. It runs every time, since such tools
/// rebuild only what changed.
pub(crate) fn prepare(
    settings: &HostSettings,
    environment: &[(String, String)],
    observer: &mut dyn Observer,
) -> Result<()> {
    let [program, rest @ ..] = &settings.prepare[..] else { return Ok(()) };
    let command = Command::new(program, rest.iter().map(String::as_str));
    observer.started(&command.to_string());
    let done = run(&command, &settings.folder, environment, observer);
    observer.finished();
    done.map_err(|error| {
        let hint = "this command is `prepare` in tierup.toml, which runs before the server starts";
        Failure::from(error).or_hint(|| hint.to_owned())
    })
}
