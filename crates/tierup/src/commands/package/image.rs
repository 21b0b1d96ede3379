//! `tierup package --image`: a Dockerfile for the user's server, beside the package that it copies.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use tierup_codegen::{Files, Host, HostSettings, Libc, Row, System, Target, Tier};
use tierup_project::{Loaded, relative, shown};
use tierup_rows::{ImageOrder, PackagesMade, ServerImage};

use crate::failure::{Failure, Result};

#[derive(Args)]
pub(super) struct ForImage {
    /// Also write a Dockerfile and a .dockerignore for the server: its image is Debian's, Alpine's, or nothing but the server (`scratch`, tier 4)
    #[arg(long, value_name = "SYSTEM", num_args = 0..=1, default_missing_value = "debian")]
    image: Option<Base>,
    /// The tier that the image runs at [default: 3, and 4 for `scratch`]
    #[arg(long, requires = "image")]
    tier: Option<Row>,
    /// Write over files that you have changed
    #[arg(long)]
    pub(super) force: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Base {
    Debian,
    Alpine,
    Scratch,
}

impl ForImage {
    /// What is asked for, if it can be made; before anything is compiled.
    pub(super) fn plan(
        &self,
        loaded: &Loaded,
        host: &dyn Host,
        settings: &HostSettings,
    ) -> Result<Option<ServerImage>> {
        let Some(base) = self.image else { return Ok(None) };
        let is_foreign = |path: &PathBuf| fs::read_to_string(path).is_ok_and(|text| !text.contains(ServerImage::MARK));
        let files = ["Dockerfile", ".dockerignore"].map(|name| loaded.folder.join(name));
        if let Some(path) = files.into_iter().filter(|_| !self.force).find(is_foreign) {
            return Err(differs_there(&path));
        }
        let (system, usual) = match base {
            Base::Debian => (System::Debian, Tier::Native),
            Base::Alpine => (System::Alpine, Tier::Native),
            Base::Scratch => (System::Scratch, Tier::Server),
        };
        let order = ImageOrder { system, row: self.tier.clone().unwrap_or(Row::Tier(usual)) };
        ServerImage::new(loaded, host, settings, order).map(Some)
    }
}

/// The platform of an image: Linux, on this machine's processor.
pub(super) fn target(image: &ServerImage, this: Target) -> Result<Target> {
    let is_it = |target: &Target| {
        let machine = target.machine();
        machine.libc == Some(image.libc()) && machine.arch == this.machine().arch
    };
    let found = Target::ALL.into_iter().find(is_it);
    found.ok_or_else(|| Failure::usage(format!("images are not made for the processor of {}", this.name)))
}

/// Writes the files.
pub(super) fn write(
    image: &ServerImage,
    made: &PackagesMade,
    project: &Path,
    command: &str,
    force: bool,
) -> Result<()> {
    let [package] = &made.packages[..] else {
        return Err(Failure::usage("an image takes one package: leave out --target"));
    };
    let newer = made.artifacts.iter().filter(|file| file.target.machine().libc == Some(Libc::Gnu));
    if let Some((file, floor)) =
        newer.filter_map(|file| Some((file, file.read.floor.as_ref()?))).find(|(_, floor)| minor(floor) > DEBIANS)
    {
        return Err(Failure::usage(format!("{} needs glibc {floor}, and Debian 12 has 2.{DEBIANS}", file.name))
            .hint("add --yes: cargo-zigbuild links for an old one"));
    }
    let needs: Vec<_> = made.artifacts.iter().flat_map(|file| &file.read.needed).map(String::as_str).collect();
    let files = image.files(&PathBuf::from(relative(project, package)), &needs, command);
    let files = files.map_err(|why| {
        Failure::usage(format!("no image: {why}"))
            .hint("put the server's version first on PATH, or let it ask for the other one")
    })?;
    write_own(&files, project, force)
}

/// The second part of the version of glibc that Debian 12 has.
const DEBIANS: u32 = 36;

fn minor(version: &str) -> u32 {
    version.split('.').nth(1).and_then(|minor| minor.parse().ok()).unwrap_or_default()
}

fn differs_there(path: &Path) -> Failure {
    Failure::usage(format!("{} is there, and differs from what tierup writes", shown(path)))
        .hint("--force writes over it; or move it away")
}

/// Writes files that their owner may have changed.
///
/// # Errors
/// One of them is there and differs, without `force`.
pub(super) fn write_own(files: &Files, folder: &Path, force: bool) -> Result<()> {
    let differs = |(name, content): &(&str, &[u8])| fs::read(folder.join(name)).is_ok_and(|there| there != *content);
    if let Some((name, _)) = files.iter().find(differs).filter(|_| !force) {
        return Err(differs_there(&folder.join(name)));
    }
    files.iter().try_for_each(|(name, content)| tierup_runner::write_file(&folder.join(name), content).map(drop))?;
    Ok(())
}
