//! Bodies that fill several parameters: objects whose members are called like them.
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use crate::json::{Problem, Reader, given};

/// The body of `POST /arrange/{id}`.
pub fn post_arrange_id(
    from: &mut Reader<'_>,
) -> Result<
    (Vec<::sample::Item>, Option<::sample::Color>, Vec<String>, Vec<u8>),
    Problem,
> {
    let key_main_color = from.key("main_color", "mainColor");
    let mut field_items = None;
    let mut field_main_color = None;
    let mut field_labels = None;
    let mut field_data = None;
    from.object(|from, key| match key {
        "items" => from.field("items", &mut field_items),
        _ if key == key_main_color => from.field(key_main_color, &mut field_main_color),
        "labels" => from.field("labels", &mut field_labels),
        "data" => from.field("data", &mut field_data),
        _ => {
            Err(
                Problem::unknown(
                    "field",
                    key,
                    &["items", key_main_color, "labels", "data"],
                ),
            )
        }
    })?;
    Ok((
        given("items", field_items)?,
        given(key_main_color, field_main_color)?,
        given("labels", field_labels)?,
        given("data", field_data)?,
    ))
}
