//! Snapshots of reports as their readers see them: text, Markdown, and the text of the HTML page. `tests/browser.rs`
//! tests how the page behaves.
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod advice;
mod compare;
mod cost;
mod doubts;
mod gain;
mod groups;
mod html;
mod json;
mod markdown;
mod memo;
mod page;
mod pages;
mod reference;
#[path = "../sample/mod.rs"]
mod sample;
mod text;
mod tuned;
mod verdicts;
