//! `3:native`: an extension of PHP. C glue defines its functions, on top of the C interface that hosts share. `2:core`
//! is the same extension with an embedded sandbox that runs the calls.
//!
//! `docs/decisions/0038-ruby-and-php-through-c.md` says why it uses C, and not ext-php-rs.

use tierup_codegen::named::Named;
use tierup_codegen::shims::{self, Library};
use tierup_codegen::source::fill;
use tierup_codegen::{Artifact, Files, Machine, Os, Project, Recipe, c_interface};

use crate::{functions, names};

/// Why a machine cannot run this variant; `None` if it can.
pub(crate) fn impossible(machine: &Machine) -> Option<&'static str> {
    (machine.os == Os::Windows).then_some("PHP for Windows loads only extensions of its own compiler's; use 1:spawn")
}

/// Why a machine cannot run `2:core`; `None` if it can.
pub(crate) fn impossible_in_sandbox(machine: &Machine) -> Option<&'static str> {
    impossible(machine).or_else(|| shims::sandbox_impossible(machine))
}

/// `3:native`: the crate `php-native/`, its build, and where the package keeps the extension.
pub(crate) fn recipe(project: &Project, machine: &Machine) -> Recipe {
    let library = Library::dynamic("tierup-php-native", &project.interface);
    let files = files(project, &library, functions::symbol, shims::CALLS);
    finished(Artifact::library(&library, machine), "native", files)
}

/// `2:core`: the same in `php-core/`, with calls in the sandbox.
pub(crate) fn sandboxed(project: &Project, machine: &Machine) -> Recipe {
    let library = Library::dynamic("tierup-php-core", &project.interface);
    let files = files(project, &library, functions::sandbox_symbol, shims::CALLS_IN_SANDBOX);
    finished(Artifact::sandboxed(project, &library, machine), "core", files)
}

/// The recipe that puts the extension into its place. Its name is the same everywhere, as people write it into their
/// configuration.
fn finished(artifact: Artifact, kind: &str, files: Files) -> Recipe {
    let mut recipe = artifact.copied(format!("php/artifacts/{kind}.so"));
    recipe.files.extend_below(&format!("php-{kind}"), files);
    recipe
}

/// The crate. Its C functions have names that begin with a symbol.
fn files(project: &Project, library: &Library, symbol: fn(&Named<'_>) -> String, calls: &str) -> Files {
    let interface = &project.interface;
    let named = names::named(interface);
    let symbol = symbol(&named);
    let dependencies = format!("[dependencies]\n{calls}\n\n[build-dependencies]\ncc = \"1.2\"");
    let glue = fill(
        include_str!("../templates/native/glue.c"),
        &[
            ("abi", &format!("{}_ABI", symbol.to_uppercase())),
            ("namespace", &names::namespace(&interface.package)),
            ("symbol", &symbol),
            ("version", &interface.version),
        ],
    );
    let mut files = Files::new()
        .with("Cargo.toml", library.manifest(&shims::identified(project), &dependencies))
        .with("build.rs", include_str!("../templates/native/build.rs"))
        .with("src/lib.rs", include_str!("../templates/native/lib.rs"))
        .with("c/glue.c", glue);
    for (name, content) in c_interface(&named).iter() {
        files.add(name, content);
    }
    files
}
