//! Building: everything that a project's variants need is set up, generated, compiled and put into the packages.
//!
//! In: a project, and what of it to build. Out: what became of each variant.

mod alone;
mod assemble;
mod cache;
mod install;
mod lock_file;
pub(crate) mod patches;
mod prepare;
mod profile;
mod resolve;
mod toolchain;
mod wasm;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use tierup_codegen::{Host, HostSettings, Machine, Step, Support, Tier, Variant, abi};
use tierup_runner::{BuildRecord, Error, Lock, Observer, Workshop, carry_out};

use self::{
    assemble::{Plan, Shared, assemble},
    resolve::{LeftOut, resolve},
    toolchain::Toolchain,
};
use crate::{
    failure::{Failure, Result},
    project::Loaded,
};

pub(crate) use self::alone::build_alone;
pub(crate) use self::toolchain::{WASM_TARGET, has_target};

/// What to build.
pub(crate) struct Wanted<'a> {
    pub(crate) hosts: Vec<(&'static dyn Host, &'a HostSettings)>,
    pub(crate) variants: Vec<Variant>,
    pub(crate) mode: Mode,
}

/// What a variant that cannot be built means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Everything that can be had: a crate that is nothing for Wasm leaves a reason in the table.
    Possible,
    /// The user asked for just these: each must be built.
    Asked,
}

/// What became of a variant.
pub(crate) struct Outcome {
    pub(crate) host: &'static str,
    pub(crate) variant: Variant,
    pub(crate) result: BuildResult,
}

pub(crate) enum BuildResult {
    Built { place: PathBuf, bytes: u64, seconds: f64 },
    No(String),
}

/// Builds the packages, and then the servers that may link them.
pub(crate) fn build(loaded: &Loaded, wanted: &Wanted<'_>, observer: &mut dyn Observer) -> Result<Vec<Outcome>> {
    let outcomes = build_packages(loaded, wanted, observer)?;
    for (_, settings) in &wanted.hosts {
        build_server(loaded, settings, observer)?;
    }
    Ok(outcomes)
}

/// Sets up, generates and builds, all but the servers. Other builds of the project wait meanwhile.
pub(crate) fn build_packages(loaded: &Loaded, wanted: &Wanted<'_>, observer: &mut dyn Observer) -> Result<Vec<Outcome>> {
    let _lock = lock(loaded, observer)?;
    let toolchain = toolchain::find(&loaded.project.crate_folder)?;
    let (plan, left_out) = generate(loaded, &toolchain, observer)?;
    let workshop = workshop(loaded, &toolchain);
    let mut no_wasm = None;
    if wanted.variants.iter().any(|variant| variant.tier() == Tier::Wasm)
        && let Err(failure) = toolchain::ensure_wasm_target(&toolchain, &workshop, observer)
    {
        // A reason for tier 2 only, unless it is what was asked for.
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
            outcomes.push(Outcome { host: host.name(), variant, result });
        }
    }
    Ok(outcomes)
}

/// Builds a host's server as the user does, where it is to be built: once, behind everything that it may link.
pub(crate) fn build_server(loaded: &Loaded, settings: &HostSettings, observer: &mut dyn Observer) -> Result<()> {
    if settings.prepare.is_empty() {
        return Ok(());
    }
    let _lock = lock(loaded, observer)?;
    prepare::prepare(settings, observer)
}

/// Keeps others from changing what is built, until it is dropped: several may use it at a time. Nothing of the project can
/// be built meanwhile, by this process neither.
pub(crate) fn hold(loaded: &Loaded, observer: &dyn Observer) -> Result<Lock> {
    Ok(Lock::share(&loaded.work.join(LOCK), &who(), |holder| observer.note(&waits_for(holder)))?)
}

fn lock(loaded: &Loaded, observer: &dyn Observer) -> Result<Lock> {
    Ok(Lock::take(&loaded.work.join(LOCK), &who(), |holder| observer.note(&waits_for(holder)))?)
}

const LOCK: &str = "lock";

