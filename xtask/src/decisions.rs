//! `cargo xtask new-decision TITLE`: adds the next page to `docs/decisions/`, and its line to `docs/SUMMARY.md`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The template of a page.
const PAGE: &str = "\
# {number}. {title}

**Context.** What was the case, and what had to be decided?

**Decision.** What holds now?

**Why.** Measurements, sources, what was tried, and what it costs.
";

/// Writes the page and its line, and returns the page's path.
pub(crate) fn add(repository: &Path, title: &str) -> io::Result<PathBuf> {
    let folder = repository.join("docs/decisions");
    let names = fs::read_dir(&folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let numbers = names.collect::<io::Result<Vec<_>>>()?;
    let last = numbers.iter().filter_map(|name| name.split('-').next()?.parse::<u32>().ok()).max();
    let number = last.unwrap_or(0) + 1;
    let name = format!("{number:04}-{}.md", slug(title));
    let page = folder.join(&name);
    // The line comes first: if the page then cannot be written, the test of the documentation's links fails.
    let summary = repository.join("docs/SUMMARY.md");
    let lines = fs::read_to_string(&summary)?;
    fs::write(&summary, format!("{}\n  - [{title}](decisions/{name})\n", lines.trim_end()))?;
    fs::write(&page, PAGE.replace("{number}", &number.to_string()).replace("{title}", title))?;
    Ok(page)
}

/// The title in lower case with hyphens, for the file's name.
fn slug(title: &str) -> String {
    let words = title.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_gets_the_next_number_and_a_summary_line() {
        let repository = tempfile::tempdir().expect("a folder");
        let docs = repository.path().join("docs");
        fs::create_dir_all(docs.join("decisions")).expect("a folder");
        fs::write(docs.join("decisions/0009-rust.md"), "").expect("a page");
        fs::write(docs.join("SUMMARY.md"), "- [Decisions]()\n  - [Rust](decisions/0009-rust.md)\n").expect("a page");
        let page = add(repository.path(), "Who's first? `init`").expect("a page");
        assert!(page.ends_with("docs/decisions/0010-who-s-first-init.md"), "{}", page.display());
        assert!(fs::read_to_string(page).expect("a page").starts_with("# 10. Who's first? `init`\n\n**Context.**"));
        let summary = fs::read_to_string(docs.join("SUMMARY.md")).expect("a page");
        assert!(summary.ends_with("0009-rust.md)\n  - [Who's first? `init`](decisions/0010-who-s-first-init.md)\n"));
    }
}
