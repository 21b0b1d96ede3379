//! Rows of a project: what must be built for one, and the command that starts its server.

use std::env;

use tierup_codegen::{Command, Host, HostSettings, Machine, Row, Support, Tier, Variant};

use crate::{
    build::{BuildResult, Mode, Wanted, build_packages, impossible},
    console::Console,
    depends,
    failure::{Failure, Result},
    project::Loaded,
    server_folder::Described,
};

/// What starts the server at a row that was [built](build_row), listening on `port`.
pub(crate) fn command(
    loaded: &Loaded,
    host: &dyn Host,
    settings: &HostSettings,
    row: &Row,
    port: u16,
) -> Result<Command> {
    let mut command = match row {
        Row::Variant(Variant::Server) => {
            let server = loaded.work.join("bin").join(format!("{}-server", loaded.project.interface.package));
            Command { folder: loaded.folder.clone(), ..Command::new(&server.display().to_string(), []) }
        }
        _ => {
            let [program, rest @ ..] = &settings.start[..] else {
                return Err(Failure::new("`start` is empty"));
            };
            let environment = programs(host, settings).map(|path| ("PATH".to_owned(), path)).into_iter().collect();
            let command = Command::new(program, rest.iter().map(String::as_str));
            Command { folder: settings.folder.clone(), environment, ..command }
        }
    };
    command.environment.push(("PORT".into(), port.to_string()));
    command.environment.push(("TIERUP_TIER".into(), row.to_string()));
    Ok(command)
}

/// `PATH` for the server, where its host's installation left programs that come first.
pub(crate) fn programs(host: &dyn Host, settings: &HostSettings) -> Option<String> {
    let folders = host.programs(&Described(settings));
    let own: Vec<_> = folders.iter().map(|name| settings.folder.join(name)).filter(|path| path.is_dir()).collect();
    if own.is_empty() {
        return None;
    }
    let others = env::var_os("PATH").unwrap_or_default();
    let all = own.into_iter().chain(env::split_paths(&others));
    // A folder whose name has a `:` in it cannot be on any `PATH`.
    Some(env::join_paths(all).ok()?.to_string_lossy().into_owned())
}

/// Refuses a host whose server does not depend on the package yet, where one of the rows needs it: before the first is
/// built, as each would fail. What is generated and installed is then there.
pub(crate) fn require_dependency(
    loaded: &Loaded,
    host: &'static dyn Host,
    settings: &HostSettings,
    rows: &[Row],
    console: &mut Console,
) -> Result<()> {
    if !depends::is_needed(rows) || depends::missing(loaded, host, settings).is_none() {
        return Ok(());
    }
    // Its manifest may name a package that is only not installed yet; and what is to be added must be there.
    let nothing = Wanted { hosts: vec![(host, settings)], variants: Vec::new(), mode: Mode::Asked };
    build_packages(loaded, &nothing, console)?;
    depends::require(loaded, host, settings)
}

/// Builds what a row needs but for the server, which [`build_server`](crate::build::build_server) builds behind all of them;
/// answers the row with its variant decided.
pub(crate) fn build_row(
    loaded: &Loaded,
    host: &'static dyn Host,
    settings: &HostSettings,
    row: Row,
    console: &mut Console,
) -> Result<Row> {
    let mut build_one = |variants: Vec<Variant>, mode| {
        build_packages(loaded, &Wanted { hosts: vec![(host, settings)], variants, mode }, console)
    };
    match row {
        Row::Baseline(Some(label)) if !settings.baselines.iter().any(|(known, _)| known.as_ref() == Some(&label)) => {
            let failure = Failure::new(format!("`0:{label}` is not a baseline of {}", host.title()));
            Err(failure.hint(format!("`[host.{}.baseline]` in tierup.toml lists them", host.name())))
        }
        Row::Free if !can_replay(host) => {
            let reason = never(loaded, host, &row).unwrap_or_default();
            Err(Failure::new(format!("0:free is not supported for {}: {reason}", host.title())))
        }
        Row::Baseline(_) | Row::Free => build_one(Vec::new(), Mode::Asked).map(|_| row),
        Row::Variant(variant) => build_one(vec![variant], Mode::Asked).map(|_| row),
        Row::Tier(tier) => {
            let mut reasons = Vec::new();
            for variant in Variant::of(tier) {
                match impossible(loaded, host, *variant) {
                    Some(reason) => reasons.push(format!("{variant}: {reason}")),
                    // Only Wasm has a second choice where a build fails: other crates may suit another binding.
                    None if tier != Tier::Wasm => {
                        return build_one(vec![*variant], Mode::Asked).map(|_| Row::Variant(*variant));
                    }
                    None => match build_one(vec![*variant], Mode::Possible)?.pop().map(|outcome| outcome.result) {
                        Some(BuildResult::No(reason)) => reasons.push(format!("{variant}: {reason}")),
                        _ => return Ok(Row::Variant(*variant)),
                    },
                }
            }
            let message = format!("tier {} is not available in this project", tier.number());
            Err(Failure::Plain {
                message,
                output: reasons,
                hint: Some("serve it at another tier: --tier 0 to 4".into()),
            })
        }
    }
}

/// Why a host can never have a row, whatever is built.
pub(crate) fn never(loaded: &Loaded, host: &dyn Host, row: &Row) -> Option<String> {
    match row {
        Row::Free if !can_replay(host) => Some("the generated package replays answers, and this host has none".into()),
        Row::Baseline(Some(label)) => {
            let known = loaded
                .host(host.name())
                .is_some_and(|settings| settings.baselines.iter().any(|(known, _)| known.as_ref() == Some(label)));
            (!known).then(|| format!("`[host.{}.baseline]` has no such label", host.name()))
        }
        Row::Variant(variant) => impossible(loaded, host, *variant),
        // What is said of the first is said of all.
        Row::Tier(tier) => {
            let mut reasons = Variant::of(*tier).iter().map(|variant| impossible(loaded, host, *variant));
            reasons.next().flatten().filter(|_| reasons.all(|reason| reason.is_some()))
        }
        Row::Baseline(None) | Row::Free => None,
    }
}

/// Whether a host has a package, which replays recorded answers at `0:free`: it can do more than a Rust server.
pub(crate) fn can_replay(host: &dyn Host) -> bool {
    let mut called = Variant::ALL.into_iter().filter(|variant| *variant != Variant::Server);
    called.any(|variant| host.support(variant, &Machine::this()) == Support::Yes)
}

/// Whether a row is this host's: one that was asked for of several hosts is of those that can have it.
pub(crate) fn is_for(
    row: &Row,
    loaded: &Loaded,
    host: &dyn Host,
    hosts: &[&'static dyn Host],
    console: &Console,
) -> bool {
    let Some(reason) = never(loaded, host, row) else { return true };
    // Where nobody can, building it says why.
    let elsewhere = hosts.iter().any(|other| never(loaded, *other, row).is_none());
    if elsewhere {
        console.note(&format!("skipping {row} for {}: {reason}", host.title()));
    }
    !elsewhere
}
