//! The package: two modules made for the project (`interface`), the others the same in every package.

use tierup_codegen::{Files, Project, source::fill};

use crate::{interface, names};

/// The package's files, without anything built, below `.tierup/perl/`.
///
/// # Errors
/// Perl could not load a module for this crate.
pub(crate) fn package(project: &Project) -> Result<Files, String> {
    let module = names::module(&project.interface.package)?;
    let named = names::named(&project.interface);
    let mut own = Files::new().with("Interface.pm", interface::interface(&named, &module));
    for (name, text) in FIXED {
        own.add(*name, fill(text, &[("module", &module)]));
    }
    let mut files = Files::new().with(format!("lib/Tierup/{module}.pm"), interface::methods(&named, &module));
    files.extend_below(&format!("lib/Tierup/{module}"), own);
    Ok(files)
}

/// The files that are the same in every package, but for its name.
const FIXED: &[(&str, &str)] = &[
    ("Binding.pm", include_str!("../templates/package/Binding.pm")),
    ("Built.pm", include_str!("../templates/package/Built.pm")),
    ("Failure.pm", include_str!("../templates/package/Failure.pm")),
    ("Pool.pm", include_str!("../templates/package/Pool.pm")),
    ("Process.pm", include_str!("../templates/package/Process.pm")),
    ("Spawn.pm", include_str!("../templates/package/Spawn.pm")),
    ("Wire.pm", include_str!("../templates/package/Wire.pm")),
];
