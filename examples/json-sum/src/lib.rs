//! The body of a request in, the sum of its items' doubled values out.
//!
//! [`sum_items`] is the whole interface. A body is `{"items":[{"value":n}, …]}`, read as JavaScript's `JSON.parse`
//! reads it, because that is what clients have been talking to so far. `quick` reads bodies as nearly all of them are.
//! For all others, `member` finds what counts in an object, `items` adds up, `number` says what a number in JSON is worth,
//! and `error` what can be wrong.

mod error;
mod items;
mod member;
mod number;
mod quick;

pub use error::SumError;

/// Adds up `value * 2` over the items of a body.
///
/// Nothing of the body is built: numbers are added up as they come by.
///
/// Values are whole numbers, however they are written (`3`, `3.0`, `30e-1`). They, and the sum after each item, are at
/// most 2^53 - 1 away from zero, so that JavaScript's numbers hold them exactly. Keys that nobody asked for may have any
/// value, nested as deep as it likes. Of a key that an object has twice, the last one counts.
///
/// # Errors
///
/// [`SumError`] says what is wrong with the body, or with which item.
pub fn sum_items(body: &[u8]) -> Result<i64, SumError> {
    let text = str::from_utf8(body).map_err(|_| SumError::NotUtf8)?;
    if let Some(sum) = quick::sum(text) {
        return Ok(sum);
    }
    // That all of it is JSON is known behind this line; what fails there is of the wrong shape.
    let items = member::of_document(text, "items")?.ok_or(SumError::NoItems)?;
    items::sum(items)
}
