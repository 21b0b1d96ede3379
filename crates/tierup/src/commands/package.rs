//! `tierup package`: makes packages that install without Rust.

mod ci;
mod image;

use std::{
    io::{IsTerminal as _, stderr, stdin},
    path::PathBuf,
};

use clap::Args;
use serde_json::{Value, json};
use tierup_codegen::{Target, Variant, quoted};
use tierup_project::{Loaded, relative};
use tierup_report::text::aligned;
use tierup_rows::{
    CrossTools, PackageOrder, PackagedFile, PackagesMade, ServerImage, Tested, cross_cache, is_plain, package,
    package_server, this_target,
};
use tierup_runner::Observer as _;

use crate::{
    console::Console,
    failure::{Failure, Result},
    hosts::open,
};

/// Make a package that others install without Rust
///
/// It has the function at 1:pool, 2:core and 3:native, compiled for each platform that you name, and lists what each file in it needs.
/// The package is installed into an empty folder and called, if it is for this machine. Nothing is published.
#[derive(Args)]
pub struct Arguments {
    /// The folder that holds tierup.toml
    #[arg(default_value = ".")]
    project: PathBuf,
    /// The host: node, python, go, java, ruby, php or beam
    #[arg(long)]
    host: String,
    /// The platforms, e.g. `linux-x64-gnu,linux-arm64-musl`, or `all` [default: this machine's]
    #[arg(long = "target", value_delimiter = ',', value_name = "TARGET,…")]
    targets: Vec<String>,
    /// Where the package goes [default: dist; with --image, dist in the project's folder]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Make a package of each platform's files, on which the package depends: whoever installs it downloads only those
    /// for their system (npm: `NAME-linux-x64-gnu` and such, in `optionalDependencies`)
    #[arg(long, conflicts_with_all = ["image", "ci"])]
    split: bool,
    #[command(flatten)]
    image: image::ForImage,
    /// Only write the file by which a forge makes the packages, calls them on each system, and publishes them at a tag
    #[arg(long, value_name = "FORGE", conflicts_with_all = ["image", "out", "json"])]
    ci: Option<ci::Ci>,
    /// Install the compiler for other platforms without asking (cargo-zigbuild and zig, from Python's registry)
    #[arg(long, short)]
    yes: bool,
    /// Print JSON, for scripts
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, console: &mut Console) -> Result<()> {
    let loaded = open(&arguments.project)?;
    let (host, settings) = loaded.asked_host(&arguments.host)?;
    if let Some(ci) = arguments.ci {
        let all = ["all".to_owned()];
        let asked = if arguments.targets.is_empty() { &all[..] } else { &arguments.targets };
        let written = ci::write(ci, &loaded, host, &targets(asked, Target::ALL[0])?, arguments.image.force)?;
        return console.data(&written);
    }
    if arguments.split && !host.splits() {
        let what = format!(
            "--split is for package managers that choose dependencies by platform, and {}'s does not",
            host.title()
        );
        return Err(Failure::usage(what));
    }
    let image = arguments.image.plan(&loaded, host, settings)?;
    let this = this_target(&loaded)?;
    let mut targets = targets(&arguments.targets, this)?;
    let (folder, name) = (loaded.folder.clone(), loaded.project.interface.package.clone());
    let mut out = arguments.out.clone().unwrap_or_else(|| "dist".into());
    // rustc brings what links programs for musl.
    let mut is_for_this = targets == [this];
    if let Some(image) = &image {
        let needed = image::target(image, this)?;
        if arguments.targets.is_empty() {
            targets = vec![needed];
        } else if !targets.contains(&needed) {
            return Err(Failure::usage(format!(
                "the image needs {}: add it to --target, or leave that out",
                needed.name
            )));
        }
        is_for_this = targets == [this] || image.is_server() && targets == [needed];
        out = arguments.out.clone().unwrap_or_else(|| folder.join("dist"));
    }
    let tools = tools(arguments, &loaded, is_for_this, console)?;
    let out = std::path::absolute(&out).map_err(|error| Failure::because("cannot find --out", error))?;
    if image.is_some() && !(out.starts_with(&folder) && is_plain(&relative(&folder, &out.join("file")))) {
        return Err(Failure::usage(format!(
            "an image has files of {} only, at a path without blanks and signs: choose --out in there",
            loaded.shown(&folder)
        )));
    }
    let order = PackageOrder { host, targets, tools, out, is_split: arguments.split };
    let make = if image.as_ref().is_some_and(ServerImage::is_server) { package_server } else { package };
    let made = make(loaded, &order, console)?;
    for (variant, reason) in &made.left_out {
        console.note(&format!("the package has no {variant}: {reason}"));
    }
    let written = match &image {
        Some(image) => {
            let command = format!("tierup package --host {} {}", arguments.host, image.options());
            image::write(image, &made, &folder, &command, arguments.image.force)?;
            let place = tierup_project::shown(&folder);
            format!(
                "\nDockerfile, .dockerignore in {place}\n\ndocker build {}--tag {name} {}\n\
                 docker run --rm --init --publish 8080:8080 {name}",
                image.secret(),
                quoted(&place)
            )
        }
        None => String::new(),
    };
    console.data(&if arguments.json { as_json(&made) } else { as_text(&made) + &written })
}

