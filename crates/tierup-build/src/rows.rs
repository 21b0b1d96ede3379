//! Rows of a project: what must be built for one, and the command that starts its server.

use tierup_codegen::{Command, Host, HostSettings, Machine, Row, Support, Tier, Variant};
use tierup_diagnostic::{Exit, Failure, Result};
use tierup_project::Loaded;
use tierup_runner::Observer;

use crate::{BuildResult, Mode, Wanted, build, build_packages, depends, impossible, path::programs};

/// The command that starts the server at a row that was [built](build_row), listening on `port`.
///
/// # Errors
/// Where the project names no command.
pub fn command(loaded: &Loaded, host: &dyn Host, settings: &HostSettings, row: &Row, port: u16) -> Result<Command> {
    let mut command = match row {
        Row::Variant(Variant::Server) => {
            let server = loaded.work.join("bin").join(format!("{}-server", loaded.project.interface.package));
            Command { folder: loaded.folder.clone(), ..Command::new(&server.display().to_string(), []) }
        }
        _ => {
            let [program, rest @ ..] = &settings.start[..] else {
                return Err(Failure::usage("`start` is empty"));
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

/// Refuses a host whose server does not depend on the package yet, where one of the rows needs it: before the first is
/// built, as each would fail. The package's source is then generated, and the server's dependencies are installed.
///
/// # Errors
/// Says what to add, and where.
pub fn require_dependency(
    loaded: &Loaded,
    host: &'static dyn Host,
    settings: &HostSettings,
    rows: &[Row],
    observer: &mut dyn Observer,
) -> Result<()> {
    if !depends::is_needed(rows) || depends::missing(loaded, host, settings).is_none() {
        return Ok(());
    }
    // The manifest may name the package without having it installed; and the package that is to be added must exist.
    let nothing = Wanted { hosts: vec![(host, settings)], variants: Vec::new(), mode: Mode::Asked };
    build_packages(loaded, &nothing, observer)?;
    depends::require(loaded, host, settings)
}

/// Builds what a row needs, without the server, which [`build_server`](crate::build_server) builds after all rows. Returns
/// the row with its variant decided.
///
/// # Errors
/// Where the host cannot have the row, or its build fails.
pub fn build_row(
    loaded: &Loaded,
    host: &'static dyn Host,
    settings: &HostSettings,
    row: Row,
    observer: &mut dyn Observer,
) -> Result<Row> {
    let mut build_one = |variants: Vec<Variant>, mode| {
        build_packages(loaded, &Wanted { hosts: vec![(host, settings)], variants, mode }, observer)
    };
    if let Row::Free | Row::Wrapped(_) | Row::Alternative(..) = row
        && let Some(reason) = never(loaded, host, &row)
    {
        return Err(Failure::usage(format!("{row} is not supported for {}: {reason}", host.title())));
    }
    match row {
        Row::Baseline(Some(label)) if !settings.baselines.iter().any(|(known, _)| known.as_ref() == Some(&label)) => {
            let failure = Failure::usage(format!("`0:{label}` is not a baseline of {}", host.title()));
            Err(failure.hint(format!("`[host.{}.baseline]` in tierup.toml lists them", host.name())))
        }
        Row::Baseline(_) | Row::Free | Row::Wrapped(_) => build_one(Vec::new(), Mode::Asked).map(|_| row),
        Row::Variant(variant) | Row::Alternative(variant, _) => build_one(vec![variant], Mode::Asked).map(|_| row),
        Row::Tier(tier) => {
            let mut reasons = Vec::new();
            for variant in Variant::of(tier) {
                match impossible(loaded, host, *variant) {
                    Some(reason) => reasons.push(format!("{variant}: {reason}")),
                    // Only Wasm has a second choice where a build fails: a crate may suit another binding.
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
                exit: Exit::Usage,
            })
        }
    }
}

/// The variants of a host that were built, and the others with the reasons.
#[derive(Debug, Default)]
pub struct Possible {
    pub built: Vec<Variant>,
    pub left_out: Vec<(Variant, String)>,
}

/// Builds all of these variants that the host can have.
///
/// # Errors
/// As [`build`].
pub fn build_possible(
    loaded: &Loaded,
    host: &'static dyn Host,
    settings: &HostSettings,
    variants: &[Variant],
    observer: &mut dyn Observer,
) -> Result<Possible> {
    let possible = variants.iter().copied().filter(|variant| impossible(loaded, host, *variant).is_none());
    let wanted = Wanted { hosts: vec![(host, settings)], variants: possible.collect(), mode: Mode::Possible };
    let mut found = Possible::default();
    for outcome in build(loaded, &wanted, observer)? {
        match outcome.result {
            BuildResult::Built { .. } => found.built.push(outcome.variant),
            BuildResult::No(reason) => found.left_out.push((outcome.variant, reason)),
        }
    }
    Ok(found)
}

/// Why a host can never have a row, whatever is built.
pub fn never(loaded: &Loaded, host: &dyn Host, row: &Row) -> Option<String> {
    match row {
        Row::Free if !can_replay(host) => Some("the generated package replays answers, and this host has none".into()),
        Row::Baseline(Some(label)) => {
            let known = loaded
                .host(host.name())
                .is_some_and(|settings| settings.baselines.iter().any(|(known, _)| known.as_ref() == Some(label)));
            (!known).then(|| format!("`[host.{}.baseline]` has no such label", host.name()))
        }
        Row::Wrapped(wrapping) => match host.wraps(*wrapping) {
            Support::Yes => None,
            Support::No(reason) => Some(reason),
        },
        Row::Variant(variant) => impossible(loaded, host, *variant),
        Row::Alternative(variant, name) => {
            impossible(loaded, host, *variant).or_else(|| no_alternative(loaded, host, *variant, name))
        }
        // The reason of the first variant stands for all.
        Row::Tier(tier) => {
            let mut reasons = Variant::of(*tier).iter().map(|variant| impossible(loaded, host, *variant));
            reasons.next().flatten().filter(|_| reasons.all(|reason| reason.is_some()))
        }
        Row::Baseline(None) | Row::Free => None,
    }
}

/// Why a variant cannot run an alternative of the function.
fn no_alternative(loaded: &Loaded, host: &dyn Host, variant: Variant, name: &str) -> Option<String> {
    let known: Vec<&str> = loaded.project.interface.alternatives.iter().map(|one| one.name.as_str()).collect();
    if !known.contains(&name) {
        return Some(match known.is_empty() {
            true => "tierup.toml has no `[function.alternatives]`".to_owned(),
            false => format!("`[function.alternatives]` in tierup.toml has {}, not `{name}`", known.join(", ")),
        });
    }
    if variant == Variant::Server {
        return Some("the Rust server calls the exported function only: use 3:native".to_owned());
    }
    match host.alternatives(variant) {
        Support::Yes => None,
        Support::No(reason) => Some(reason),
    }
}

/// Whether a host has a package, which replays recorded answers at `0:free`. A host that supports only `4:server` has none.
pub fn can_replay(host: &dyn Host) -> bool {
    host.supported(&Machine::this()).into_iter().any(|variant| variant != Variant::Server)
}

/// Whether a row is this host's. A row that was asked for of several hosts belongs to those that can have it.
pub fn is_for(
    row: &Row,
    loaded: &Loaded,
    host: &dyn Host,
    hosts: &[&'static dyn Host],
    observer: &dyn Observer,
) -> bool {
    let Some(reason) = never(loaded, host, row) else { return true };
    // Where no host can have the row, its build fails with the reason.
    let elsewhere = hosts.iter().any(|other| never(loaded, *other, row).is_none());
    if elsewhere {
        observer.note(&format!("skipping {row} for {}: {reason}", host.title()));
    }
    !elsewhere
}
