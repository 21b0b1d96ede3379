//! Reports as their readers get them, by snapshot: text, Markdown, and what the HTML page says. How the page behaves is
//! tested in a browser (`tests/browser.rs`).
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
