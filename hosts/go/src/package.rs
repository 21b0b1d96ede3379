//! The package: a Go module with the functions, and the files that are the same in every package.

use tierup_codegen::source::{Source, fill, fill_shared, paragraphs};
use tierup_codegen::{Files, Project};

use crate::names;
use crate::source::{HEADER, literal};
use crate::{calls, codec, direct, docs, functions, interface, types};

/// The module's files below `.tierup/go/`, without built parts.
///
/// # Errors
/// If Go cannot import a package of this name.
pub(crate) fn package(project: &Project) -> Result<Files, String> {
    let interface = &project.interface;
    let module = names::checked_module(&interface.package)?;
    let package = names::package(&interface.package);
    let named = &names::named(interface);
    let mut documentation = Source::new("\t");
    documentation.add_as_is(HEADER);
    if !docs::comment(&mut documentation, &interface.docs) {
        documentation.add(format!("// Package {package} is Rust for Go, at the tier that you choose."));
    }
    documentation.add(format!("package {package}"));
    let mut files = Files::new()
        .with("README.md", readme(project, LINKED))
        .with("go.mod", format!("module {module}\n{REQUIREMENTS}"))
        .with("go.sum", SUMS)
        // package.json is embedded beside built.json, which lists the built variants.
        .with("package.json", format!("{{ \"package\": {} }}\n", literal(interface.package.as_bytes())))
        .with("doc.go", documentation.into_text())
        .with("types.go", types::types(named, &package))
        .with("functions.go", functions::functions(named, &project.pure, &package, &module))
        .with("codec.go", codec::codec(named, &package, &module))
        .with("calls.go", calls::calls(named, &package, &module))
        .with("interface.go", self::interface::interface(project, named, &package))
        .with("internal/direct/direct.go", direct::variant(named));
    for (name, content) in RUNTIME {
        files.add(*name, fill_shared(content, &[("module", &module), ("package", &package)]));
    }
    Ok(files)
}

/// `README.md`, with what becomes of the built variants as its end.
pub(crate) fn readme(project: &Project, built: &str) -> String {
    let interface = &project.interface;
    let named = names::named(interface);
    let values = [
        ("built", built),
        ("docs", &paragraphs(&interface.docs)),
        ("example", named.functions.first().map_or("…", |function| &*function.name)),
        ("module", &names::module(&interface.package)),
        ("package", &names::package(&interface.package)),
    ];
    fill(include_str!("../templates/package/README.md"), &values)
}

const LINKED: &str = "\
The built variants become part of your program: rebuild it after `tierup build`. It then runs without this folder.
To ship only tier 3, run `tierup build --tiers 3`. Tiers 1 and 3 need glibc, in at least the version of the build machine
(`ldd --version`); Alpine and empty images do not have it. Tier 3 needs no other library, tier 1 also needs `libgcc_s.so.1`.
";

/// The rest of every module's `go.mod`, after its first line. wazero requires this version of Go.
pub(crate) const REQUIREMENTS: &str = "
go 1.25.0

require (
\tgithub.com/tetratelabs/wazero v1.12.0
\tgolang.org/x/sys v0.44.0
)
";

/// The digests of these modules, from <https://sum.golang.org>.
pub(crate) const SUMS: &str = include_str!("../templates/package/go.sum");

/// The built files, and the parts that only variants in Rust need.
pub(crate) const BUILT: [&str; 13] = [
    "built.json", "internal/built/core/built.go", "internal/built/core/core.wasm", "internal/built/native/built.go",
    "internal/built/native/linked/", "internal/built/program/built.go", "internal/built/program/program",
    "internal/core/", "internal/places/", "internal/pool/", "internal/processors/", "internal/programs/",
    "internal/spawn/",
];

