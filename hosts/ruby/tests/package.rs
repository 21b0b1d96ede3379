//! The generated gem, for the functions of `conformance/`, without anything built.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "../../../conformance/project.rs"]
mod conformance;

use std::{fs, path::Path, process::Command};

use conformance::{check_fallbacks, project, write};
use tierup_codegen::HostSettings;
use tierup_host_ruby::ruby;

/// Whether it is committed or linked.
#[test]
fn a_gem_takes_the_first_fallback_that_can_run() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME")).join("fallbacks");
    let _ = fs::remove_dir_all(&folder);
    let (project, settings) = (project(), HostSettings::default());
    write(&folder.join("committed"), &ruby().stub(&project, &settings).unwrap().files);
    write(&folder.join("linked"), &ruby().package(&project, &settings).unwrap());
    for gem in ["committed", "linked"] {
        check_fallbacks(|environment| {
            let script = "rust = Conformance.with(baseline: { echo_text: ->(text) { text } })\n\
                puts \"#{rust.tier} #{rust.echo_text('a')}\"";
            let mut command = Command::new("ruby");
            command.args(["-w", "-I", "lib", "-r", "conformance", "-e", script]).current_dir(folder.join(gem));
            let output = command.env_remove("TIERUP_TIER").envs(environment.iter().copied()).output().unwrap();
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
        });
    }
}
