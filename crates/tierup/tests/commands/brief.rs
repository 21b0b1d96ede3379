//! `tierup brief`: the page about a function, without building anything and without secrets.

use std::{fs, path::Path};

use expect_test::expect;
use tierup_rows::Described;

use crate::{MANIFEST, reference::repository, run, shown, tierup, write};

const SOURCE: &str = "\
/// A line of an order.
pub struct Line {
    /// Its article, as in the catalogue.
    pub article: String,
    pub amount: u32,
}

pub enum Rounding {
    Down,
    To(u8),
}

/// Adds up an order.
///
/// # Errors
/// An article is not known.
pub fn total(lines: &[Line], note: Option<&str>, rounding: Rounding) -> Result<f64, String> {
    let _ = (lines, note, rounding);
    Err(\"not written yet\".to_owned())
}

pub fn other(data: &[u8]) -> bool {
    data.is_empty()
}
";

const SETTINGS: &str = "\
[function]
crate = \"hot\"
export = [\"total\", \"other\"]
pure = [\"total\"]

[[route]]
request = \"POST /total?note={note}\"
body = [\"lines\", \"rounding\"]
call = \"total\"

[host.node]
start = [\"node\", \"server.js\"]
folder = \"server\"
[host.node.baseline]
\"0\" = \"./total\"
\"0:tuned\" = \"total.js\"
\"0:lost\" = \"lost.js\"

[health]
call = \"total\"
arguments = [[{ article = \"pen\", amount = 2 }], \"\", \"Down\"]
sha256 = \"0000000000000000000000000000000000000000000000000000000000000000\"

[check]
compare = \"json\"
tolerance = 1e-9
";

const BASELINE: &str = "\
// Uses the key s3cret-env of the catalogue.
module.exports.total = (lines, note, rounding) => {
\treturn lines.length; // ```
};
";

const REQUESTS: &str = "\
POST /total?note=gift
Authorization: Bearer s3cret-literal
Content-Type: application/json

{\"lines\": [{\"article\": \"ink s3cret-literal\", \"amount\": 1}, {\"article\": \"pen\", \"amount\": 300}], \"rounding\": \"Down\"}

###
POST /total
X-Trace: {{$processEnv KEY}}
Content-Type: application/json

{\"lines\": [], \"rounding\": {\"type\": \"To\", \"value\": 2}}
";

pub(crate) fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(
        folder.path(),
        &[
            ("hot/Cargo.toml", MANIFEST),
            ("hot/src/lib.rs", SOURCE),
            ("tierup.toml", SETTINGS),
            ("server/server.js", ""),
            ("server/total.js", BASELINE),
            ("requests.http", REQUESTS),
            ("corpus/total/kept.json", "[[{\"article\": \"\", \"amount\": 7}], null, \"Down\"]\n"),
        ],
    );
    folder
}

fn brief(folder: &Path, more: &[&str]) -> String {
    let arguments = [&["brief", "--function", "total"], more].concat();
    shown(&tierup(folder, &arguments).env("KEY", "s3cret-env").output().unwrap(), folder)
}

#[test]
fn a_brief_has_all_that_is_known() {
    let folder = project();
    let said = brief(folder.path(), &[]);
    assert!(!said.contains("s3cret"), "{said}");
    expect![[r#"
        exit code: 0
        -- stdout
        # A port of `total` to Rust

        This page has what is known about the function. The port is right if it answers each call as the present code does; the commands at the end prove it. Secrets are masked.

        ## The function to write

        It is `words::total` in the crate in `hot`. Its name, its arguments and its types stay as they are; it is plain Rust, without attributes for other languages.

        ```rust
        /// Adds up an order.
        ///
        /// # Errors
        /// An article is not known.
        pub fn total(lines: &[Line], note: Option<&str>, rounding: Rounding) -> Result<f64, impl std::fmt::Display>;

        /// A line of an order.
        pub struct Line {
            /// Its article, as in the catalogue.
            pub article: String,
            pub amount: u32,
        }

        pub enum Rounding {
            Down,
            To(u8),
        }
        ```

        The error may be any type with `Display`.

        It is pure: the same arguments have the same answer, and a call has no effects.

        ## What it does today

        Row `0` in Node.js, `./total`, is in `server/total.js`. It may use other files of its server.

        ````js
        // Uses the key {{$processEnv KEY}} of the catalogue.
        module.exports.total = (lines, note, rounding) => {
        	return lines.length; // ```
        };
        ````

        Row `0:lost` in Node.js, `lost.js`: its source was not found; ask its owner for it.

        ## Arguments that were seen

        4 different calls are in the requests, the corpus and the golden call. `[]` stands for the items of a list, `{}` for the values of a map. tierup also makes calls with shapes that were never seen.

        |  | type | values | least | median | largest | never seen |
        | :-- | :-- | :-- | :-- | :-- | :-- | :-- |
        | `lines` | list | 4 | 0 items | 1 items | 2 items |  |
        | `lines[]` | record | 4 |  |  |  |  |
        | `lines[].article` | text | 4 | 0 bytes | 3 bytes | 18 bytes | beyond ASCII, long |
        | `lines[].amount` | whole number | 4 | 1 | 7 | 300 | zero |
        | `note` | optional | 4 | 0 bytes | 4 bytes | 4 bytes | beyond ASCII, long |
        | `rounding` | enum | 4 |  |  |  |  |
        | `rounding.To.0` | whole number | 1 | 2 | 2 | 2 | zero |

        ## Golden calls

        The golden call, which every deployment makes before it serves:

        ```text
        total([{"amount":2,"article":"pen"}], "", "Down")
        ```

        The SHA-256 of the byte encoding of its answer must be `0000000000000000000000000000000000000000000000000000000000000000`.

        The smallest calls that were seen, as JSON; the present code has their answers. Bytes are a text, or `hex:` and digits.

        ```text
        total([], null, {"type":"To","value":2})
        total([{"amount":7,"article":""}], null, "Down")
        total([{"amount":2,"article":"pen"}], "", "Down")
        total([{"amount":1,"article":"ink (masked)"},{"amount":300,"article":"pen"}], "gift", "Down")
        ```

        ## Edge values

        tierup calls the function with these values, one argument at a time, and with random ones.

        |  | values |
        | :-- | :-- |
        | `lines` | `[]`, `[{"amount":0,"article":"text"}]`, `[{"amount":0,"article":"text"},{"amount":1,"arti… (70618 bytes)` |
        | `note` | `null`, `"text"`, `""`, `" "`, `"a"`, `"ä"`, `"€"`, `"😀"`, `"é"`, `"\u0000"`, `"tab\tline\nreturn\r"`, `"﻿mark"`, `"￿􏿿"`, ``"\"quoted\" \\ 'single' `tick` ${x} #{x} %s"``, `"-- --help -"`, `"0123456789abcdef0123456789abcdef0123456789abcde… (65538 bytes)`, `"ä€😀ä€😀ä€😀ä€😀ä€😀ä€😀ä€😀ä€😀ä€😀ä€😀ä€😀ä€😀ä€😀ä€😀ä€😀ä€… (4502 bytes)` |
        | `rounding` | `"Down"`, `{"type":"To","value":0}`, `{"type":"To","value":1}`, `{"type":"To","value":2}`, `{"type":"To","value":127}`, `{"type":"To","value":128}`, `{"type":"To","value":255}`, `{"type":"To","value":254}` |

        ## When two answers are alike

        - Values are compared as JSON: the order of keys does not count.
        - Numbers are compared as they are written: `1.0` is not `1`.
        - Numbers with a point or an exponent may differ by 0 or by 0.000000001 of the larger one.
        - Where the present code fails, the port must return an error; its message does not count.
        - A panic is neither a value nor an error: no input may cause one.

        ## Commands that prove it

        In the folder of tierup.toml:

        ```sh
        tierup check --only functions --hosts node --watch   # after each save, while you write
        tierup check --only functions --hosts node --json    # counterexamples for a program
        tierup check --hosts node                            # everything, servers too
        tierup health                                        # the golden call
        tierup bench --hosts node                            # what the port is worth
        ```

        The port is right when `tierup check` ends with exit code 0. A mismatch is shown with the smallest arguments at which the answers differ, and with the command that repeats it.
        -- stderr
    "#]].assert_eq(&said);
    // Nothing is built, and nothing is written beside the project.
    assert!(!folder.path().join(".tierup").exists());
    let written = brief(folder.path(), &["--out", "brief.md"]);
    assert_eq!(written, "exit code: 0\n-- stdout\n-- stderr\nwrote brief.md\n");
    let page = fs::read_to_string(folder.path().join("brief.md")).unwrap();
    assert_eq!(said, format!("exit code: 0\n-- stdout\n{page}-- stderr\n"));
}

#[test]
fn fields_with_names_of_secrets_are_masked() {
    let folder = project();
    let source = "pub fn total(password: &str, page: &str, pin: u32) -> String { String::new() }\n";
    let settings = "[function]\ncrate = \"hot\"\nexport = [\"total\"]\n[host.node]\nstart = [\"node\"]\nfolder = \"server\"\n\
                    [rollout]\nhide = [\"$.pin\"]\n";
    fs::remove_dir_all(folder.path().join("corpus")).unwrap();
    let kept = "[\"hunter2-x\", \"token=wxyz-uvst&a=1\", 48151]\n";
    write(folder.path(), &[("hot/src/lib.rs", source), ("tierup.toml", settings), ("corpus/total/1.json", kept)]);
    let said = brief(folder.path(), &[]);
    assert!(said.starts_with("exit code: 0\n"), "{said}");
    assert!(said.contains("total(\"(masked)\", \"token=(masked)&a=1\", \"(masked)\")"), "{said}");
    for secret in ["hunter2", "wxyz", "uvst", "48151"] {
        assert!(!said.contains(secret), "{secret}: {said}");
    }
    assert!(said.contains("tierup.toml names no present code for Node.js."), "{said}");
}

#[test]
fn wrong_names_have_a_hint() {
    let folder = project();
    let said = run(folder.path(), &["brief"]);
    assert!(said.contains("this project has several functions") && said.contains("--function: total, other"), "{said}");
    let said = run(folder.path(), &["brief", "--function", "totel"]);
    assert!(said.starts_with("exit code: 2\n") && said.contains("did you mean `total`?"), "{said}");
    let said = run(folder.path(), &["brief", "--function", "total", "--host", "go"]);
    assert!(said.starts_with("exit code: 2\n") && said.contains("`go` is not a host of this project"), "{said}");
    let said = run(folder.path(), &["brief", "--function", "other"]);
    assert!(said.contains("No request, no file of the corpus and no golden call reaches it."), "{said}");
}

#[test]
fn every_host_finds_the_file_of_a_baseline() {
    let loaded = tierup::hosts::open(&repository().join("conformance")).unwrap();
    let mut count = 0;
    for (host, settings) in &loaded.hosts {
        for (_, name) in &settings.baselines {
            let files = host.baseline_files(&Described(settings), name);
            let found = files.iter().any(|file| settings.folder.join(file).is_file());
            assert!(found, "{} {name}: {files:?}", host.name());
            count += 1;
        }
    }
    assert!(loaded.hosts.len() > 5 && count > loaded.hosts.len(), "{count} baselines");
}
