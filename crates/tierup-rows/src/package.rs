//! Packages that can be installed without Rust: a host's package with built files for each platform.
//!
//! In: a project, a host, platforms. Out: packed files, and for each program and library in them its needs and exports,
//! and whether it ran. They are made in `.tierup/package/`, with its own build folder, as they are linked differently.

mod about;
mod archive;
mod building;
mod compiled;
mod image;
mod metadata;
mod packed;
mod read_back;
mod sbom;
mod tools;

use std::{collections::BTreeSet, fs, path::PathBuf};

use tierup_codegen::{
    BuiltFor, Command, Files, Host, HostSettings, Libc, Pack, Parts, Publishable, Server, Step, Target, Variant, shims,
};
use tierup_diagnostic::{Failure, Result};
use tierup_project::Loaded;
use tierup_runner::{Error, Observer, Workshop, capture_with};

use self::{building::Built, metadata::Metadata};
pub use self::{
    image::{ImageOrder, ServerImage, is_plain},
    read_back::ReadBack,
    tools::CrossTools,
};
use crate::{
    assemble::Plan,
    build_folder::cache_folder,
    packages::{generate, lock},
    resolve::{LeftOut, seed},
    toolchain::{self, Toolchain},
};

/// The packages to make.
pub struct PackageOrder {
    pub host: &'static dyn Host,
    pub targets: Vec<Target>,
    /// If `None`, cargo alone compiles, for this machine only.
    pub tools: Option<CrossTools>,
    /// The folder for the packages.
    pub out: PathBuf,
    /// See [`Parts::is_split`].
    pub is_split: bool,
}

/// The result of [`package`].
pub struct PackagesMade {
    pub packages: Vec<PathBuf>,
    pub artifacts: Vec<PackagedFile>,
    /// Variants that are not in the packages, with the reason.
    pub left_out: Vec<(Variant, String)>,
}

/// A program or library of a package.
pub struct PackagedFile {
    pub target: Target,
    pub name: String,
    pub bytes: u64,
    pub read: ReadBack,
    pub tested: Tested,
}

/// How well a file was tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tested {
    /// The package was installed here, and the golden call gave the right answer.
    Ran,
    /// The package was installed here, and its variants load; the project has no golden call.
    Loaded,
    /// The file was only read back.
    Inspected,
}

/// The cache with [`CrossTools`].
pub fn cross_cache(loaded: &Loaded) -> PathBuf {
    cache_folder(&loaded.work)
}

/// The platform of this machine's Rust.
///
/// # Errors
/// There is no Rust, or this platform is not supported.
pub fn this_target(loaded: &Loaded) -> Result<Target> {
    let triple = toolchain::find(&loaded.project.crate_folder)?.this_machine;
    Target::find(&triple).ok_or_else(|| Failure::usage(format!("packages are not made for {triple}")))
}

/// Builds the packages, reads their files back, packs and tests them.
///
/// # Errors
/// A file cannot be built, does not suit its platform, or gives a wrong answer; or the crate has no licence.
pub fn package(mut loaded: Loaded, order: &PackageOrder, observer: &mut dyn Observer) -> Result<PackagesMade> {
    // The Rust server and the paths of the user's own functions are not part of a package.
    loaded.project.server = Server::None;
    loaded.hosts = vec![(order.host, HostSettings::default())];
    packing(loaded, order, observer, |packing, observer| packing.run(observer))
}

/// Builds the server in Rust for the first of the platforms, and reads it back.
///
/// # Errors
/// If it cannot be built, or is not what it was built for.
pub fn package_server(mut loaded: Loaded, order: &PackageOrder, observer: &mut dyn Observer) -> Result<PackagesMade> {
    loaded.hosts.clear();
    packing(loaded, order, observer, |packing, observer| packing.server(observer))
}