fn targets(names: &[String], this: Target) -> Result<Vec<Target>> {
    match names {
        [] => Ok(vec![this]),
        [all] if all == "all" => Ok(Target::ALL.into()),
        names => {
            let mut targets = Vec::new();
            for name in names {
                let target = Target::find(name).ok_or_else(|| {
                    let known = Target::ALL.map(|target| target.name).join(", ");
                    Failure::usage(format!("`{name}` is no target")).hint(format!("targets are: {known}, or all"))
                })?;
                if !targets.contains(&target) {
                    targets.push(target);
                }
            }
            Ok(targets)
        }
    }
}

/// The compiler for other platforms. If this machine is the only target, cargo needs none.
fn tools(
    arguments: &Arguments,
    loaded: &Loaded,
    is_for_this: bool,
    console: &mut Console,
) -> Result<Option<CrossTools>> {
    let cache = cross_cache(loaded);
    if let Some(tools) = CrossTools::find(&cache) {
        return Ok(Some(tools));
    }
    let command = CrossTools::installing(&cache);
    if arguments.yes || !is_for_this && agrees(&command) {
        return CrossTools::install(&cache, console).map(Some);
    }
    if is_for_this {
        console.note("cargo-zigbuild is not installed: the files may need this machine's glibc or a newer one (--yes installs it)");
        return Ok(None);
    }
    Err(Failure::usage("cargo-zigbuild and zig, which compile for other platforms, are not installed")
        .hint(format!("add --yes, or install them yourself: {command}")))
}

/// Asks on a terminal; without one, the answer is no.
fn agrees(command: &str) -> bool {
    if !stdin().is_terminal() || !stderr().is_terminal() {
        return false;
    }
    eprint!("Compiling for other platforms takes cargo-zigbuild and zig (450 MB on the disk). Run `{command}`? [y/N] ");
    let mut answer = String::new();
    stdin().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}

fn as_text(made: &PackagesMade) -> String {
    let row = |file: &PackagedFile| {
        [
            file.target.name.to_owned(),
            file.name.clone(),
            format!("{} KiB", file.bytes.div_ceil(1024)),
            file.read.floor.clone().unwrap_or_default(),
            file.read.exports.to_string(),
            words(file.tested).to_owned(),
            file.read.needed.join(" "),
        ]
    };
    let rows: Vec<_> = made.artifacts.iter().map(row).collect();
    let table = aligned(["target", "file", "size", "floor", "exports", "tested", "needs"], &rows);
    made.packages.iter().fold(table, |all, path| format!("{all}\n{}", tierup_project::shown(path)))
}

fn words(tested: Tested) -> &'static str {
    match tested {
        Tested::Ran => "ran",
        Tested::Loaded => "loaded; no [health] to call",
        Tested::Inspected => "only inspected",
    }
}

fn as_json(made: &PackagesMade) -> String {
    let file = |file: &PackagedFile| {
        let (target, read) = (file.target.name, &file.read);
        json!({
            "target": target, "file": file.name, "bytes": file.bytes, "floor": read.floor, "exports": read.exports,
            "needs": read.needed, "tested": words(file.tested),
        })
    };
    let left_out = |(variant, reason): &(Variant, String)| json!({ "variant": variant.name(), "reason": reason });
    let value = json!({
        "packages": made.packages,
        "files": made.artifacts.iter().map(file).collect::<Value>(),
        "left_out": made.left_out.iter().map(left_out).collect::<Value>(),
    });
    format!("{value:#}")
}
