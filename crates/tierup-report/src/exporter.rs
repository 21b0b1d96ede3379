//! The output formats, one type each, and the trait to write a document in one.
//!
//! A crate with a report implements [`Exporter`] for each format that it supports, in a file per format. The code that
//! selects the format selects one of these values, once.

use crate::text::Style;

/// Writes documents of one kind in one format.
pub trait Exporter<Document> {
    /// The whole document, ending with a line feed.
    fn export(&self, document: &Document) -> String;
}

/// Text for a terminal, a log or a mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text(pub Style);

/// GitHub's Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Markdown;

/// One HTML page that needs no network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Html;

/// For scripts: the raw results and everything derived from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json;
