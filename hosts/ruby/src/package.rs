//! The package: a gem's folder, with files generated for the project and files that are the same in every package.

use tierup_codegen::source::{self, fill, fill_shared, paragraphs};
use tierup_codegen::{Files, Project};
use tierup_model::Interface;

use crate::source::literal;
use crate::{definitions, functions, interface, names, signatures};

/// Bundler's files: what a project needs, and the versions that it has.
pub(crate) const GEMFILE: &str = "Gemfile";
pub(crate) const LOCK: &str = "Gemfile.lock";

/// The package's files, without anything built, below `.tierup/ruby/`.
///
/// # Errors
/// If Ruby cannot have a module of this crate's name.
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
    let manifest = manifest(interface, &gem, FROM_BUILT);
    let mut files = Files::new()
        .with("README.md", readme)
        .with(format!("{gem}.gemspec"), manifest)
        .with(format!("lib/{gem}.rb"), functions::main(named))
        .with(format!("sig/{gem}.rbs"), signatures::signatures(named));
    files.extend_below(&format!("lib/{gem}"), own);
    Ok(files)
}

/// The committed package: see [`tierup_codegen::Packaging::stub`].
///
/// # Errors
/// As for [`package`].
pub(crate) fn committed(project: &Project) -> Result<Files, String> {
    let interface = &project.interface;
    let module = names::checked_module(&interface.package)?;
    let gem = names::gem(&interface.package);
    let named = &names::named(interface);
    let filled = |text: &str| fill_shared(text, &[("gem", &gem), ("module", &module)]);
    let generated = [
        (format!("{gem}.gemspec"), manifest(interface, &gem, FROM_REPOSITORY)),
        (format!("sig/{gem}.rbs"), signatures::signatures(named)),
        (format!("lib/{gem}.rb"), filled(include_str!("../templates/committed/main.rb"))),
        (format!("lib/{gem}_tier0.rb"), functions::main(named)),
        (format!("lib/{gem}/functions.rb"), functions::functions(named)),
        (format!("lib/{gem}/interface.rb"), interface::interface(project, named)),
        (format!("lib/{gem}/types.rb"), definitions::types(named)),
        (format!("lib/{gem}/tierup/tiers.rb"), filled(include_str!("../templates/committed/tiers.rb"))),
    ];
    let shared = RUNTIME.iter().filter(|(name, _)| SHARED.contains(name) || name.starts_with("wire/"));
    let shared = shared.map(|(name, text)| (format!("lib/{gem}/tierup/{name}"), filled(text)));
    let mut files = Files::new();
    for (name, text) in generated.into_iter().chain(shared) {
        // Excludes the file from the linter of the user's repository.
        let magic = "# frozen_string_literal: true\n";
        let quiet = text.replacen(magic, &format!("{magic}# rubocop:disable all\n"), 1);
        files.add(name, source::committed(&quiet));
    }
    Ok(files)
}

/// How a server gets the gem, for its manifest.
const FROM_BUILT: &str = "# A server names this folder (`gem {{gem}}, path: …`). `gem build` makes a gem of everything that \
    was built, for machines of this\n# kind.";
const FROM_REPOSITORY: &str = "# A server names this folder: `gem {{gem}}, path: …`.";

fn manifest(interface: &Interface, gem: &str, way: &str) -> String {
    fill(
        include_str!("../templates/package/gemspec.rb"),
        &[
            ("gem", &literal(gem)),
            ("package", &literal(&interface.package)),
            ("summary", &literal(summary(&interface.docs))),
            ("version", &literal(&version(&interface.version))),
            ("way", &fill(way, &[("gem", &literal(gem))])),
        ],
    )
}

/// The first line, which a gem cannot lack.
pub(crate) fn summary(docs: &str) -> &str {
    docs.lines().next().filter(|line| !line.is_empty()).unwrap_or("Functions in Rust")
}

/// Cargo's version in the form that RubyGems itself gives it: `1.2.0-beta.1` is `1.2.0.pre.beta.1`. Build metadata is left out.
pub(crate) fn version(cargo: &str) -> String {
    cargo.split('+').next().unwrap_or_default().replace('-', ".pre.")
}

/// The files that are the same in every package, except for its name.
const RUNTIME: &[(&str, &str)] = &[
    ("answers.rb", include_str!("../templates/package/runtime/answers.rb")),
    ("baselines.rb", include_str!("../templates/package/runtime/baselines.rb")),
    ("binding.rb", include_str!("../templates/package/runtime/binding.rb")),
    ("built.rb", include_str!("../templates/package/runtime/built.rb")),
    ("checks.rb", include_str!("../templates/package/runtime/checks.rb")),
    ("companion.rb", include_str!("../templates/package/runtime/companion.rb")),
    ("counts.rb", include_str!("../templates/package/runtime/counts.rb")),
    ("default.rb", include_str!("../templates/package/runtime/default.rb")),
    ("errors.rb", include_str!("../templates/package/runtime/errors.rb")),
    ("fallbacks.rb", include_str!("../templates/package/runtime/fallbacks.rb")),
    ("forks.rb", include_str!("../templates/package/runtime/forks.rb")),
    ("health.rb", include_str!("../templates/package/runtime/health.rb")),
    ("kept.rb", include_str!("../templates/package/runtime/kept.rb")),
    ("limits.rb", include_str!("../templates/package/runtime/limits.rb")),
    ("lock.rb", include_str!("../templates/package/runtime/lock.rb")),
    ("parallelism.rb", include_str!("../templates/package/runtime/parallelism.rb")),
    ("program.rb", include_str!("../templates/package/runtime/program.rb")),
    ("record.rb", include_str!("../templates/package/runtime/record.rb")),
    ("recording.rb", include_str!("../templates/package/runtime/recording.rb")),
    ("rollout.rb", include_str!("../templates/package/runtime/rollout.rb")),
    ("rollout/control_file.rb", include_str!("../templates/package/runtime/rollout/control_file.rb")),
    ("rollout/copies.rb", include_str!("../templates/package/runtime/rollout/copies.rb")),
    ("rollout/deaths.rb", include_str!("../templates/package/runtime/rollout/deaths.rb")),
    ("rollout/in_force.rb", include_str!("../templates/package/runtime/rollout/in_force.rb")),
    ("rollout/in_process.rb", include_str!("../templates/package/runtime/rollout/in_process.rb")),
    ("rollout/line.rb", include_str!("../templates/package/runtime/rollout/line.rb")),
    ("rollout/pairs.rb", include_str!("../templates/package/runtime/rollout/pairs.rb")),
    ("rollout/shadow.rb", include_str!("../templates/package/runtime/rollout/shadow.rb")),
    ("rollout/taken.rb", include_str!("../templates/package/runtime/rollout/taken.rb")),
    ("tiers.rb", include_str!("../templates/package/runtime/tiers.rb")),
    ("variants/baseline.rb", include_str!("../templates/package/runtime/variants/baseline.rb")),
    ("variants/closing.rb", include_str!("../templates/package/runtime/variants/closing.rb")),
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

/// The runtime files that the committed package also has, besides `wire/`.
const SHARED: &[&str] = &[
    "baselines.rb", "binding.rb", "checks.rb", "default.rb", "errors.rb", "fallbacks.rb", "health.rb", "record.rb",
    "variants/baseline.rb", "wire.rb",
];
