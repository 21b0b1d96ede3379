//! `3:native`: an extension of Ruby. C glue defines its methods, over the C interface that hosts share.
//!
//! `docs/decisions/0038-ruby-and-php-through-c.md` says why it is C, and not magnus or rutie.

use tierup_codegen::shims::Library;
use tierup_codegen::{Artifact, Files, Machine, Os, Project, Recipe, c_interface};

use crate::names;

/// Why a machine cannot have this variant; `None` where it can.
pub(crate) fn impossible(machine: &Machine) -> Option<&'static str> {
    (machine.os == Os::Windows).then_some("the extension's C glue was not tried on Windows; use 1:spawn")
}

/// The crate `ruby-native/`, its build, and the extension's place in the package.
pub(crate) fn recipe(project: &Project, machine: &Machine) -> Recipe {
    let package = &project.interface.package;
    let extension = names::extension(package);
    let named = names::named(&project.interface);
    let library = Library::dynamic("tierup-ruby-native", &project.interface);
    let manifest = library.manifest(
        &project.interface,
        "[dependencies]\ntierup-calls = { path = \"../calls\" }\n\n[build-dependencies]\ncc = \"1.2\"",
    );
    let glue = include_str!("../templates/native/glue.c").replace("MODULE", &names::module(package));
    let mut crate_files = Files::new()
        .with("Cargo.toml", manifest)
        .with("build.rs", include_str!("../templates/native/build.rs"))
        .with("src/lib.rs", include_str!("../templates/native/lib.rs").replace("EXTENSION", &extension))
        .with("c/fault.h", include_str!("../templates/native/fault.h"))
        .with("c/glue.c", glue);
    for (name, content) in c_interface(&named).iter() {
        crate_files.add(name, content);
    }
    let mut files = Files::new();
    files.extend_below("ruby-native", crate_files);
    let ending = if machine.os == Os::MacOs { "bundle" } else { "so" };
    let artifact = Artifact::library(&library, machine);
    Recipe { files, ..artifact.copied(format!("ruby/artifacts/{extension}.{ending}")) }
}
