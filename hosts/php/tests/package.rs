//! The generated package, for the functions of `conformance/`, without anything built.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "../../../conformance/project.rs"]
mod conformance;

use std::{fs, path::Path, process::Command};

use conformance::{check_fallbacks, project, write};
use tierup_codegen::HostSettings;
use tierup_host_php::php;

/// Whether it is committed or linked.
#[test]
fn a_package_takes_the_first_fallback_that_can_run() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME")).join("fallbacks");
    let _ = fs::remove_dir_all(&folder);
    let (project, settings) = (project(), HostSettings::default());
    write(&folder.join("committed"), &php().stub(&project, &settings).unwrap().files);
    write(&folder.join("linked"), &php().package(&project, &settings).unwrap());
    for package in ["committed", "linked"] {
        check_fallbacks(|environment| {
            let script = "require 'autoload.php'; $own = ['echoText' => fn($text) => $text];\n\
                Conformance\\Rust::with(baseline: $own); $rust = Conformance\\Rust::with(baseline: $own);\n\
                echo $rust->tier(), ' ', $rust->echoText('a');";
            let mut command = Command::new("php");
            command.args(["-n", "-d", "display_errors=stderr", "-r", script]).current_dir(folder.join(package));
            let output = command.env_remove("TIERUP_TIER").envs(environment.iter().copied()).output().unwrap();
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
        });
    }
}
