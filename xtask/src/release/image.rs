//! The container image: the static program and nothing else, as an archive in the layout of the [Open Container
//! Initiative](https://github.com/opencontainers/image-spec), which `docker load`, `podman load` and `skopeo copy`
//! accept. [umoci](https://umo.ci) makes it from files alone, without a container engine or special permissions.

use std::{
    fs::{self, File},
    io,
    path::Path,
    time::{Duration, SystemTime},
};

use tierup_codegen::Command;

use super::{REPOSITORY, Target, VERSION, tar, when};
use crate::{repository::output, step::Report};

/// The user that runs the program; usual systems assign the number to nobody.
pub(super) const USER: &str = "65532:65532";

impl Target {
    /// The processor's name in container images.
    fn architecture(&self) -> &'static str {
        if self.cpu == "x64" { "amd64" } else { self.cpu }
    }

    pub(super) fn image(&self) -> String {
        format!("tierup-{VERSION}-{}-{}.oci.tar", self.os, self.architecture())
    }
}

pub(super) fn image(report: &mut Report, target: &Target, out: &Path) -> io::Result<bool> {
    let folder = out.join("unpacked").join(target.image());
    fs::create_dir_all(&folder)?;
    // The layer keeps the file's mode and time.
    let program = folder.join("tierup");
    fs::copy(target.program(), &program)?;
    let seconds = when().parse().map_err(|_| io::Error::other("the last commit has no time"))?;
    File::options().append(true).open(&program)?.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))?;
    let layout = folder.join("layout").display().to_string();
    let (image, program) = (format!("{layout}:{VERSION}"), program.display().to_string());
    let created = output("git", &["log", "-1", "--format=%cI"]);
    let created = created.trim();
    let about = ["--os", target.os, "--architecture", target.architecture(), "--created", created];
    let start = ["--config.entrypoint", "/tierup", "--config.user", USER, "--config.workingdir", "/work"];
    let source = format!("org.opencontainers.image.source={}", REPOSITORY);
    let config = ["config", "--no-history", "--image", &image, "--config.label", &source];
    let steps: [&[&str]; 5] = [
        &["init", "--layout", &layout],
        &["new", "--image", &image],
        &[&config[..], &about, &start].concat(),
        &["insert", "--rootless", "--history.created", created, "--image", &image, &program, "/tierup"],
        &["gc", "--layout", &layout],
    ];
    let name = format!("image of {}", target.triple);
    let made = steps.iter().all(|words| report.step(&name, &Command::new("umoci", words.iter().copied())));
    let pack = tar(Path::new(&layout), &out.join(target.image()), None, ".");
    Ok(made && report.step(&format!("pack the {name}"), &pack))
}
