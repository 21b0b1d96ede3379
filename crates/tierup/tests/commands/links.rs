//! Checks that the documentation's links are valid, in the repository and in the site that `book.toml` describes.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::reference::{below, repository};

/// The site's address for files of the repository that are not pages.
const SOURCE: &str = "https://github.com/tierup/tierup/blob/main/";

fn events(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// The targets of a page's links and images.
fn links(text: &str) -> Vec<String> {
    let target = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    };
    events(text).filter_map(target).filter(|target| !target.is_empty()).collect()
}

/// The anchors of a page's headings, as GitHub and mdBook generate them, and explicit ones.
fn anchors(text: &str) -> BTreeSet<String> {
    let (mut found, mut heading) = (BTreeSet::new(), None::<String>);
    for event in events(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => found.extend(heading.take().map(|title| anchor(&title))),
            Event::Text(text) | Event::Code(text) => heading.iter_mut().for_each(|title| title.push_str(&text)),
            Event::InlineHtml(html) | Event::Html(html) => {
                found.extend(html.split("id=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned));
            }
            _ => {}
        }
    }
    found
}

fn anchor(title: &str) -> String {
    let part = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
        _ => None,
    };
    title.to_lowercase().chars().filter_map(part).collect()
}

/// All pages for readers.
pub(crate) fn pages() -> Vec<PathBuf> {
    let root = repository();
    let mut files = Vec::new();
    for folder in ["docs", "atlas", "examples", "hosts", "conformance"] {
        below(&root.join(folder), &mut files);
    }
    files.extend(fs::read_dir(&root).unwrap().flatten().map(|entry| entry.path()));
    let is_page = |file: &PathBuf| {
        let is_template =
            file.components().any(|part| part.as_os_str() == "templates" || part.as_os_str() == ".tierup");
        file.extension().is_some_and(|kind| kind == "md") && !is_template
    };
    files.into_iter().filter(is_page).collect()
}

/// The problem of a page's link, if any.
fn problem(page: &Path, text: &str, link: &str) -> Option<&'static str> {
    let root = repository();
    let (path, fragment) = link.split_once('#').map_or((link, None), |(path, fragment)| (path, Some(fragment)));
    let target = match path.strip_prefix(SOURCE) {
        Some(path) => root.join(path),
        None if path.contains("://") || path.starts_with("mailto:") => return None,
        None if path.is_empty() => page.to_owned(),
        None => page.parent().unwrap().join(path),
    };
    let Ok(target) = target.canonicalize() else { return Some("is not there") };
    let docs = root.join("docs").canonicalize().unwrap();
    if page.canonicalize().unwrap().starts_with(&docs) && !path.contains("://") && !target.starts_with(&docs) {
        return Some("leaves docs/, so the site does not have it: write it as an address of the repository");
    }
    let other;
    let text = if target == page.canonicalize().unwrap() {
        text
    } else {
        other = fs::read_to_string(&target).unwrap_or_default();
        &other
    };
    let is_page = target.extension().is_some_and(|kind| kind == "md");
    let known = |fragment: &str| !is_page || anchors(text).contains(fragment);
    (!fragment.is_none_or(known)).then_some("has no such heading")
}

#[test]
fn no_link_is_dead() {
    let (mut dead, mut count) = (Vec::new(), 0);
    for page in pages() {
        let text = fs::read_to_string(&page).unwrap();
        for link in links(&text) {
            count += 1;
            dead.extend(problem(&page, &text, &link).map(|why| format!("{}: {link} {why}", page.display())));
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
    assert!(count > 100, "only {count} links were found");
}

#[test]
fn dead_links_are_found() {
    let page = repository().join("docs/method.md");
    let check = |link: &str| problem(&page, "# One heading\n", link);
    assert_eq!(check("#one-heading"), None);
    assert_eq!(check("none.md"), Some("is not there"));
    assert_eq!(check("#another"), Some("has no such heading"));
    assert!(check("../README.md").is_some_and(|why| why.starts_with("leaves docs/")));
    assert_eq!(check("https://github.com/tierup/tierup/blob/main/none"), Some("is not there"));
}

#[test]
fn the_site_has_every_page() {
    let docs = repository().join("docs");
    let summary = fs::read_to_string(docs.join("SUMMARY.md")).unwrap();
    let listed: BTreeSet<PathBuf> = links(&summary).into_iter().map(|link| docs.join(link)).collect();
    let mut all = Vec::new();
    below(&docs, &mut all);
    let all: BTreeSet<PathBuf> =
        all.into_iter().filter(|file| file.extension().is_some_and(|kind| kind == "md")).collect();
    let missing: Vec<_> = all.difference(&listed).filter(|file| !file.ends_with("SUMMARY.md")).collect();
    assert!(missing.is_empty(), "docs/SUMMARY.md lacks {missing:?}");
}
