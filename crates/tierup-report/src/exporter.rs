//! One type for each format, and what it means to write a document in it.
//!
//! A crate that reports something implements [`Exporter`] of its document for the formats that it supports, one file a
//! format. Whoever picks the format picks a value of one of these types, once.

use crate::text::Style;

/// Writes documents of one kind in one format.
pub trait Exporter<Document> {
    /// The whole document, with a line end behind it.
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

/// For scripts: raw results and everything derived from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json;
