//! `cargo xtask release [--out FOLDER] [--target TRIPLE]…`: builds the files of a release in one folder.
//!
//! In: the repository. Out, per target: a static program as an archive with licences, completions and manual pages, as
//! a wheel, as an npm package and as a container image, with a list of the crates in it. Also the npm package `tierup`,
//! which starts its platform's program; a Homebrew formula; and `SHA256SUMS`. Nothing is published.

mod image;
mod test;

use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tierup_codegen::{Command, source::fill};

pub(crate) use self::test::run as test;
use crate::{
    repository::{answer, output, root},
    step::Report,
    tools,
};

/// A platform that tierup is built for.
struct Target {
    triple: &'static str,
    /// Node's names.
    os: &'static str,
    cpu: &'static str,
    /// Homebrew's name.
    on: &'static str,
}

/// Static programs, which run with glibc, with musl, and without either.
const TARGETS: [Target; 2] = [
    Target { triple: "x86_64-unknown-linux-musl", os: "linux", cpu: "x64", on: "on_intel" },
    Target { triple: "aarch64-unknown-linux-musl", os: "linux", cpu: "arm64", on: "on_arm" },
];
const VERSION: &str = env!("CARGO_PKG_VERSION");
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
const LICENSE: &str = env!("CARGO_PKG_LICENSE");
const DESCRIPTION: &str = "Measure how much Rust would save your server, one function at a time";

/// What to build, and where to put it.
struct Order {
    out: PathBuf,
    targets: Vec<&'static Target>,
}

impl Order {
    /// Parses the command line; the default target is Linux on x64.
    fn parse(mut words: &[&str]) -> Option<Order> {
        let mut order = Order { out: root().join("target/release-files"), targets: vec![] };
        while let [option, value, rest @ ..] = words {
            match *option {
                "--out" => order.out = env::current_dir().ok()?.join(value),
                "--target" => order.targets.push(TARGETS.iter().find(|target| target.triple == *value)?),
                _ => return None,
            }
            words = rest;
        }
        if order.targets.is_empty() {
            order.targets.push(&TARGETS[0]);
        }
        words.is_empty().then_some(order)
    }
}

/// Builds everything into a folder, which is emptied first. Returns the folder if all steps passed.
pub(crate) fn run(report: &mut Report, words: &[&str]) -> Option<PathBuf> {
    let Some(order) = Order::parse(words) else {
        let targets = TARGETS.map(|target| target.triple).join(", ");
        report.check(
            "cargo xtask release",
            false,
            &format!("it takes --out FOLDER, and --target with one of {targets}"),
        );
        return None;
    };
    let passed = make(report, &order).unwrap_or_else(|error| {
        report.check("files of the release", false, &error.to_string());
        false
    });
    for (name, bytes) in files(&order.out) {
        report.say(&format!("{:9.2} MB  {name}", bytes as f64 / 1e6));
    }
    passed.then_some(order.out)
}

fn make(report: &mut Report, Order { out, targets }: &Order) -> io::Result<bool> {
    if out.exists() {
        fs::remove_dir_all(out)?;
    }
    fs::create_dir_all(out)?;
    if !tools_here(report) {
        return Ok(false);
    }
    for target in targets {
        if !compile(report, target, out) {
            return Ok(false);
        }
    }
    // Completions and manual pages are the same for all targets, so the program that runs on this machine writes them.
    let runs_here = targets.iter().find(|target| target.triple.starts_with(env::consts::ARCH));
    let runs_here = runs_here.ok_or_else(|| io::Error::other("none of the targets runs here, to write completions"))?;
    let mut passed = true;
    for target in targets {
        passed &= archive(report, target, &runs_here.program(), out)? && platform_package(report, target, out)?;
        passed &= image::image(report, target, out)? && linked(report, target, out)?;
    }
    passed &= main_package(report, targets, out)?;
    let sums = sums(out, &files(out));
    fs::write(out.join("tierup.rb"), formula(targets, &sums))?;
    fs::write(out.join("SHA256SUMS"), &sums)?;
    fs::remove_dir_all(out.join("unpacked"))?;
    Ok(passed)
}

/// The name and size of each file in a folder, sorted.
fn files(folder: &Path) -> Vec<(String, u64)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.metadata().ok()?)));
    let mut files: Vec<_> =
        files.filter(|(_, about)| about.is_file()).map(|(name, about)| (name, about.len())).collect();
    files.sort();
    files
}

/// The path of a program that only a release needs.
fn tool(name: &str) -> String {
    root().join("target/release-tools/bin").join(name).display().to_string()
}

