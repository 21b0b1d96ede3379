//! Figures in README.md and the examples' pages stand between markers, and come from the recordings in `docs/data/`:
//!
//! ```markdown
//! <!-- measured: NAME table -->
//! …
//! <!-- end -->
//! ```
//!
//! `UPDATE_EXPECT=1 cargo test -p tierup-bench --test reports pages` writes them; without it, the test fails if a page
//! differs. `blocks.rs` has the kinds of blocks, `doubts.rs` decides which recordings are refused.

mod blocks;
mod doubts;

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
};

use tierup_bench::{
    analysis::{Analysis, analyse},
    record::Record,
};

/// Recordings, below the repository's root.
const DATA: &str = "docs/data";
const BEGIN: &str = "<!-- measured: ";
const END: &str = "<!-- end -->";

/// A recording that may be quoted.
struct Recording {
    name: String,
    record: Record,
    analysis: Analysis,
}

#[test]
fn pages_show_the_measured_figures() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut problems, mut quoted) = (BTreeSet::new(), BTreeSet::new());
    for page in pages(&root) {
        let text = fs::read_to_string(root.join(&page)).unwrap();
        let up = "../".repeat(page.components().count() - 1);
        let filled = filled(&text, |marker| {
            let (name, kind) = marker.split_once(' ').ok_or_else(|| format!("`{marker}` names no kind of block"))?;
            quoted.insert(name.to_owned());
            blocks::block(&recording(&root, name)?, kind, &up)
        });
        match filled {
            Ok(filled) if filled == text => {}
            Ok(filled) if env::var_os("UPDATE_EXPECT").is_some() => fs::write(root.join(&page), filled).unwrap(),
            Ok(_) => {
                let command = "UPDATE_EXPECT=1 cargo test -p tierup-bench --test reports pages";
                problems.insert(format!("{} does not say what was measured: {command}", page.display()));
            }
            Err(found) => problems.extend(found.into_iter().map(|problem| format!("{}: {problem}", page.display()))),
        }
    }
    let files = fs::read_dir(root.join(DATA)).into_iter().flatten().flatten().map(|entry| entry.path());
    for file in files.filter(|file| file.extension().is_some_and(|kind| kind == "json")) {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        problems.extend(recording(&root, &name).err());
        if !quoted.contains(&name) {
            problems.insert(format!("{DATA}/{name}.json is quoted nowhere"));
        }
    }
    assert!(problems.is_empty(), "\n{}", problems.into_iter().collect::<Vec<_>>().join("\n"));
}

/// README.md and the README.md of each example, by their paths from the root.
fn pages(root: &Path) -> Vec<PathBuf> {
    let examples = fs::read_dir(root.join("examples")).unwrap().flatten();
    let all = examples.map(|entry| Path::new("examples").join(entry.file_name()).join("README.md"));
    let mut all: Vec<PathBuf> = all.filter(|page| root.join(page).is_file()).collect();
    all.sort();
    all.insert(0, "README.md".into());
    all
}

fn recording(root: &Path, name: &str) -> Result<Recording, String> {
    let file = format!("{DATA}/{name}.json");
    let text = fs::read_to_string(root.join(&file)).map_err(|error| {
        let command = format!("target/release/tierup bench EXAMPLE --json > {file}");
        format!("{file}: {error}; on an idle machine, take it by `{command}`")
    })?;
    let record = Record::read(&text).map_err(|error| format!("{file}: {error}"))?;
    let analysis = analyse(&record);
    match &doubts::of(&record, &analysis)[..] {
        [] => Ok(Recording { name: name.to_owned(), record, analysis }),
        doubts => Err(format!("{file} must not be quoted: {}", doubts.join("; "))),
    }
}

/// The page with its blocks filled in: lines for a marker that ends its line, words for any other marker.
fn filled(page: &str, mut block: impl FnMut(&str) -> Result<String, String>) -> Result<String, Vec<String>> {
    let (mut text, mut rest, mut problems) = (String::new(), page, Vec::new());
    while let Some((before, marked)) = rest.split_once(BEGIN) {
        let Some((marker, (old, after))) =
            marked.split_once(" -->").and_then(|(marker, after)| Some((marker, after.split_once(END)?)))
        else {
            problems.push(format!("a block that begins at `{BEGIN}` has no `{END}`"));
            break;
        };
        let new = match block(marker) {
            Ok(new) if old.starts_with('\n') => format!("\n{}\n", new.trim_end()),
            Ok(new) => new,
            Err(problem) => {
                problems.push(problem);
                String::new()
            }
        };
        text += &format!("{before}{BEGIN}{marker} -->{new}{END}");
        rest = after;
    }
    if problems.is_empty() { Ok(text + rest) } else { Err(problems) }
}

#[test]
fn blocks_are_filled_as_their_markers_stand() {
    let page = "a <!-- measured: x words -->old<!-- end --> b\n<!-- measured: y lines -->\nold\n\n<!-- end -->\nc\n";
    let new = filled(page, |marker| Ok(marker.to_uppercase()));
    let expected =
        "a <!-- measured: x words -->X WORDS<!-- end --> b\n<!-- measured: y lines -->\nY LINES\n<!-- end -->\nc\n";
    assert_eq!(new.as_deref(), Ok(expected));
    assert_eq!(filled("<!-- measured: x words -->", |_| Ok(String::new())).unwrap_err().len(), 1);
    assert_eq!(filled(page, |_| Err("none".into())).unwrap_err().len(), 2);
}
