//! `TierupInterface`: the facts about the interface that the package's fixed files need.

use tierup_codegen::named::Named;
use tierup_codegen::source::Source;
use tierup_codegen::{Project, abi};

use crate::source::{INDENT, bytes_literal, called_in_lines, file, literal};

/// The file's source.
pub(crate) fn interface(project: &Project, named: &Named<'_>, package: &str) -> String {
    let functions: Vec<_> = named.functions.iter().map(|function| literal(&function.name)).collect();
    let (golden, arguments, is_raw, right) = match &project.health {
        Some(health) => {
            let right = health.sha256.iter().map(|digest| literal(digest)).collect();
            (health.function, bytes_literal(&health.arguments), named.functions[health.function].is_raw(), right)
        }
        None => (0, bytes_literal(b""), false, vec![]),
    };
    let hash = abi::hash_text(named.interface);
    let mut body = Source::new(INDENT);
    body.add(
        "
        /** The interface that this package was made from. */
        final class TierupInterface {
        ",
    );
    body.inside(|body| {
        body.add(format!(
            "
            /** Its hash: what was built for another one is not called. */
            static final long ABI = 0x{hash}L;
            static final String ABI_TEXT = \"{hash}\";
            static final String NAME = {};
            /** The functions in order: a place is a number. */
            ",
            literal(&named.interface.package),
        ));
        called_in_lines(body, "static final List<String> FUNCTIONS = List.of", &functions);
        let pure: Vec<_> = project.pure.iter().map(usize::to_string).collect();
        body.add("/** The numbers of the functions that tierup.toml declares pure. */");
        body.add(format!("static final List<Integer> PURE = List.of({});", pure.join(", ")));
        body.add("/** The keys of [function.alternatives] in tierup.toml. */");
        body.add(format!("static final List<String> ALTERNATIVES = List.of({});", named.alternatives(literal)));
        body.gap(1).add(format!(
            "
            /** The golden call of [health] in tierup.toml: the function's number. */
            static final int GOLDEN = {golden};
            /** Whether its answer itself is hashed rather than its encoding. */
            static final boolean GOLDEN_IS_RAW = {is_raw};
            /** What is right. */
            "
        ));
        called_in_lines(body, "static final List<String> RIGHT = List.of", &right);
        body.gap(1).add(format!(
            "
            private TierupInterface() {{}}

            static byte[] goldenArguments() {{
                return {arguments};
            }}
            "
        ));
    });
    body.add("}");
    file(package, &body, &["java.nio.charset.StandardCharsets", "java.util.List"])
}
