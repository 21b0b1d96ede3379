//! The project `conformance/` as this host sees it: with `[host.perl]` in `tierup.toml`, which `tierup` would refuse there.

use std::fs;
use std::path::Path;

use tierup_codegen::Files;
use tierup_host_perl::perl;
use tierup_project::{Loaded, open};
use tierup_runner::write_file;

/// The project, opened in a folder of the test's own: tests run at the same time.
pub(crate) fn conformance(test: &str) -> Loaded {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_PKG_NAME")).join(test);
    write_below(&folder, &Files::new().with("tierup.toml", tierup_toml()));
    open(&folder, &[perl()]).unwrap_or_else(|error| panic!("{error:?}"))
}

/// Leaves alone what has not changed, so that cargo does not build it again.
pub(crate) fn write_below(folder: &Path, files: &Files) {
    for (name, content) in files.iter() {
        write_file(&folder.join(name), content).unwrap();
    }
}

/// `tierup.toml` with the functions of `conformance/`, and baselines in `tests/perl`.
fn tierup_toml() -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let conformance = here.parent().unwrap();
    let settings = fs::read_to_string(conformance.join("tierup.toml")).unwrap();
    let (functions, _other_hosts) = settings.split_once("\n[host.").unwrap();
    let functions = functions.replace("crate = \".\"", &format!("crate = {conformance:?}"));
    let server = here.join("tests/perl");
    format!(
        r#"{functions}
[host.perl]
folder = {server:?}
install = false
start = ["perl", "server.pl"]
[host.perl.baseline]
"0" = "Own"
"0:text" = "OwnText"
"#
    )
}