fn packing(
    mut loaded: Loaded,
    order: &PackageOrder,
    observer: &mut dyn Observer,
    make: fn(&Packing<'_>, &mut dyn Observer) -> Result<PackagesMade>,
) -> Result<PackagesMade> {
    let _lock = lock(&loaded, observer)?;
    let toolchain = toolchain::find(&loaded.project.crate_folder)?;
    // Packages have the versions of dependencies that were tested here.
    seed(&loaded.workspace_root, &loaded.work)?;
    let tested = loaded.work.clone();
    loaded.work = tested.join("package");
    let (plan, left_out) = generate(&loaded, &tested, &toolchain, observer)?;
    let workshop = workshop(&loaded, &toolchain);
    let triples = order.targets.iter().flat_map(|target| ["--filter-platform", target.triple]);
    let metadata = Command::new("cargo", ["metadata", "--format-version", "1"].into_iter().chain(triples));
    let metadata = Metadata::read(&capture_with(&metadata, &workshop.root, &workshop.environment)?)?;
    make(&Packing { workshop, loaded: &loaded, order, toolchain, plan, left_out, metadata }, observer)
}

/// The workshop of `tierup build`, but with all of cargo's files in `target/`.
fn workshop(loaded: &Loaded, toolchain: &Toolchain) -> Workshop {
    let target = loaded.work.join("target").display().to_string();
    let mut environment = toolchain.environment.clone();
    environment.extend(["CARGO_TARGET_DIR", "CARGO_BUILD_BUILD_DIR"].map(|name| (name.to_owned(), target.clone())));
    let (root, cache) = (loaded.work.clone(), cache_folder(&loaded.work));
    Workshop { root, cache, environment, this_machine: toolchain.this_machine.clone() }
}

struct Packing<'a> {
    loaded: &'a Loaded,
    order: &'a PackageOrder,
    toolchain: Toolchain,
    workshop: Workshop,
    plan: Plan,
    left_out: LeftOut,
    metadata: Metadata,
}