/// This process, for others that wait.
fn who() -> String {
    let word = std::env::args_os().nth(1).unwrap_or_default();
    format!("`tierup {}`", word.to_string_lossy())
}

fn waits_for(holder: &str) -> String {
    let holder = if holder.is_empty() { "another tierup" } else { holder };
    format!("{holder} uses this project; waiting until it is done")
}

/// Which of a host's variants are built.
pub(crate) fn record(loaded: &Loaded, host: &dyn Host) -> Result<BuildRecord> {
    let abi = format!("{:016x}", abi::hash(&loaded.project.interface));
    Ok(BuildRecord::open(&loaded.work.join(host.name()), &abi)?)
}

/// Why a variant of a host can never be built for this project.
pub(crate) fn impossible(loaded: &Loaded, host: &dyn Host, variant: Variant) -> Option<String> {
    if variant == Variant::Server && loaded.project.server == tierup_codegen::Server::None {
        return Some("tierup.toml has neither a [[route]] nor a [server]".into());
    }
    match host.support(variant, &Machine::this()) {
        Support::Yes => None,
        Support::No(reason) => Some(reason),
    }
}

/// Writes everything, and finds out what of it cannot be built.
fn generate(loaded: &Loaded, toolchain: &Toolchain, observer: &dyn Observer) -> Result<(Plan, LeftOut)> {
    let plan = assemble(loaded)?;
    tierup_runner::write(&plan.files, &loaded.work)?;
    lock_file::seed(&loaded.workspace_root, &loaded.work)?;
    let rest = plan.profile_left_out()?;
    if !rest.is_empty() {
        let panics =
            if rest.iter().any(|key| key == "panic") { "; panics unwind, to be answered as errors" } else { "" };
        observer.note_once(&format!("not taken over from your [profile.release]: {}{panics}", rest.join(", ")));
    }
    let left_out = resolve(&plan, &loaded.work, toolchain)?;
    Ok((plan, left_out))
}

fn workshop(loaded: &Loaded, toolchain: &Toolchain) -> Workshop {
    let mut environment = toolchain.environment.clone();
    // Recipes name built files below `target/`, wherever the user's own builds go.
    environment.push(("CARGO_TARGET_DIR".into(), loaded.work.join("target").display().to_string()));
    let root = loaded.work.clone();
    Workshop { cache: cache::folder(&root), root, environment, this_machine: toolchain.this_machine.clone() }
}

struct Builder<'a> {
    loaded: &'a Loaded,
    /// All that are built for.
    hosts: Vec<&'static dyn Host>,
    plan: Plan,
    left_out: LeftOut,
    /// Why there is no tier 2 on this machine.
    no_wasm: Option<String>,
    workshop: Workshop,
    mode: Mode,
    /// Shims that were built in this run, and why not.
    shared: Vec<(Shared, std::result::Result<Vec<PathBuf>, String>)>,
}

