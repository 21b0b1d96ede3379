//! `3:native`: one object file with the functions under C names, which cgo links into the server's program.
//!
//! `docs/decisions/0009-rust-in-a-go-program.md` says why it is an object file that hides all names but its exports.

use tierup_codegen::named::Named;
use tierup_codegen::shims::Library;
use tierup_codegen::source::{self, fill, fill_shared};
use tierup_codegen::{Command, Converter, Files, Machine, Os, Project, Recipe, Step};

use crate::built::{compiled, module};
use crate::direct;
use crate::names;

/// Why a machine cannot run this variant; `None` if it can.
pub(crate) fn impossible(machine: &Machine) -> Option<&'static str> {
    if machine.os != Os::Linux {
        return Some("3:native for Go is Linux only (symbol hiding needs ld and objcopy); use 2:core");
    }
    if architecture(machine).is_none() {
        return Some("tierup does not know Go's name for this processor; use 2:core");
    }
    None
}

/// Go's name for a machine's processor.
pub(crate) fn architecture(machine: &Machine) -> Option<&'static str> {
    Some(match machine.arch.as_str() {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "386",
        "arm" => "arm",
        "riscv64" => "riscv64",
        "s390x" => "s390x",
        "powerpc64le" => "ppc64le",
        "loongarch64" => "loong64",
        _ => return None,
    })
}

/// The C names that stay visible outside the object file.
fn exports(named: &Named<'_>, symbol: &str) -> Vec<String> {
    let fixed = ["abi", "call", "free"].map(str::to_owned);
    fixed.into_iter().chain(direct::exports(named)).map(|name| format!("tierup_{symbol}_{name}")).collect()
}

/// The crate `go-native/`, its build, and where the package keeps the object file.
pub(crate) fn recipe(project: &Project, machine: &Machine) -> Recipe {
    let symbol = names::symbol(&project.interface.package);
    let named = names::named(&project.interface);
    let library = Library::archive("tierup-go-native", &project.interface);
    let manifest = library.manifest(&project.interface, "[dependencies]\ntierup-calls = { path = \"../calls\" }");
    let files = Files::new()
        .with("go-native/Cargo.toml", manifest)
        .with("go-native/src/lib.rs", fill(include_str!("../templates/native/lib.rs"), &[("symbol", &symbol)]))
        .with("go-native/src/direct.rs", direct::exported(&named, &symbol));
    let exports = exports(&named, &symbol);
    // Fat LTO removes unused code. Without it, the linked object file would contain all of Rust's standard library.
    let mut build = library.build_native(machine);
    build.arguments.extend(["--config", r#"profile.release.lto="fat""#].map(str::to_owned));
    let steps = vec![
        Step::Run(build),
        Step::Copy { from: library.built_native(machine), to: "target/go/rust.a".into() },
        Step::Run(joined(&exports, machine)),
        Step::Run(hidden(&exports, machine)),
        Step::Convert {
            from: "target/go/rust.o".into(),
            into: "go/internal/built/native".into(),
            converter: linked(project, &named, &symbol, machine),
        },
        compiled(),
    ];
    Recipe { files, steps }
}

/// A program of GNU's binutils. For another machine its name has a prefix, as in Debian's `binutils-aarch64-linux-gnu`.
fn binutils(program: &str, machine: &Machine) -> String {
    let this = Machine::this();
    if (machine.os, &machine.arch) == (this.os, &this.arch) {
        return program.to_owned();
    }
    format!("{}-linux-gnu-{program}", machine.arch)
}

/// Links the exports and all that they need into one object file.
fn joined(exports: &[String], machine: &Machine) -> Command {
    let mut arguments = vec!["-r", "--force-group-allocation"];
    arguments.extend(exports.iter().flat_map(|name| ["-u", name]));
    arguments.extend(["-o", "target/go/rust.o", "target/go/rust.a"]);
    Command::new(&binutils("ld", machine), arguments)
}

/// Makes all names but the exports local to the object file.
fn hidden(exports: &[String], machine: &Machine) -> Command {
    let keep: Vec<_> = exports.iter().map(|name| format!("--keep-global-symbol={name}")).collect();
    let arguments = ["--strip-debug"].into_iter().chain(keep.iter().map(String::as_str));
    Command::new(&binutils("objcopy", machine), arguments.chain(["target/go/rust.o"]))
}

/// Go links an object file in a package's folder if its name is `*_linux_amd64.syso` or the like. The file has a
/// package of its own, which only programs with cgo import: without cgo, Go's linker would try to link it all the same.
fn linked(project: &Project, named: &Named<'_>, symbol: &str, machine: &Machine) -> Converter {
    let architecture = architecture(machine).unwrap_or_default();
    let condition = format!("cgo && linux && {architecture}");
    let module = module(project);
    let fill = |text: &str| fill_shared(text, &[("condition", &condition), ("module", &module), ("symbol", symbol)]);
    let header = include_str!("../templates/package/internal/built/native/linked/rust.h");
    let header = source::fill(header, &[("direct", &direct::declarations(named, symbol)), ("symbol", symbol)]);
    let mut files = Files::new()
        .with("built.go", fill(include_str!("../templates/package/internal/built/native/built.go")))
        .with("linked/answers.go", fill(include_str!("../templates/package/internal/built/native/linked/answers.go")))
        .with("linked/linked.go", fill(include_str!("../templates/package/internal/built/native/linked/linked.go")))
        .with("linked/rust.h", header);
    if let Some(direct) = direct::linked(named, symbol, &condition) {
        files.add("linked/direct.go", direct);
    }
    Converter::new(move |bytes| Ok(files.clone().with(format!("linked/rust_linux_{architecture}.syso"), bytes)))
}
