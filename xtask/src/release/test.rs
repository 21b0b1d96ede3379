//! Installs a release as users do, in an empty folder without Rust on `PATH`, and runs a profile up to its ranking.

use std::{
    env, fs, io,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use tierup_codegen::Command;

use super::{VERSION, files, image::USER, tool};
use crate::{
    repository::{output, root},
    step::Report,
};

/// The programs on the otherwise empty `PATH`: those that npm and a server in Node need.
const PROGRAMS: [&str; 6] = ["sh", "env", "node", "npm", "npx", "uname"];
const SERVER: &str = "function hot(text) { let sum = 0; for (let i = 0; i < 2e6; i++) sum += Math.sqrt(i + text.length); return sum; }
require('node:http').createServer((request, response) => response.end(String(hot(request.url)))).listen(process.env.PORT);
";
/// The size limit of an archive or package, in bytes.
const LARGEST: u64 = 10_000_000;

/// An empty folder with its own `PATH`.
struct Elsewhere {
    folder: PathBuf,
    programs: String,
    release: PathBuf,
}

pub(crate) fn run(report: &mut Report) {
    if let Some(release) = super::run(report, &[])
        && let Err(error) = installed(report, release)
    {
        report.check("installing the release", false, &error.to_string());
    }
}

fn installed(report: &mut Report, release: PathBuf) -> io::Result<()> {
    let folder = env::temp_dir().join(format!("tierup-release-{}", std::process::id()));
    let programs = folder.join("programs");
    fs::create_dir_all(&programs)?;
    let path = env::var_os("PATH").unwrap_or_default();
    for name in PROGRAMS {
        let file = env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.exists());
        symlink(file.ok_or_else(|| io::Error::other(format!("`{name}` is not on PATH")))?, programs.join(name))?;
    }
    let there = Elsewhere { folder, programs: programs.display().to_string(), release };
    there.files(report)?;
    there.npm(report)?;
    there.python(report);
    there.archive(report);
    there.image(report)?;
    fs::remove_dir_all(&there.folder)
}

impl Elsewhere {
    /// The built file whose name has this ending.
    fn file(&self, ending: &str) -> String {
        let name = files(&self.release).into_iter().map(|(name, _)| name).find(|name| name.ends_with(ending));
        self.release.join(name.unwrap_or_default()).display().to_string()
    }

    fn command(&self, program: &str, words: &[&str]) -> Command {
        let command = Command::new(program, words.iter().copied());
        Command { folder: self.folder.clone(), environment: vec![("PATH".into(), self.programs.clone())], ..command }
    }

    /// Runs a command that must succeed and print `expected`.
    fn says(&self, report: &mut Report, name: &str, command: &Command, expected: &str) {
        let mut said = String::new();
        if report.step_reading(name, command, |line| said += &format!("{line}\n")) {
            report.check(name, said.contains(expected), &format!("it does not say `{expected}`:\n{said}"));
        }
    }

    fn files(&self, report: &mut Report) -> io::Result<()> {
        for (name, bytes) in files(&self.release) {
            report.check(&name, bytes < LARGEST, &format!("it has {bytes} bytes, and may have {LARGEST}"));
        }
        let sums = Command { folder: self.release.clone(), ..Command::new("sha256sum", ["--check", "SHA256SUMS"]) };
        report.step("checksums", &sums);
        report.step("the formula is Ruby", &Command::new("ruby", ["-c", &self.file("tierup.rb")]));
        let program = fs::read(root().join("target/x86_64-unknown-linux-musl/dist/tierup"))?;
        for place in [root().display().to_string(), env::var("HOME").unwrap_or("/home/".into()) + "/"] {
            let found = program.windows(place.len()).any(|bytes| bytes == place.as_bytes());
            report.check("paths of this machine", !found, &format!("the program contains `{place}`"));
        }
        Ok(())
    }

