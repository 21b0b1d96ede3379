//! The witness of PHP servers: an extension in C. PHP reports to it the calls and returns of functions in the watched
//! files (`zend_observer_fcall_register`). It is compiled for the run.

use std::path::Path;

use tierup_codegen::{Command, Files, SOCKET, Spelling, Types, Watch, Watched, Witness, source::fill};

use crate::settings::{SETTINGS, folder, variable};

/// The files that do not depend on the run.
const FIXED: [(&str, &str); 16] = [
    ("agent.c", include_str!("../templates/witness/agent.c")),
    ("agent.h", include_str!("../templates/witness/agent.h")),
    ("build.sh", include_str!("../templates/witness/build.sh")),
    ("calls.c", include_str!("../templates/witness/calls.c")),
    ("calls.h", include_str!("../templates/witness/calls.h")),
    ("matching.c", include_str!("../templates/witness/matching.c")),
    ("matching.h", include_str!("../templates/witness/matching.h")),
    ("noting.c", include_str!("../templates/witness/noting.c")),
    ("noting.h", include_str!("../templates/witness/noting.h")),
    ("object.c", include_str!("../templates/witness/object.c")),
    ("object.h", include_str!("../templates/witness/object.h")),
    ("seen.h", include_str!("../templates/witness/seen.h")),
    ("shapes.c", include_str!("../templates/witness/shapes.c")),
    ("shapes.h", include_str!("../templates/witness/shapes.h")),
    ("text.c", include_str!("../templates/witness/text.c")),
    ("text.h", include_str!("../templates/witness/text.h")),
];

/// # Errors
/// If PHP's settings cannot contain the private folder's path.
pub(crate) fn witness(server: &Path, watch: &Watch<'_>) -> Result<Witness, String> {
    let private = folder(watch.private)?;
    let functions: String = watch.functions.iter().map(watched).collect();
    let table = fill(
        include_str!("../templates/witness/watched.c"),
        &[
            ("count", &watch.functions.len().to_string()),
            ("functions", &functions),
            ("key", &literal(watch.key)),
            ("socket", &literal(&watch.private.join(SOCKET).display().to_string())),
        ],
    );
    let mut files = Files::new()
        .with(SETTINGS, format!("extension='{private}/witness.so'\n"))
        .with("watched.c", table)
        .with("watched.h", include_str!("../templates/witness/watched.h"))
        .with("witness.c", include_str!("../templates/witness/witness.c"));
    for (name, content) in FIXED {
        files.add(name, content);
    }
    Ok(Witness {
        files,
        preparation: vec![Command::new("sh", ["build.sh"])],
        environment: vec![variable(&private)],
        in_the_build: false,
        types: Some(Types {
            spelling: Spelling::CamelCase,
            baselines: watch.functions.iter().map(|function| baseline(server, &function.file)).collect(),
        }),
        calls: false,
        hint: "the server must run on the PHP that `php-config` belongs to, or the program that PHP_CONFIG names, and take \
               PHP_INI_SCAN_DIR from its environment"
            .to_owned(),
    })
}

fn watched(function: &Watched) -> String {
    let Watched { file, name, qualified_name, line, .. } = function;
    format!("  {{{}, {}, {}, {}}},\n", literal(file), literal(name), literal(qualified_name), line.unwrap_or(0))
}

/// The baseline's file. The witness adds the function.
fn baseline(server: &Path, file: &str) -> String {
    let path = Path::new(file);
    path.strip_prefix(server).unwrap_or(path).display().to_string()
}

/// A string literal in C.
fn literal(text: &str) -> String {
    let escaped = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' | b':' => char::from(byte).to_string(),
        byte => format!("\\{byte:03o}"),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_and_name_is_one_string() {
        let file = "/srv/shop/src/it's \"{\\?}\n.php".to_owned();
        let (name, qualified_name) = ("price".to_owned(), "Shop\\Cart::price".to_owned());
        let functions = [Watched { file: file.clone(), name, qualified_name, line: Some(7), fields: Vec::new() }];
        let watch = Watch { private: Path::new("/p"), key: "k", functions: &functions, calls: false };
        let witness = witness(Path::new("/srv/shop"), &watch).unwrap();
        assert_eq!(witness.types.unwrap().baselines, [file.strip_prefix("/srv/shop/").unwrap()]);
        assert_eq!(witness.environment[0].beside(None), ":/p");
        let text = |name: &str| String::from_utf8(witness.files.get(name).unwrap().to_vec()).unwrap();
        assert_eq!(text("tierup.ini"), "extension='/p/witness.so'\n");
        let table = text("watched.c");
        let expected = r#"
  {"/srv/shop/src/it\047s\040\042\173\134\077\175\012.php", "price", "Shop\134Cart::price", 7},
  {0}
"#;
        assert!(table.contains(expected) && table.contains("count = 1;") && table.contains("\"/p/agents\""), "{table}");
        for (name, content) in witness.files.iter() {
            assert!(!String::from_utf8_lossy(content).contains("{{"), "{name}");
        }
    }
}
