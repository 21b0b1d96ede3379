//! A build of some variants: the steps of each one, and the reason if a variant is not available.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use tierup_codegen::{Host, HostSettings, Machine, Server, Step, Support, Tier, Variant};
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_runner::{BuildRecord, Error, Observer, Workshop, carry_out};

use crate::{
    WASM_TARGET,
    assemble::{CommonShim, Plan},
    resolve::LeftOut,
    wasm,
};

/// The hosts and variants to build.
pub struct Wanted<'a> {
    pub hosts: Vec<(&'static dyn Host, &'a HostSettings)>,
    pub variants: Vec<Variant>,
    pub mode: Mode,
}

/// What happens if a variant cannot be built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It is left out with the reason, e.g. because the crate does not compile to Wasm.
    Possible,
    /// The build fails, as the user asked for this variant.
    Asked,
}

/// The result of one variant.
pub struct VariantOutcome {
    pub host: &'static str,
    pub variant: Variant,
    pub result: BuildResult,
}

pub enum BuildResult {
    Built { place: PathBuf, bytes: u64, seconds: f64 },
    No(String),
}

pub(crate) struct Builder<'a> {
    pub(crate) loaded: &'a Loaded,
    /// All hosts of this build.
    pub(crate) hosts: Vec<&'static dyn Host>,
    pub(crate) plan: Plan,
    pub(crate) left_out: LeftOut,
    /// Why tier 2 is not available on this machine.
    pub(crate) no_wasm: Option<String>,
    pub(crate) workshop: Workshop,
    pub(crate) mode: Mode,
    /// The shims of this run: the built paths, or why a shim was not built.
    pub(crate) shared: Vec<(CommonShim, std::result::Result<Vec<PathBuf>, String>)>,
}

impl Builder<'_> {
    /// Builds one variant for a host, and records the result.
    pub(crate) fn variant(
        &mut self,
        host: &'static dyn Host,
        variant: Variant,
        record: &mut BuildRecord,
        observer: &mut dyn Observer,
    ) -> Result<BuildResult> {
        let began = Instant::now();
        let no = match impossible(self.loaded, host, variant) {
            Some(reason) if self.mode == Mode::Asked && !self.elsewhere(variant) => {
                return Err(Failure::usage(format!("{variant} is not supported for {}: {reason}", host.title())));
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

    /// Whether another host of this build supports the variant. Then it is no error that this host does not.
    fn elsewhere(&self, variant: Variant) -> bool {
        self.hosts.iter().any(|host| impossible(self.loaded, *host, variant).is_none())
    }

    /// The built paths, or why this variant is not available.
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
        if let Some(shared) = CommonShim::needed_by(variant) {
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

    pub(crate) fn steps(
        &self,
        steps: &[Step],
        variant: Variant,
        observer: &mut dyn Observer,
    ) -> Result<std::result::Result<Vec<PathBuf>, String>> {
        let mut made = Vec::new();
        for step in steps {
            if let Some(reason) = step.commands().into_iter().find_map(|command| self.left_out.reason(command)) {
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

    /// Whether an error only means that the crate does not compile to Wasm, or that this machine has no Wasm tools.
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
                Failure::new(format!("your crate `{package}` does not compile, for {variant}"))
                    .output(output)
                    .hint(format!("`cargo check{target}` in {folder} shows the same error"))
            }
            failure => failure.or_hint(|| {
                format!(
                    "fix the error above and build again; `--tiers` can leave {variant} out, and `tierup doctor` checks the tools"
                )
            }),
        }
    }
}

/// Why a variant of a host can never be built for this project.
pub fn impossible(loaded: &Loaded, host: &dyn Host, variant: Variant) -> Option<String> {
    if variant == Variant::Server && loaded.project.server == Server::None {
        return Some("tierup.toml has neither a [[route]] nor a [server]".into());
    }
    match host.support(variant, &Machine::this()) {
        Support::Yes => None,
        Support::No(reason) => Some(reason),
    }
}

/// Whether the output of a build says that this package does not compile.
fn is_error_of(package: &str, output: &[String]) -> bool {
    output.iter().any(|line| line.starts_with(&format!("error: could not compile `{package}`")))
}

/// The size in bytes of a file, or of all files in a folder.
fn size(path: &Path) -> u64 {
    match fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| size(&entry.path())).sum(),
        Err(_) => fs::metadata(path).map_or(0, |file| file.len()),
    }
}