    fn npm(&self, report: &mut Report) -> io::Result<()> {
        let (main, platform) =
            (self.file(&format!("tierup-{VERSION}.tgz")), self.file(&format!("-linux-x64-{VERSION}.tgz")));
        let words = ["install", "--offline", "--no-audit", "--no-fund", &main, &platform];
        report.step("npm install FILES", &self.command("npm", &words));
        let version = format!("tierup {VERSION}");
        self.says(report, "npx tierup --version", &self.command("npx", &["tierup", "--version"]), &version);
        fs::write(self.folder.join("server.js"), SERVER)?;
        fs::write(self.folder.join("requests.http"), "GET /a\n")?;
        let profile = ["tierup", "profile", "--command", "node server.js"];
        self.says(report, "npx tierup profile", &self.command("npx", &profile), "=> hot is the first candidate");
        fs::remove_dir_all(self.folder.join("node_modules/@tierup"))?;
        let without = ["-c", "npx tierup --version; test $? = 3"];
        let missing =
            "error: the package `@tierup/cli-linux-x64`, which holds tierup for this platform, is not installed";
        self.says(report, "npx without the platform's package", &self.command("sh", &without), missing);
        Ok(())
    }

    fn python(&self, report: &mut Report) {
        let (wheel, version) = (self.file(".whl"), format!("tierup {VERSION}"));
        let environment = self.folder.join("environment");
        report.step("python3 -m venv", &Command::new("python3", ["-m", "venv", &environment.display().to_string()]));
        let bin = environment.join("bin");
        let pip = bin.join("pip").display().to_string();
        report.step("pip install WHEEL", &self.command(&pip, &["install", "--no-index", &wheel]));
        let program = bin.join("tierup").display().to_string();
        self.says(report, "tierup --version, by pip", &self.command(&program, &["--version"]), &version);
        let python = bin.join("python").display().to_string();
        let uvx = ["--offline", "--no-cache", "--python", &python, "--from", &wheel, "tierup", "--version"];
        self.says(report, "uvx --from WHEEL tierup", &self.command(&tool("uvx"), &uvx), &version);
    }

    /// Does the work of a container engine: unpacks the layers, and runs the program in them as the image's user.
    fn image(&self, report: &mut Report) -> io::Result<()> {
        let (layout, bundle) = (self.folder.join("layout"), self.folder.join("bundle"));
        fs::create_dir(&layout)?;
        let unpack = ["-xf", &self.file("-amd64.oci.tar"), "--directory", &layout.display().to_string()];
        report.step("unpack the image", &Command::new("tar", unpack));
        let (image, bundle) = (format!("{}:{VERSION}", layout.display()), bundle.display().to_string());
        report.step(
            "make its layers a folder",
            &Command::new("umoci", ["unpack", "--rootless", "--image", &image, &bundle]),
        );
        let config: serde_json::Value = serde_json::from_slice(&fs::read(format!("{bundle}/config.json"))?)?;
        let process = &config["process"];
        let is_right = process["args"][0] == "/tierup" && process["user"]["uid"] == 65_532 && process["cwd"] == "/work";
        report.check("the image's start and user", is_right, &process.to_string());
        let words = format!("{}chroot --userspec={USER} {bundle}/rootfs /tierup --version", sudo());
        self.says(report, "in the image", &Command::new("sh", ["-c", &words]), &format!("tierup {VERSION}"));
        Ok(())
    }

    /// Runs the program in a root folder that has nothing but the archive.
    fn archive(&self, report: &mut Report) {
        let (archive, folder) = (self.file(".tar.gz"), self.folder.display().to_string());
        report.step("unpack the archive", &Command::new("tar", ["-xzf", &archive, "--directory", &folder]));
        let name = Path::new(&archive).file_name().unwrap_or_default().to_string_lossy().replace(".tar.gz", "");
        let root = self.folder.join(name).display().to_string();
        let words = format!("{}chroot {root} /tierup --version", sudo());
        self.says(report, "alone in a root folder", &Command::new("sh", ["-c", &words]), &format!("tierup {VERSION}"));
    }
}

/// The prefix for commands that need root, such as chroot.
fn sudo() -> &'static str {
    if output("id", &["-u"]).trim() == "0" { "" } else { "sudo -n " }
}
