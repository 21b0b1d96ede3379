//! `3:native`: an extension of Ruby. C glue defines its methods, on top of the C interface that hosts share. `2:core`
//! is the same extension with an embedded sandbox that runs the calls.
//!
//! `docs/decisions/0038-ruby-and-php-through-c.md` says why it uses C, and not magnus or rutie.

use tierup_codegen::shims::{self, Library};
use tierup_codegen::source::fill;
use tierup_codegen::{Artifact, Files, Machine, Os, Project, Recipe, c_interface};

use crate::names;

/// Why a machine cannot run this variant; `None` if it can.
pub(crate) fn impossible(machine: &Machine) -> Option<&'static str> {
    (machine.os == Os::Windows).then_some("the extension's C glue was not tried on Windows; use 1:spawn")
}

/// Why a machine cannot run `2:core`; `None` if it can.
pub(crate) fn impossible_in_sandbox(machine: &Machine) -> Option<&'static str> {
    impossible(machine).or_else(|| shims::sandbox_impossible(machine))
}

/// `3:native`: the crate `ruby-native/`, its build, and where the package keeps the extension.
pub(crate) fn recipe(project: &Project, machine: &Machine) -> Recipe {
    let library = Library::dynamic("tierup-ruby-native", &project.interface);
    let files = files(project, &library, "native", shims::CALLS);
    finished(project, machine, Artifact::library(&library, machine), "native", &files)
}

/// `2:core`: the same in `ruby-core/`, with calls in the sandbox.
pub(crate) fn sandboxed(project: &Project, machine: &Machine) -> Recipe {
    let library = Library::dynamic("tierup-ruby-core", &project.interface);
    let files = files(project, &library, "core", shims::CALLS_IN_SANDBOX);
    finished(project, machine, Artifact::sandboxed(project, &library, machine), "core", &files)
}

/// The name of an extension's file, without its ending. Ruby calls a function in it that is named after the file.
fn extension(project: &Project, kind: &str) -> String {
    format!("{}_{kind}", names::gem(&project.interface.package))
}

/// The recipe that puts the extension into its place.
fn finished(project: &Project, machine: &Machine, artifact: Artifact, kind: &str, files: &Files) -> Recipe {
    let ending = if machine.os == Os::MacOs { "bundle" } else { "so" };
    let mut recipe = artifact.copied(format!("ruby/artifacts/{}.{ending}", extension(project, kind)));
    recipe.files.extend_below(&format!("ruby-{kind}"), files.clone());
    recipe
}

/// The crate. Its functions become the methods of a class of the package.
fn files(project: &Project, library: &Library, kind: &str, calls: &str) -> Files {
    let interface = &project.interface;
    let class = if kind == "core" { "Core" } else { "Native" };
    let dependencies = format!("[dependencies]\n{calls}\n\n[build-dependencies]\ncc = \"1.2\"");
    let glue = fill(
        include_str!("../templates/native/glue.c"),
        &[("class", class), ("module", &names::module(&interface.package))],
    );
    let entry = fill(include_str!("../templates/native/lib.rs"), &[("extension", &extension(project, kind))]);
    let mut files = Files::new()
        .with("Cargo.toml", library.manifest(&shims::identified(project), &dependencies))
        .with("build.rs", include_str!("../templates/native/build.rs"))
        .with("src/lib.rs", entry)
        .with("c/fault.h", include_str!("../templates/native/fault.h"))
        .with("c/glue.c", glue);
    for (name, content) in c_interface(&names::named(interface)).iter() {
        files.add(name, content);
    }
    files
}
