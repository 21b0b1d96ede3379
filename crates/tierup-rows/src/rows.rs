//! Builds the rows of a project at a host, and tells which rows the host can never have.

use std::sync::Arc;

use tierup_codegen::{Host, HostSettings, Machine, Row, Support, Tier, Variant};
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_runner::Observer;

use crate::{
    BuiltRow,
    builder::{BuildResult, Mode, VariantOutcome, Wanted, impossible},
    built_row::no_server,
    packages::{build, build_packages},
};

/// A project at one of its hosts, for which rows are built.
#[derive(Clone, Copy)]
pub struct ProjectHost<'a> {
    pub loaded: &'a Arc<Loaded>,
    pub host: &'static dyn Host,
    pub settings: &'a HostSettings,
}

/// Variants that could not be built, with the reasons.
pub(crate) type Reasons = Vec<(Variant, String)>;

/// Whether any of these rows needs the package: tier 0 is the unchanged server, and tier 4 another program.
fn need_package(rows: &[Row]) -> bool {
    rows.iter().any(|row| match row {
        Row::Baseline(_) | Row::Variant(Variant::Server) | Row::Tier(Tier::Server | Tier::Baseline) => false,
        Row::Free | Row::Wrapped(_) | Row::Variant(_) | Row::Alternative(..) | Row::Tier(_) => true,
    })
}

/// The project at those of these hosts that it names.
pub(crate) fn hosts_of<'a>(
    loaded: &'a Arc<Loaded>,
    hosts: &'a [&'static dyn Host],
) -> impl Iterator<Item = ProjectHost<'a>> {
    hosts.iter().filter_map(|host| Some(ProjectHost { loaded, host: *host, settings: loaded.host(host.name())? }))
}

impl<'a> ProjectHost<'a> {
    /// A row that has been built already.
    pub fn row(self, row: Row) -> BuiltRow {
        BuiltRow { loaded: Arc::clone(self.loaded), host: self.host, settings: self.settings.clone(), row }
    }

    fn wanted(self, variants: Vec<Variant>, mode: Mode) -> Wanted<'a> {
        Wanted { hosts: vec![(self.host, self.settings)], variants, mode }
    }

    /// Refuses a host whose server does not depend on the package yet, if one of the rows needs it. It comes before the
    /// builds, as each would fail, generates the package's source, and installs the server's dependencies.
    ///
    /// # Errors
    /// The server does not depend on the package: the error says what to add, and where. Or there is no server.
    pub fn require_dependency(self, rows: &[Row], observer: &mut dyn Observer) -> Result<()> {
        if self.settings.start.is_empty() {
            return Err(no_server(self.host));
        }
        if !need_package(rows) || self.missing_dependency().is_none() {
            return Ok(());
        }
        // The package may only be not installed yet; and if the user has to add it, its source must exist.
        build_packages(self.loaded, &self.wanted(Vec::new(), Mode::Asked), observer)?;
        self.require_package()
    }

    /// Builds what a row needs, except the server, which [`build_server`](crate::build_server) builds after all rows.
    ///
    /// # Errors
    /// The host does not support the row, or the build fails.
    pub fn build_row(self, row: Row, observer: &mut dyn Observer) -> Result<BuiltRow> {
        let ProjectHost { loaded, host, settings } = self;
        let mut build_one =
            |variants: Vec<Variant>, mode| build_packages(loaded, &self.wanted(variants, mode), observer);
        if let Row::Free | Row::Wrapped(_) | Row::Alternative(..) = row
            && let Some(reason) = never(loaded, host, &row)
        {
            return Err(Failure::usage(format!("{row} is not supported for {}: {reason}", host.title())));
        }
        match &row {
            Row::Baseline(label @ Some(name)) if !settings.baselines.iter().any(|(known, _)| known == label) => {
                let failure = Failure::usage(format!("`0:{name}` is not a baseline of {}", host.title()));
                return Err(failure.hint(format!("`[host.{}.baseline]` in tierup.toml lists them", host.name())));
            }
            Row::Baseline(_) | Row::Free | Row::Wrapped(_) => build_one(Vec::new(), Mode::Asked)?,
            Row::Variant(variant) | Row::Alternative(variant, _) => build_one(vec![*variant], Mode::Asked)?,
            Row::Tier(tier) => return self.build_tier(*tier, build_one),
        };
        Ok(self.row(row))
    }

    /// Builds the first variant of a tier that is available at the host.
    fn build_tier(
        self,
        tier: Tier,
        mut build_one: impl FnMut(Vec<Variant>, Mode) -> Result<Vec<VariantOutcome>>,
    ) -> Result<BuiltRow> {
        let mut reasons = Vec::new();
        for variant in Variant::at(tier) {
            // Only Wasm has a second choice if a build fails: the crate may suit another binding.
            let mode = if tier == Tier::Wasm { Mode::Possible } else { Mode::Asked };
            let reason = match impossible(self.loaded, self.host, *variant) {
                Some(reason) => reason,
                None => match build_one(vec![*variant], mode)?.pop().map(|outcome| outcome.result) {
                    Some(BuildResult::No(reason)) => reason,
                    _ => return Ok(self.row(Row::Variant(*variant))),
                },
            };
            reasons.push(format!("{variant}: {reason}"));
        }
        Err(Failure::usage(format!("tier {} is not available in this project", tier.number()))
            .output(reasons)
            .hint("serve it at another tier: --tier 0 to 4"))
    }

    /// Builds those of these variants that the host supports. Returns the built ones, and the others with the reasons.
    ///
    /// # Errors
    /// As [`build`].
    pub(crate) fn build_possible(
        self,
        variants: &[Variant],
        observer: &mut dyn Observer,
    ) -> Result<(Vec<Variant>, Reasons)> {
        let possible = |variant: &Variant| impossible(self.loaded, self.host, *variant).is_none();
        let variants = variants.iter().copied().filter(possible).collect();
        let (mut built, mut left_out) = (Vec::new(), Vec::new());
        for outcome in build(self.loaded, &self.wanted(variants, Mode::Possible), observer)? {
            match outcome.result {
                BuildResult::Built { .. } => built.push(outcome.variant),
                BuildResult::No(reason) => left_out.push((outcome.variant, reason)),
            }
        }
        Ok((built, left_out))
    }
}

/// Why a host can never have a row, whatever the state of the build.
pub(crate) fn never(loaded: &Loaded, host: &dyn Host, row: &Row) -> Option<String> {
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
        // The reason of the first variant represents all.
        Row::Tier(tier) => {
            let mut reasons = Variant::at(*tier).iter().map(|variant| impossible(loaded, host, *variant));
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

/// Whether a host has a package, which `0:free` needs to replay answers. A host with only `4:server` has none.
pub(crate) fn can_replay(host: &dyn Host) -> bool {
    host.supported(&Machine::this()).into_iter().any(|variant| variant != Variant::Server)
}

/// Whether to build a row at this host. A row that was requested for several hosts is built where it is available.
pub(crate) fn is_for(
    row: &Row,
    loaded: &Loaded,
    host: &dyn Host,
    hosts: &[&'static dyn Host],
    observer: &dyn Observer,
) -> bool {
    let Some(reason) = never(loaded, host, row) else { return true };
    // If no host can have the row, its build fails with the reason.
    let elsewhere = hosts.iter().any(|other| never(loaded, *other, row).is_none());
    if elsewhere {
        observer.note(&format!("skipping {row} for {}: {reason}", host.title()));
    }
    !elsewhere
}