impl Builder<'_> {
    fn variant(
        &mut self,
        host: &'static dyn Host,
        variant: Variant,
        record: &mut BuildRecord,
        observer: &mut dyn Observer,
    ) -> Result<BuildResult> {
        let began = Instant::now();
        let no = match impossible(self.loaded, host, variant) {
            Some(reason) if self.mode == Mode::Asked && !self.elsewhere(variant) => {
                return Err(Failure::new(format!("{variant} is not supported for {}: {reason}", host.title())));
            }
            Some(reason) => Err(reason),
            None => {
                observer.note(&format!("building {variant} for {}", host.title()));
                record.begin(variant)?;
                self.attempt(host, variant, observer)?
            }
        };
        match no {
            Ok(made) => {
                record.built(variant)?;
                let place = made.last().cloned().unwrap_or_default();
                let bytes = made.iter().map(|path| size(path)).sum();
                Ok(BuildResult::Built { place, bytes, seconds: began.elapsed().as_secs_f64() })
            }
            Err(reason) => {
                record.not_built(variant, &reason)?;
                Ok(BuildResult::No(reason))
            }
        }
    }

    /// Whether another host that is built for can have it: then this one need not.
    fn elsewhere(&self, variant: Variant) -> bool {
        self.hosts.iter().any(|host| impossible(self.loaded, *host, variant).is_none())
    }

    /// The paths that were made, or why this variant cannot be had.
    fn attempt(
        &mut self,
        host: &'static dyn Host,
        variant: Variant,
        observer: &mut dyn Observer,
    ) -> Result<std::result::Result<Vec<PathBuf>, String>> {
        if let Some(reason) = self.no_wasm.clone().filter(|_| variant.tier() == Tier::Wasm) {
            return Ok(Err(reason));
        }
        let mut made = Vec::new();
        if let Some(shared) = Shared::of(variant) {
            let known = self.shared.iter().find(|(one, _)| *one == shared).map(|(_, result)| result.clone());
            let result = match known {
                Some(result) => result,
                None => {
                    let steps = self.plan.shared(shared);
                    let result = self.steps(&steps, variant, observer)?;
                    self.shared.push((shared, result.clone()));
                    result
                }
            };
            match result {
                Ok(paths) => made.extend(paths),
                Err(reason) => return Ok(Err(reason)),
            }
        }
        let steps = host.recipe(&self.loaded.project, variant, &Machine::this()).steps;
        Ok(self.steps(&steps, variant, observer)?.map(|paths| {
            made.extend(paths);
            made
        }))
    }

    fn steps(
        &self,
        steps: &[Step],
        variant: Variant,
        observer: &mut dyn Observer,
    ) -> Result<std::result::Result<Vec<PathBuf>, String>> {
        let mut made = Vec::new();
        for step in steps {
            if let Step::Run(command) = step
                && let Some(reason) = self.left_out.reason(command)
            {
                return match self.mode {
                    Mode::Possible => Ok(Err(reason.to_owned())),
                    Mode::Asked => Err(Failure::new(format!("{variant} cannot be built: {reason}"))),
                };
            }
            match carry_out(step, &self.workshop, observer) {
                Ok(path) => made.extend(path),
                Err(error) if self.is_no(variant, &error) => return Ok(Err(wasm::reason(&error))),
                Err(error) => return Err(self.failure(error, variant)),
            }
        }
        Ok(Ok(made))
    }

    /// Whether an error only means that this crate is nothing for Wasm, or this machine has no Wasm tools.
    fn is_no(&self, variant: Variant, error: &Error) -> bool {
        self.mode == Mode::Possible
            && variant.tier() == Tier::Wasm
            && matches!(error, Error::Failed { .. } | Error::Convert { .. } | Error::NoWasmTool { .. })
            && !error.is_disk_full()
    }

    fn failure(&self, error: Error, variant: Variant) -> Failure {
        let package = &self.loaded.project.interface.package;
        let is_own = matches!(&error, Error::Failed { output, .. } if is_error_of(package, output));
        match Failure::from(error) {
            Failure::Plain { output, hint: None, .. } if is_own => {
                let folder = self.loaded.shown(&self.loaded.project.crate_folder);
                let target = if variant.tier() == Tier::Wasm { format!(" --target {WASM_TARGET}") } else { String::new() };
                Failure::Plain {
                    message: format!("your crate `{package}` does not compile, for {variant}"),
                    output,
                    hint: Some(format!("`cargo check{target}` in {folder} shows the same error")),
                }
            }
            failure => failure.or_hint(|| {
                format!(
                    "fix the error above and build again; `--tiers` can leave {variant} out, and `tierup doctor` checks the tools"
                )
            }),
        }
    }
}

/// Whether a build's output says that this package does not compile.
fn is_error_of(package: &str, output: &[String]) -> bool {
    output.iter().any(|line| line.starts_with(&format!("error: could not compile `{package}`")))
}

/// Of a file, or of everything in a folder.
fn size(path: &Path) -> u64 {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| size(&entry.path())).sum(),
        Err(_) => fs::metadata(path).map_or(0, |file| file.len()),
    }
}
