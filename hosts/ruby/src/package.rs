//! The package: a gem's folder, with what is made for the project and what is the same in every package.

use tierup_codegen::source::{fill, fill_shared, paragraphs};
use tierup_codegen::{Files, Project};

use crate::source::literal;
use crate::{definitions, functions, interface, names, signatures};

/// The package's files, without anything built, below `.tierup/ruby/`.
///
/// # Errors
/// If Ruby could not have a module for this crate.
pub(crate) fn package(project: &Project) -> Result<Files, String> {
    let interface = &project.interface;
    let module = names::checked_module(&interface.package)?;
    let gem = names::gem(&interface.package);
    let named = &names::named(interface);
    let mut own = Files::new()
        .with("functions.rb", functions::functions(named))
        .with("interface.rb", interface::interface(project, named))
        .with("types.rb", definitions::types(named));
    for (name, content) in RUNTIME {
        own.add(format!("tierup/{name}"), fill_shared(content, &[("gem", &gem), ("module", &module)]));
    }
    let example = named.functions.first().map_or("…", |function| &*function.name);
    let readme = fill(
        include_str!("../templates/package/README.md"),
        &[
            ("docs", &paragraphs(&interface.docs)),
            ("example", example),
            ("gem", &gem),
            ("module", &module),
            ("package", &interface.package),
        ],
    );
    let summary = interface.docs.lines().next().filter(|line| !line.is_empty()).unwrap_or("Functions in Rust");
    let manifest = fill(
        include_str!("../templates/package/gemspec.rb"),
        &[
            ("gem", &literal(&gem)),
            ("package", &literal(&interface.package)),
            ("summary", &literal(summary)),
            ("version", &literal(&version(&interface.version))),
        ],
    );
    let mut files = Files::new()
        .with("README.md", readme)
        .with(format!("{gem}.gemspec"), manifest)
        .with(format!("lib/{gem}.rb"), functions::main(named))
        .with(format!("sig/{gem}.rbs"), signatures::signatures(named));
    files.extend_below(&format!("lib/{gem}"), own);
    Ok(files)
}

/// Cargo's version in Ruby's form, which knows no build metadata.
fn version(cargo: &str) -> String {
    cargo.split('+').next().unwrap_or_default().to_owned()
}

/// The files that are the same in every package, but for its name.
const RUNTIME: &[(&str, &str)] = &[
    ("answers.rb", include_str!("../templates/package/runtime/answers.rb")),
    ("baselines.rb", include_str!("../templates/package/runtime/baselines.rb")),
    ("binding.rb", include_str!("../templates/package/runtime/binding.rb")),
    ("built.rb", include_str!("../templates/package/runtime/built.rb")),
    ("checks.rb", include_str!("../templates/package/runtime/checks.rb")),
    ("counts.rb", include_str!("../templates/package/runtime/counts.rb")),
    ("default.rb", include_str!("../templates/package/runtime/default.rb")),
    ("errors.rb", include_str!("../templates/package/runtime/errors.rb")),
    ("forks.rb", include_str!("../templates/package/runtime/forks.rb")),
    ("health.rb", include_str!("../templates/package/runtime/health.rb")),
    ("kept.rb", include_str!("../templates/package/runtime/kept.rb")),
    ("limits.rb", include_str!("../templates/package/runtime/limits.rb")),
    ("lock.rb", include_str!("../templates/package/runtime/lock.rb")),
    ("parallelism.rb", include_str!("../templates/package/runtime/parallelism.rb")),
    ("program.rb", include_str!("../templates/package/runtime/program.rb")),
    ("record.rb", include_str!("../templates/package/runtime/record.rb")),
    ("recording.rb", include_str!("../templates/package/runtime/recording.rb")),
    ("starts.rb", include_str!("../templates/package/runtime/starts.rb")),
    ("tiers.rb", include_str!("../templates/package/runtime/tiers.rb")),
    ("variants/baseline.rb", include_str!("../templates/package/runtime/variants/baseline.rb")),
    ("variants/core.rb", include_str!("../templates/package/runtime/variants/core.rb")),
    ("variants/encoded.rb", include_str!("../templates/package/runtime/variants/encoded.rb")),
    ("variants/free.rb", include_str!("../templates/package/runtime/variants/free.rb")),
    ("variants/memo.rb", include_str!("../templates/package/runtime/variants/memo.rb")),
    ("variants/native.rb", include_str!("../templates/package/runtime/variants/native.rb")),
    ("variants/pool.rb", include_str!("../templates/package/runtime/variants/pool.rb")),
    ("variants/spawn.rb", include_str!("../templates/package/runtime/variants/spawn.rb")),
    ("variants/threaded.rb", include_str!("../templates/package/runtime/variants/threaded.rb")),
    ("wire.rb", include_str!("../templates/package/runtime/wire.rb")),
    ("wire/containers.rb", include_str!("../templates/package/runtime/wire/containers.rb")),
    ("wire/function.rb", include_str!("../templates/package/runtime/wire/function.rb")),
    ("wire/numbers.rb", include_str!("../templates/package/runtime/wire/numbers.rb")),
    ("wire/plain.rb", include_str!("../templates/package/runtime/wire/plain.rb")),
    ("wire/reader.rb", include_str!("../templates/package/runtime/wire/reader.rb")),
    ("wire/types.rb", include_str!("../templates/package/runtime/wire/types.rb")),
    ("worker.rb", include_str!("../templates/package/runtime/worker.rb")),
];