impl Packing<'_> {
    fn run(&self, observer: &mut dyn Observer) -> Result<PackagesMade> {
        let loaded = self.loaded;
        // These refusals come before the builds, which take minutes.
        let (about, without) = self.about()?;
        let texts: Vec<_> = about.licenses.iter().map(|(name, _)| name).collect();
        observer.note(&format!("texts of licences in the package: {}", texts.join(", ")));
        if !without.is_empty() {
            observer.note(&format!(
                "crates whose licence has no text in the package, as they have none: {}",
                without.join(", ")
            ));
        }
        let out = fs::create_dir_all(&self.order.out).and_then(|()| tempfile::tempfile_in(&self.order.out));
        out.map_err(|error| Failure::because(format!("cannot write in {}", self.order.out.display()), error))?;
        let (targets, keeps_floors, is_split) =
            (&self.order.targets[..], self.order.tools.is_some(), self.order.is_split);
        let parts =
            Parts { about: &about, targets, built: &[], common: &Files::new(), has_core: true, keeps_floors, is_split };
        self.has_programs(&self.publishable(&parts)?)?;
        let Built { built, common, has_core, left_out } = self.build_all(observer)?;
        let mut artifacts = self.read_all_back(&built, &common)?;
        let publishable = self.publishable(&Parts { built: &built, common: &common, has_core, ..parts })?;
        let mut packed = Vec::new();
        for one in &publishable {
            packed.push(self.pack(one, observer)?);
            self.try_out(one, &packed, observer)?;
        }
        // Only packages that passed their trials are copied to the user's folder.
        let packages: Vec<_> = publishable.iter().map(|one| self.order.out.join(&one.file)).collect();
        for (from, to) in packed.iter().zip(&packages) {
            fs::copy(from, to).map_err(|error| Failure::because(format!("cannot write {}", to.display()), error))?;
        }
        let tested = if loaded.project.health.is_some() { Tested::Ran } else { Tested::Loaded };
        let is_here = |target: &Target| target.triple == self.toolchain.this_machine;
        artifacts.iter_mut().filter(|file| is_here(&file.target)).for_each(|file| file.tested = tested);
        Ok(PackagesMade { packages, artifacts, left_out })
    }

    fn server(&self, observer: &mut dyn Observer) -> Result<PackagesMade> {
        let Some(target) = self.order.targets.first() else { unreachable!("an image is for one platform") };
        observer.note(&format!("building for {}", target.name));
        toolchain::ensure_target(&self.toolchain, &self.workshop, target.triple, observer)?;
        let name = shims::server::binary(&self.loaded.project.interface);
        for step in shims::server::server(&self.plan.project, &target.machine()).steps {
            self.carry_out(&step, target, &mut Files::new(), observer)?;
        }
        let (built, out) = (self.workshop.root.join("bin").join(&name), self.order.out.join(&name));
        let cannot = |error| Failure::because(format!("cannot copy {} to {}", built.display(), out.display()), error);
        let content = fs::read(&built).map_err(cannot)?;
        let folders: Vec<_> = self.folders().into_iter().map(|(folder, _)| format!("{folder}/")).collect();
        let read =
            read_back::read_back(&content, target, target.floor.filter(|_| self.order.tools.is_some()), &folders)
                .and_then(|read| match &*read.needed {
                    [first, ..] if target.machine().libc == Some(Libc::Musl) => {
                        Err(format!("it loads {first}, and is not static"))
                    }
                    _ => Ok(read),
                });
        let read = read.map_err(|reason| Failure::new(format!("{name} is not fit for an image: {reason}")))?;
        fs::create_dir_all(&self.order.out).and_then(|()| fs::copy(&built, &out)).map_err(cannot)?;
        let (bytes, tested) = (content.len() as u64, Tested::Inspected);
        let file = PackagedFile { target: *target, name, bytes, read, tested };
        Ok(PackagesMade { packages: vec![out], artifacts: vec![file], left_out: Vec::new() })
    }

    fn publishable(&self, parts: &Parts<'_>) -> Result<Vec<Publishable>> {
        let host = self.order.host;
        let made = host.publishable(&self.loaded.project, parts);
        made.map_err(|reason| Failure::usage(format!("no package for {}: {reason}", host.title())))
    }

    /// Asks for the programs that build the packages, pack them and try them.
    fn has_programs(&self, publishable: &[Publishable]) -> Result<()> {
        let steps = self.all_steps();
        let packing = publishable.iter().filter_map(|one| match &one.pack {
            Pack::Run(command) | Pack::RunThenTarGz { command, .. } => Some(command),
            Pack::TarGz => None,
        });
        let trying = publishable.iter().filter(|one| self.is_tried(one)).flat_map(|one| &one.trial);
        let commands = steps.iter().flat_map(Step::commands).chain(packing).chain(trying);
        let programs = commands.map(|command| &*command.program).filter(|program| !program.contains('/'));
        let of_host = self.order.host.tools().into_iter().map(|tool| tool.program);
        for program in programs.chain(of_host).collect::<BTreeSet<_>>() {
            let asked = Command::new(program, ["--version"]);
            let answer = capture_with(&asked, &self.workshop.root, &self.workshop.environment);
            if let Err(error @ Error::Missing { .. }) = answer {
                return Err(Failure::from(error).or_hint(|| "`tierup package` needs it".to_owned()));
            }
        }
        Ok(())
    }

    fn about(&self) -> Result<(tierup_codegen::About, Vec<String>)> {
        let steps = self.all_steps();
        let built = steps.iter().flat_map(Step::commands).filter_map(shims::built_member);
        let roots: BTreeSet<_> = built.map(|member| format!("tierup-{member}")).collect();
        about::about(&self.metadata, self.loaded, &roots)
    }

    fn read_all_back(&self, built: &[BuiltFor], common: &Files) -> Result<Vec<PackagedFile>> {
        let folders: Vec<_> = self.folders().into_iter().map(|(folder, _)| format!("{folder}/")).collect();
        for (name, bytes) in common.iter() {
            read_back::names_no_folder(bytes, &folders)
                .map_err(|reason| Failure::new(format!("{name} is not fit to publish: {reason}")))?;
        }
        let mut all = Vec::new();
        for BuiltFor { target, files } in built {
            // Without zig, linked files need this machine's version of the system's library.
            let floor = target.floor.filter(|_| self.order.tools.is_some());
            for (path, bytes) in files.iter() {
                let name = path.rsplit('/').next().unwrap_or(path).to_owned();
                if str::from_utf8(bytes).is_ok() {
                    // Text files are scripts that call the binaries.
                    continue;
                }
                let read = read_back::read_back(bytes, target, floor, &folders).map_err(|reason| {
                    Failure::new(format!("{name} for {} is not fit to publish: {reason}", target.name))
                })?;
                let bytes = bytes.len() as u64;
                all.push(PackagedFile { target: *target, name, bytes, read, tested: Tested::Inspected });
            }
        }
        Ok(all)
    }
}
