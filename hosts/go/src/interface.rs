//! `interface.go`: the facts about the interface that the package's fixed files need.

use tierup_codegen::named::Named;
use tierup_codegen::{Project, abi};

use crate::source::{file, literal};

/// The file's source.
pub(crate) fn interface(project: &Project, named: &Named<'_>, package: &str) -> String {
    let (golden, arguments, is_raw, right) = match &project.health {
        Some(health) => {
            let right: Vec<_> = health.sha256.iter().map(|digest| literal(digest.as_bytes())).collect();
            (health.function, literal(&health.arguments), named.functions[health.function].is_raw(), right.join(", "))
        }
        None => (0, literal(b""), false, String::new()),
    };
    let hash = abi::hash_text(named.interface);
    let mut source = file(package);
    source.add(format!(
        "
        // The hash of the interface: code that was built for another one is not called.
        const tierupABI uint64 = 0x{hash}

        const tierupABIText = \"{hash}\"

        const tierupName = {}

        // The functions in order: a place is a number.
        var tierupFunctions = []string{{
        ",
        literal(named.interface.package.as_bytes())
    ));
    source.inside(|source| {
        for function in &named.functions {
            source.add(format!("{},", literal(function.name.as_bytes())));
        }
    });
    let pure = project.pure.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    source.add("}").gap(1).add(format!(
        "
        // The numbers of the functions that tierup.toml declares pure.
        var tierupPure = []int{{{pure}}}
        "
    ));
    source.gap(1).add(format!(
        "
        // The keys of [function.alternatives] in tierup.toml.
        var tierupAlternatives = []string{{{}}}
        ",
        named.alternatives(|name| literal(name.as_bytes()))
    ));
    source.gap(1).add(format!(
        "
        // The golden call of [health] in tierup.toml: the function's number, its arguments, whether the answer itself is
        // hashed rather than its encoding, and what is right.
        const tierupGolden = {golden}

        const tierupGoldenArguments = {arguments}

        const tierupGoldenIsRaw = {is_raw}

        var tierupRight = []string{{{right}}}
        "
    ));
    source.into_text()
}
