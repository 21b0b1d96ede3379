//! Builds the packages of a project with the wanted variants, and then the servers that may link them, by the user's
//! own command (`prepare` of `[host.NAME]`). Builds of a project wait for each other, and for programs that use what is
//! built.

use std::path::Path;

use tierup_codegen::{Command, Host, HostSettings, Tier, Variant, abi};
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_runner::{BuildRecord, Lock, Observer, Workshop, run};

use crate::{
    WASM_TARGET,
    assemble::{Plan, assemble},
    build_folder::{BuildFolder, cache_folder},
    builder::{Builder, Mode, VariantOutcome, Wanted},
    install,
    resolve::{LeftOut, resolve, seed},
    stub,
    toolchain::{self, Toolchain},
};

/// Builds the packages, and then the servers that may link them.
///
/// # Errors
/// A required part cannot be built.
pub fn build(loaded: &Loaded, wanted: &Wanted<'_>, observer: &mut dyn Observer) -> Result<Vec<VariantOutcome>> {
    let outcomes = build_packages(loaded, wanted, observer)?;
    for (_, settings) in &wanted.hosts {
        build_server(loaded, settings, observer)?;
    }
    Ok(outcomes)
}

/// Installs, generates and builds everything except the servers. Other builds of the project wait meanwhile.
///
/// # Errors
/// As [`build`].
pub fn build_packages(
    loaded: &Loaded,
    wanted: &Wanted<'_>,
    observer: &mut dyn Observer,
) -> Result<Vec<VariantOutcome>> {
    let _lock = lock(loaded, observer)?;
    let toolchain = match toolchain::find(&loaded.project.crate_folder) {
        // Without variants, only the user's own code runs, which needs no Rust.
        Err(_) if wanted.variants.is_empty() => Toolchain::none(),
        found => found?,
    };
    let (plan, left_out) = generate(loaded, &loaded.workspace_root, &toolchain, observer)?;
    let (workshop, _shared) = workshop(loaded, &toolchain);
    let mut no_wasm = None;
    if wanted.variants.iter().any(|variant| variant.tier() == Tier::Wasm)
        && let Err(failure) = toolchain::ensure_target(&toolchain, &workshop, WASM_TARGET, observer)
    {
        // Without the target, tier 2 is left out, unless the user asked for it.
        match failure {
            Failure::Plain { message, .. } | Failure::Missing { message, .. } if wanted.mode == Mode::Possible => {
                no_wasm = Some(format!("this Rust has no target {WASM_TARGET}: {message}"));
            }
            failure => return Err(failure),
        }
    }

    let hosts = wanted.hosts.iter().map(|(host, _)| *host).collect();
    let mut builder =
        Builder { loaded, hosts, plan, left_out, no_wasm, workshop, mode: wanted.mode, shared: Vec::new() };
    let mut outcomes = Vec::new();
    for (host, settings) in &wanted.hosts {
        install::install(loaded, *host, settings, observer)?;
        let mut record = record(loaded, *host)?;
        for variant in Variant::ALL.into_iter().filter(|variant| wanted.variants.contains(variant)) {
            let result = builder.variant(*host, variant, &mut record, observer)?;
            outcomes.push(VariantOutcome { host: host.name(), variant, result });
        }
        stub::complete(loaded, *host, observer)?;
    }
    Ok(outcomes)
}

/// Builds a host's server with the user's own command (`prepare`), if there is one. It runs once, after everything that
/// the server may link.
///
/// # Errors
/// The command fails.
pub fn build_server(loaded: &Loaded, settings: &HostSettings, observer: &mut dyn Observer) -> Result<()> {
    build_server_with(loaded, settings, &[], observer)
}

/// Does the same, with more variables in the command's environment.
///
/// # Errors
/// As [`build_server`].
pub fn build_server_with(
    loaded: &Loaded,
    settings: &HostSettings,
    environment: &[(String, String)],
    observer: &mut dyn Observer,
) -> Result<()> {
    let [program, rest @ ..] = &settings.prepare[..] else { return Ok(()) };
    let _lock = lock(loaded, observer)?;
    let command = Command::new(program, rest.iter().map(String::as_str));
    observer.started(&command.to_string());
    // The command runs every time: such tools rebuild only what changed.
    let done = run(&command, &settings.folder, environment, observer);
    observer.finished();
    done.map_err(|error| {
        let hint = "this command is `prepare` in tierup.toml, which runs before the server starts";
        Failure::from(error).or_hint(|| hint.to_owned())
    })
}

/// The record of a host's built variants.
fn record(loaded: &Loaded, host: &dyn Host) -> Result<BuildRecord> {
    let abi = format!("{:016x}", abi::hash(&loaded.project.interface));
    Ok(BuildRecord::open(&loaded.work.join(host.name()), &abi)?)
}

/// Writes the generated files, and finds crates that cannot be built. A new lock file is a copy of that in `locked`.
pub(crate) fn generate(
    loaded: &Loaded,
    locked: &Path,
    toolchain: &Toolchain,
    observer: &dyn Observer,
) -> Result<(Plan, LeftOut)> {
    let plan = assemble(loaded)?;
    tierup_runner::write(&plan.files, &loaded.work)?;
    seed(locked, &loaded.work)?;
    let rest = plan.profile_left_out()?;
    if !rest.is_empty() {
        let panics =
            if rest.iter().any(|key| key == "panic") { "; panics unwind, to be answered as errors" } else { "" };
        observer.note_once(&format!("not taken over from your [profile.release]: {}{panics}", rest.join(", ")));
    }
    let left_out = resolve(&plan, &loaded.work, toolchain)?;
    Ok((plan, left_out))
}

/// The place for the steps of a build, and the shared build folder, which must be kept until the steps are done.
pub(crate) fn workshop(loaded: &Loaded, toolchain: &Toolchain) -> (Workshop, Option<BuildFolder>) {
    let cache = cache_folder(&loaded.work);
    let shared = BuildFolder::open(&cache);
    let mut environment = toolchain.environment.clone();
    environment.extend(shared.as_ref().map(BuildFolder::variable));
    // Recipes name built files below `target/`, even if the user's own builds go elsewhere.
    environment.push(("CARGO_TARGET_DIR".into(), loaded.work.join("target").display().to_string()));
    let (root, this_machine) = (loaded.work.clone(), toolchain.this_machine.clone());
    (Workshop { root, cache, environment, this_machine }, shared)
}

/// Keeps others from changing the built files, until the lock is dropped. Several programs may share the lock.
/// Meanwhile, nothing of the project can be built, not even by this process.
///
/// # Errors
/// The lock file cannot be made, or the user interrupts the wait.
pub fn hold(loaded: &Loaded, observer: &dyn Observer) -> Result<Lock> {
    Ok(Lock::share(&loaded.work.join(LOCK), &who(), |holder| observer.note(&waits_for(holder)))?)
}

/// Keeps others from building and from using the built files, until the lock is dropped.
pub(crate) fn lock(loaded: &Loaded, observer: &dyn Observer) -> Result<Lock> {
    Ok(Lock::take(&loaded.work.join(LOCK), &who(), |holder| observer.note(&waits_for(holder)))?)
}

const LOCK: &str = "lock";

/// The name of this process in messages to others that wait.
fn who() -> String {
    let word = std::env::args_os().nth(1).unwrap_or_default();
    format!("`tierup {}`", word.to_string_lossy())
}

fn waits_for(holder: &str) -> String {
    let holder = if holder.is_empty() { "another tierup" } else { holder };
    format!("{holder} uses this project; waiting until it is done")
}
