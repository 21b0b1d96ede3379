//! `3:native`: an extension of PHP. C glue defines its functions, over the C interface that hosts share.
//!
//! `docs/decisions/0038-ruby-and-php-through-c.md` says why it is C, and not ext-php-rs.

use tierup_codegen::shims::Library;
use tierup_codegen::{Artifact, Files, Machine, Os, Project, Recipe, c_interface};

use crate::{functions, names};

/// Why a machine cannot have this variant; `None` where it can.
pub(crate) fn impossible(machine: &Machine) -> Option<&'static str> {
    (machine.os == Os::Windows).then_some("PHP for Windows loads only extensions of its own compiler's; use 1:spawn")
}

/// The crate `php-native/`, its build, and the extension's place in the package.
pub(crate) fn recipe(project: &Project, machine: &Machine) -> Recipe {
    let interface = &project.interface;
    let named = names::named(interface);
    let symbol = functions::symbol(&named);
    let library = Library::dynamic("tierup-php-native", interface);
    let manifest = library.manifest(
        interface,
        "[dependencies]\ntierup-calls = { path = \"../calls\" }\n\n[build-dependencies]\ncc = \"1.2\"",
    );
    let glue = include_str!("../templates/native/glue.c")
        .replace("OWN_NAMESPACE", &names::namespace(&interface.package))
        .replace("SYMBOL_ABI", &format!("{}_ABI", symbol.to_uppercase()))
        .replace("SYMBOL", &symbol)
        .replace("VERSION", &interface.version);
    let mut crate_files = Files::new()
        .with("Cargo.toml", manifest)
        .with("build.rs", include_str!("../templates/native/build.rs"))
        .with("src/lib.rs", include_str!("../templates/native/lib.rs"))
        .with("c/glue.c", glue);
    for (name, content) in c_interface(&named).iter() {
        crate_files.add(name, content);
    }
    let mut files = Files::new();
    files.extend_below("php-native", crate_files);
    // The same name everywhere, as people write it into a configuration.
    Recipe { files, ..Artifact::library(&library, machine).copied("php/artifacts/native.so") }
}