/// The files that are the same in every package.
const RUNTIME: &[(&str, &str)] = &[
    ("bind.go", include_str!("../templates/package/root/bind.go")),
    ("binding.go", include_str!("../templates/package/root/binding.go")),
    ("crossing.go", include_str!("../templates/package/root/crossing.go")),
    ("driver.go", include_str!("../templates/package/root/driver.go")),
    ("errors.go", include_str!("../templates/package/root/errors.go")),
    ("invoke.go", include_str!("../templates/package/root/invoke.go")),
    ("metrics.go", include_str!("../templates/package/root/metrics.go")),
    ("rolled.go", include_str!("../templates/package/root/rolled.go")),
    ("requirements.go", include_str!("../templates/package/root/requirements.go")),
    ("internal/built/core/doc.go", include_str!("../templates/package/internal/built/core/doc.go")),
    ("internal/built/native/doc.go", include_str!("../templates/package/internal/built/native/doc.go")),
    ("internal/built/program/doc.go", include_str!("../templates/package/internal/built/program/doc.go")),
    ("internal/core/core.go", include_str!("../templates/package/internal/core/core.go")),
    ("internal/core/idle.go", include_str!("../templates/package/internal/core/idle.go")),
    ("internal/core/instance.go", include_str!("../templates/package/internal/core/instance.go")),
    ("internal/failure/failure.go", include_str!("../templates/package/internal/failure/failure.go")),
    ("internal/free/file.go", include_str!("../templates/package/internal/free/file.go")),
    ("internal/free/free.go", include_str!("../templates/package/internal/free/free.go")),
    ("internal/known/entries.go", include_str!("../templates/package/internal/known/entries.go")),
    ("internal/known/known.go", include_str!("../templates/package/internal/known/known.go")),
    ("internal/limits/limits.go", include_str!("../templates/package/internal/limits/limits.go")),
    ("internal/memo/counts.go", include_str!("../templates/package/internal/memo/counts.go")),
    ("internal/memo/memo.go", include_str!("../templates/package/internal/memo/memo.go")),
    ("internal/places/waiting.go", include_str!("../templates/package/internal/places/waiting.go")),
    ("internal/places/places.go", include_str!("../templates/package/internal/places/places.go")),
    ("internal/pool/companion.go", include_str!("../templates/package/internal/pool/companion.go")),
    ("internal/pool/comparer.go", include_str!("../templates/package/internal/pool/comparer.go")),
    ("internal/pool/pool.go", include_str!("../templates/package/internal/pool/pool.go")),
    ("internal/pool/worker.go", include_str!("../templates/package/internal/pool/worker.go")),
    ("internal/processors/processors.go", include_str!("../templates/package/internal/processors/processors.go")),
    ("internal/programs/place_linux.go", include_str!("../templates/package/internal/programs/place_linux.go")),
    ("internal/programs/place_other.go", include_str!("../templates/package/internal/programs/place_other.go")),
    ("internal/programs/program.go", include_str!("../templates/package/internal/programs/program.go")),
    ("internal/programs/session_other.go", include_str!("../templates/package/internal/programs/session_other.go")),
    ("internal/programs/session_unix.go", include_str!("../templates/package/internal/programs/session_unix.go")),
    ("internal/record/record.go", include_str!("../templates/package/internal/record/record.go")),
    ("internal/rollout/control.go", include_str!("../templates/package/internal/rollout/control.go")),
    ("internal/rollout/deaths.go", include_str!("../templates/package/internal/rollout/deaths.go")),
    ("internal/rollout/pairs.go", include_str!("../templates/package/internal/rollout/pairs.go")),
    ("internal/rollout/rollout.go", include_str!("../templates/package/internal/rollout/rollout.go")),
    ("internal/rollout/shadow.go", include_str!("../templates/package/internal/rollout/shadow.go")),
    ("internal/rollout/taken.go", include_str!("../templates/package/internal/rollout/taken.go")),
    ("internal/spawn/spawn.go", include_str!("../templates/package/internal/spawn/spawn.go")),
    ("internal/variants/variants.go", include_str!("../templates/package/internal/variants/variants.go")),
    ("internal/wire/composites.go", include_str!("../templates/package/internal/wire/composites.go")),
    ("internal/wire/reader.go", include_str!("../templates/package/internal/wire/reader.go")),
    ("internal/wire/writer.go", include_str!("../templates/package/internal/wire/writer.go")),
];
