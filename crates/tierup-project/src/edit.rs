//! Changes to the user's `tierup.toml`: they set one value and keep everything else, including comments.
//!
//! In: the file's text. Out: the new text.

use tierup_diagnostic::{Failure, Result};
use toml_edit::{DocumentMut, Item, Table, TomlError, value};

use crate::FILE;

/// The hash of an answer, and the rows that gave this answer, e.g. `node 0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hash {
    pub hash: String,
    pub rows: Vec<String>,
}

/// The line for `[health]` with the hash or the list of hashes.
pub fn hashes(found: &[Hash]) -> String {
    match found {
        [one] => format!("sha256 = \"{}\" # {}", one.hash, one.rows.join(", ")),
        several => {
            let lines = several.iter().map(|one| format!("    \"{}\", # {}\n", one.hash, one.rows.join(", ")));
            format!("sha256 = [\n{}]", lines.collect::<String>())
        }
    }
}

/// Sets `sha256` of `[health]` to the value in `line`: `sha256 = …`. A file without `[health]` stays as it is.
///
/// # Errors
/// A text is not TOML.
pub fn with_hashes(text: &str, line: &str) -> Result<String> {
    let (mut document, given) = (parsed(text)?, parsed(line)?);
    let health = document.get_mut("health").filter(|health| health.is_table_like());
    if let (Some(health), Some(hashes)) = (health, given.get("sha256")) {
        health["sha256"] = hashes.clone();
    }
    Ok(document.to_string())
}

/// Adds `[server]` with this crate.
///
/// # Errors
/// The text is not TOML.
pub fn with_server(text: &str, crate_folder: &str) -> Result<String> {
    let mut document = parsed(text)?;
    let mut table = Table::new();
    table.insert("crate", value(crate_folder));
    document.insert("server", Item::Table(table));
    Ok(document.to_string())
}

fn parsed(text: &str) -> Result<DocumentMut> {
    text.parse().map_err(|error: TomlError| Failure::usage(format!("{FILE}: {error}")))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(found: &[(&str, &[&str])], expected: Expect) {
        const TEXT: &str =
            "[health] # golden\nsha256 = \"00\" # old\nrequest = 'GET /?a=b'\n\n# the end\n[bench]\nblocks = 5\n";
        let found: Vec<Hash> = found
            .iter()
            .map(|(hash, rows)| Hash { hash: (*hash).into(), rows: rows.iter().map(|row| (*row).into()).collect() })
            .collect();
        expected.assert_eq(&with_hashes(TEXT, &hashes(&found)).unwrap());
    }

    #[test]
    fn storing_hashes_keeps_everything_else() {
        check(
            &[("aa", &["node 0", "node 1:pool"])],
            expect![[r#"
            [health] # golden
            sha256 = "aa" # node 0, node 1:pool
            request = 'GET /?a=b'

            # the end
            [bench]
            blocks = 5
        "#]],
        );
        check(
            &[("aa", &["node 0"]), ("bb", &["node 1:pool"])],
            expect![[r#"
            [health] # golden
            sha256 = [
                "aa", # node 0
                "bb", # node 1:pool
            ]
            request = 'GET /?a=b'

            # the end
            [bench]
            blocks = 5
        "#]],
        );
    }

    #[test]
    fn a_table_without_a_hash_gets_one() {
        let changed = with_hashes("[health]\nrequest = 'GET /'\n[bench]\n", "sha256 = \"aa\" # node 0").unwrap();
        assert_eq!(changed, "[health]\nrequest = 'GET /'\nsha256 = \"aa\" # node 0\n[bench]\n");
        assert_eq!(with_hashes("health = 3\n", "sha256 = \"aa\"").unwrap(), "health = 3\n");
    }

    #[test]
    fn comments_and_order_stay() {
        let text = "# mine\n[function] # hot\ncrate = \".\"\n\n[health]\n# golden\nsha256 = \"x\"\n";
        let changed = with_server(text, "server").unwrap();
        assert_eq!(changed, format!("{text}\n[server]\ncrate = \"server\"\n"));
    }
}