/// Installs maturin, which makes wheels; zig, a compiler with a C library per target; and umoci, which makes images.
fn tools_here(report: &mut Report) -> bool {
    let home = root().join("target/release-tools").display().to_string();
    let install = ["install", "--quiet", "--requirement", "xtask/templates/release-tools.txt"];
    report.step("an environment for the tools of a release", &Command::new("python3", ["-m", "venv", &home]))
        && report.step("install maturin, zig and uv", &Command::new(&tool("pip"), install))
        && tools::umoci(report)
}

/// Compiles the program, and puts its wheel into `out`.
fn compile(report: &mut Report, target: &Target, out: &Path) -> bool {
    let (triple, out) = (target.triple, out.display().to_string());
    let what = ["build", "--manifest-path", "crates/tierup/Cargo.toml", "--bindings", "bin", "--locked"];
    let how = ["--profile", "dist", "--strip", "--target", triple, "--zig", "--out", &out];
    // The oldest tags that installers accept. A static program needs neither C library.
    let tags = ["--compression-level", "9", "--compatibility", "manylinux_2_17", "musllinux_1_1"];
    let mut build = Command::new(&tool("maturin"), what.into_iter().chain(how).chain(tags));
    let path =
        format!("{}:{}", root().join("target/release-tools/bin").display(), env::var("PATH").unwrap_or_default());
    // Keeps this machine's paths out of the program.
    let cargo = env::var("CARGO_HOME").unwrap_or_else(|_| format!("{}/.cargo", env::var("HOME").unwrap_or_default()));
    let places = [(cargo, "/cargo"), (root().display().to_string(), "/tierup")];
    let each =
        |option: &str| places.iter().map(|(from, to)| format!("{option}={from}={to}")).collect::<Vec<_>>().join(" ");
    build.environment = [
        ("PATH", path),
        ("RUSTFLAGS", each("--remap-path-prefix")),
        ("CFLAGS", each("-ffile-prefix-map")),
        ("SOURCE_DATE_EPOCH", when()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    tools::target(report, triple) && report.step(&format!("compile for {triple}, and make the wheel"), &build)
}

/// The time of the last commit, in seconds, so that the same commit gives the same files.
fn when() -> String {
    output("git", &["log", "-1", "--format=%ct"]).trim().to_owned()
}

impl Target {
    fn program(&self) -> PathBuf {
        root().join("target").join(self.triple).join("dist/tierup")
    }

    fn package(&self) -> String {
        format!("@tierup/cli-{}-{}", self.os, self.cpu)
    }

    /// The end of the wheel's file name.
    fn wheel(&self) -> String {
        format!("_{}.whl", self.triple.split('-').next().unwrap_or_default())
    }

    fn archive(&self) -> String {
        format!("tierup-{VERSION}-{}", self.triple)
    }
}

/// Makes a folder for an archive or package, with README and licences.
fn folder(out: &Path, name: &str) -> io::Result<PathBuf> {
    let folder = out.join("unpacked").join(name);
    fs::create_dir_all(&folder)?;
    for text in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        fs::copy(root().join(text), folder.join(text))?;
    }
    Ok(folder)
}

/// Packs the program with completions and manual pages.
fn archive(report: &mut Report, target: &Target, runs_here: &Path, out: &Path) -> io::Result<bool> {
    let name = target.archive();
    let folder = folder(out, &name)?;
    fs::copy(target.program(), folder.join("tierup"))?;
    fs::create_dir(folder.join("completions"))?;
    let ask = |words: &[&str]| {
        answer(&runs_here.display().to_string(), words)
            .ok_or_else(|| io::Error::other(format!("no {}", words.join(" "))))
    };
    for (shell, file) in [("bash", "tierup.bash"), ("zsh", "_tierup"), ("fish", "tierup.fish")] {
        fs::write(folder.join("completions").join(file), ask(&["completions", shell])?)?;
    }
    ask(&["man", &folder.join("man").display().to_string()])?;
    let file = out.join(format!("{name}.tar.gz"));
    Ok(report.step(&format!("pack {name}"), &tar(&out.join("unpacked"), &file, Some("gzip -9n"), &name)))
}

/// Packs `name` from a folder, with the same result on every machine.
fn tar(folder: &Path, file: &Path, compress: Option<&str>, name: &str) -> Command {
    let (folder, file, time) = (folder.display().to_string(), file.display().to_string(), format!("@{}", when()));
    let same = ["--sort=name", "--mtime", &time, "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
    let compress = compress.map(|program| ["--use-compress-program", program]);
    let what = ["--directory", &folder, "--create", "--file", &file, name];
    Command::new("tar", same.into_iter().chain(compress.into_iter().flatten()).chain(what))
}

/// Copies the list of linked crates, with versions and licences (CycloneDX), out of the wheel, where maturin put it.
fn linked(report: &mut Report, target: &Target, out: &Path) -> io::Result<bool> {
    let (name, unpacked) = (format!("{}.cdx.json", target.archive()), out.join("unpacked/wheel"));
    let wheel = files(out).into_iter().map(|(name, _)| name).find(|name| name.ends_with(&target.wheel()));
    let (wheel, into) = (out.join(wheel.unwrap_or_default()).display().to_string(), unpacked.display().to_string());
    let unpack = Command::new("python3", ["-m", "zipfile", "--extract", &wheel, &into]);
    if !report.step(&format!("what is linked for {}", target.triple), &unpack) {
        return Ok(false);
    }
    let lists = unpacked.join(format!("tierup-{VERSION}.dist-info/sboms"));
    let list = fs::read_dir(lists)?.flatten().next().ok_or_else(|| io::Error::other("the wheel has no list"))?;
    fs::copy(list.path(), out.join(name))?;
    fs::remove_dir_all(unpacked)?;
    Ok(true)
}

/// The npm package with one platform's program. npm installs only the one for its platform.
fn platform_package(report: &mut Report, target: &Target, out: &Path) -> io::Result<bool> {
    let folder = folder(out, &format!("npm-{}-{}", target.os, target.cpu))?;
    fs::copy(target.program(), folder.join("tierup"))?;
    let own = json!({ "os": [target.os], "cpu": [target.cpu], "preferUnplugged": true });
    pack(report, &folder, &target.package(), own, out)
}

/// The npm package that people install.
fn main_package(report: &mut Report, targets: &[&Target], out: &Path) -> io::Result<bool> {
    let folder = folder(out, "npm")?;
    let platforms = targets.iter().map(|target| format!("{}-{}", target.os, target.cpu)).collect::<Vec<_>>().join(", ");
    fs::write(folder.join("tierup.js"), fill(include_str!("../templates/launcher.js"), &[("platforms", &platforms)]))?;
    let each: serde_json::Map<_, _> = targets.iter().map(|target| (target.package(), json!(VERSION))).collect();
    let own = json!({ "bin": { "tierup": "tierup.js" }, "engines": { "node": ">=18" }, "optionalDependencies": each });
    pack(report, &folder, "tierup", own, out)
}

/// Writes the manifest, with the package's own fields, and packs the folder.
fn pack(report: &mut Report, folder: &Path, name: &str, own: Value, out: &Path) -> io::Result<bool> {
    let mut manifest = json!({
        "name": name,
        "version": VERSION,
        "description": DESCRIPTION,
        "license": LICENSE,
        "repository": { "type": "git", "url": format!("git+{REPOSITORY}.git") },
    });
    if let (Value::Object(manifest), Value::Object(own)) = (&mut manifest, own) {
        manifest.extend(own);
    }
    fs::write(folder.join("package.json"), format!("{manifest:#}\n"))?;
    let out = out.display().to_string();
    let pack = Command::new("npm", ["pack", "--silent", "--pack-destination", &out]);
    Ok(report.step(&format!("pack the npm package {name}"), &Command { folder: folder.to_owned(), ..pack }))
}

/// A line with SHA-256 and name for each file, in the format of `sha256sum --check`.
fn sums(out: &Path, files: &[(String, u64)]) -> String {
    let line = |(name, _): &(String, u64)| {
        let digest = Sha256::digest(fs::read(out.join(name)).unwrap_or_default());
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{digest}  {name}\n")
    };
    files.iter().map(line).collect()
}

/// The Homebrew formula, with the archives' checksums.
fn formula(targets: &[&Target], sums: &str) -> String {
    let downloads = targets.iter().map(|target| {
        let (on, file) = (target.on, format!("{}.tar.gz", target.archive()));
        let sum = sums.lines().find_map(|line| line.strip_suffix(&file)).unwrap_or_default().trim();
        format!(
            "  {on} do\n    url \"{REPOSITORY}/releases/download/v{VERSION}/{file}\"\n    sha256 \"{sum}\"\n  end\n"
        )
    });
    let downloads = downloads.collect::<Vec<_>>().join("\n");
    let values =
        [("description", DESCRIPTION), ("repository", REPOSITORY), ("version", VERSION), ("downloads", &downloads)];
    fill(include_str!("../templates/formula.rb"), &values)
}
