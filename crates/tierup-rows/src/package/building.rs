//! Compiles what is in packages: each variant for each platform.

use std::fs;

use tierup_codegen::{BuiltFor, Files, Step, Support, Target, Variant, abi, shims};
use tierup_diagnostic::{Failure, Result};
use tierup_runner::{BuildRecord, Error, Observer, carry_out, converted};

use super::Packing;
use crate::{
    assemble::CommonShim,
    toolchain::{self, WASM_TARGET},
    wasm,
};

/// Variants in packages, each with the one that the same steps build. Tier 2 needs only `2:core`.
const PACKAGED: [(Variant, Option<Variant>); 3] =
    [(Variant::Pool, Some(Variant::Spawn)), (Variant::Core, None), (Variant::Native, Some(Variant::Async))];

pub(super) struct Built {
    pub(super) built: Vec<BuiltFor>,
    /// Files for all platforms.
    pub(super) common: Files,
    pub(super) has_core: bool,
    /// Variants that are not in the packages, with the reason.
    pub(super) left_out: Vec<(Variant, String)>,
}

impl Packing<'_> {
    pub(super) fn build_all(&self, observer: &mut dyn Observer) -> Result<Built> {
        let Some(first) = self.order.targets.first() else { return Err(Failure::usage("a package needs a target")) };
        let (mut common, mut built, mut has_core, mut left_out) = (Files::new(), Vec::new(), false, Vec::new());
        let mut without_core = |reason: String| left_out.push((Variant::Core, reason));
        // Most hosts run a Wasm module, which is the same for all platforms; for the others, 2:core is machine code.
        let is_shared = !self.is_for_one(Variant::Core, first);
        if is_shared {
            self.core(first, &mut common, observer)?.map_or_else(&mut without_core, |()| has_core = true);
        }
        for target in &self.order.targets {
            observer.note(&format!("building for {}", target.name));
            toolchain::ensure_target(&self.toolchain, &self.workshop, target.triple, observer)?;
            let mut files = Files::new();
            for (variant, _) in PACKAGED.into_iter().filter(|(variant, _)| *variant != Variant::Core) {
                self.build(variant, target, &mut files, observer)?;
            }
            if !is_shared {
                let made = self.core(target, &mut files, observer)?;
                let named = made.map_err(|reason| format!("for {}: {reason}", target.name));
                named.map_or_else(&mut without_core, |()| has_core = true);
            }
            built.push(BuiltFor { target: *target, files });
        }
        let lacks_core = if has_core { None } else { left_out.last().map(|(_, reason)| reason.as_str()) };
        common.add("built.json", self.record(lacks_core)?);
        Ok(Built { built, common, has_core, left_out })
    }

    /// The record of what is built, which the package reads.
    fn record(&self, lacks_core: Option<&str>) -> Result<Vec<u8>> {
        let host = self.order.host;
        let folder = self.loaded.work.join(host.name());
        let mut record = BuildRecord::open(&folder, &abi::hash_text(&self.loaded.project.interface))?;
        for (variant, other) in PACKAGED {
            if let Some(reason) = lacks_core.filter(|_| variant == Variant::Core) {
                record.not_built(variant, reason)?;
                continue;
            }
            record.built(variant)?;
            let has = |other: &Variant| {
                self.order.targets.iter().all(|target| host.support(*other, &target.machine()) == Support::Yes)
            };
            other.filter(has).map_or(Ok(()), |other| record.built(other))?;
        }
        let path = folder.join("built.json");
        fs::read(&path).map_err(|error| Failure::because(format!("cannot read {}", path.display()), error))
    }

    /// The steps of a variant, beginning with those that hosts share.
    fn steps(&self, variant: Variant, target: &Target) -> Vec<Step> {
        let machine = target.machine();
        let shared = match CommonShim::needed_by(variant) {
            Some(CommonShim::Cli) => shims::cli(&self.plan.project, &machine).steps,
            _ => Vec::new(),
        };
        let own = self.order.host.recipe(&self.plan.project, variant, &machine).steps;
        shared.into_iter().chain(own).collect()
    }

    pub(super) fn all_steps(&self) -> Vec<Step> {
        let steps =
            self.order.targets.iter().flat_map(|target| PACKAGED.map(|(variant, _)| self.steps(variant, target)));
        steps.flatten().collect()
    }

    /// Builds a variant, and adds its files to the package's.
    fn build(&self, variant: Variant, target: &Target, files: &mut Files, observer: &mut dyn Observer) -> Result<()> {
        if let Support::No(reason) = self.order.host.support(variant, &target.machine()) {
            return Err(Failure::usage(format!("{variant} is not supported for {}: {reason}", target.name)));
        }
        // Crates for another platform may have other files than those for this machine.
        for (name, content) in self.order.host.recipe(&self.plan.project, variant, &target.machine()).files.iter() {
            tierup_runner::write_file(&self.workshop.root.join(name), content)?;
        }
        for step in self.steps(variant, target) {
            if let Some(reason) = step.commands().into_iter().find_map(|command| self.left_out.reason(command)) {
                return Err(Failure::new(format!("{variant} cannot be built: {reason}")));
            }
            self.carry_out(&step, target, files, observer)?;
        }
        Ok(())
    }

    pub(super) fn carry_out(
        &self,
        step: &Step,
        target: &Target,
        files: &mut Files,
        observer: &mut dyn Observer,
    ) -> std::result::Result<(), Error> {
        let Some(path) = carry_out(&self.for_others(step, target), &self.workshop, observer)? else { return Ok(()) };
        // A path outside the host's folder is an intermediate result.
        let folder = self.workshop.root.join(self.order.host.name());
        let Ok(name) = path.strip_prefix(&folder) else { return Ok(()) };
        let name = name.to_string_lossy().replace('\\', "/");
        match step {
            Step::Convert { .. } => {
                let made = converted(&path, &self.workshop)?;
                match &*name {
                    "" => made.iter().for_each(|(name, content)| files.add(name, content)),
                    folder => files.extend_below(folder, made),
                }
            }
            _ => {
                let read = fs::read(&path);
                files.add(name, read.map_err(|source| Error::File { action: "read", path, source })?);
            }
        }
        Ok(())
    }

    /// Whether each platform has files of its own for a variant.
    fn is_for_one(&self, variant: Variant, target: &Target) -> bool {
        let steps = self.steps(variant, target);
        steps.iter().flat_map(Step::commands).any(|command| command.arguments.iter().any(|word| word == target.triple))
    }

    /// Builds `2:core`. The inner error is the reason why there is none.
    fn core(
        &self,
        target: &Target,
        files: &mut Files,
        observer: &mut dyn Observer,
    ) -> Result<std::result::Result<(), String>> {
        if let Support::No(reason) = self.order.host.support(Variant::Core, &target.machine()) {
            return Ok(Err(reason));
        }
        toolchain::ensure_target(&self.toolchain, &self.workshop, WASM_TARGET, observer)?;
        for step in self.steps(Variant::Core, target) {
            match self.carry_out(&step, target, files, observer) {
                Err(error @ (Error::Failed { .. } | Error::Convert { .. } | Error::NoWasmTool { .. }))
                    if !error.is_disk_full() =>
                {
                    return Ok(Err(wasm::reason(&error)));
                }
                done => done?,
            }
        }
        Ok(Ok(()))
    }
}
