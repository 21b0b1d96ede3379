//! `/livez`: does the server run? `/readyz`: does it answer rightly?
//!
//! Made by tierup from the signatures in your crate; changes here are lost at the next build.

use axum::http::StatusCode;
use sha2::{Digest as _, Sha256};
use crate::call::Pace;
use crate::problem::Problem;

/// SHA-256 of each correct answer.
const RIGHT: &[&str] = &[
    "0000000000000000000000000000000000000000000000000000000000000000",
];

/// The server runs.
pub async fn livez() -> &'static str {
    "ok"
}

/// 200 if the function answers the golden call correctly, otherwise 503.
pub async fn readyz() -> Result<&'static str, Problem> {
    static PACE: Pace = Pace::new();
    match PACE.try_out(golden).await {
        Ok(Ok(digest)) if RIGHT.contains(&digest.as_str()) => Ok("ok"),
        Ok(Ok(digest)) => {
            Err(
                not_ready(
                    &format!(
                        "the golden call's answer is wrong: its SHA-256 is {digest}"
                    ),
                ),
            )
        }
        Ok(Err(error)) => Err(not_ready(&format!("the golden call failed: {error}"))),
        Err(busy) if busy.is_busy() => Err(busy),
        Err(_) => Err(not_ready("the golden call panicked")),
    }
}

fn not_ready(reason: &str) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {reason}"))
}

/// The SHA-256 of the golden call's answer in its byte encoding.
fn golden() -> Result<String, String> {
    let argument0: ::sample::Order = ::sample::Order {
        items: Vec::from([
            ::sample::Item {
                id: 7,
                value: 255,
                r#type: ::sample::Color::DarkBlue,
                note: Some("\"quoted\"\n".to_owned()),
                data: b"\0\xFF".to_vec(),
                ratio: -0.5,
            },
        ]),
        counts: [("a".to_owned(), -9223372036854775808)].into_iter().collect(),
        shapes: [
            (
                "box".to_owned(),
                ::sample::Shape::Box {
                    width: f64::from_bits(9221120237041090560u64),
                    r#type: ::sample::Color::Red,
                    line_width: None,
                },
            ),
            ("line".to_owned(), ::sample::Shape::Line(-1, None)),
        ]
            .into_iter()
            .collect(),
        due_date: None,
    };
    let answer = ::sample::echo(argument0);
    let digest = {
        let mut bytes = Vec::new();
        let (answer, to) = (&answer, &mut bytes);
        encode_order(answer, to);
        Sha256::digest(&bytes)
    };
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn encode_color(value: &::sample::Color, to: &mut Vec<u8>) {
    match value {
        ::sample::Color::Red => {
            to.push(0);
        }
        ::sample::Color::DarkBlue => {
            to.push(1);
        }
    }
}

fn encode_shape(value: &::sample::Shape, to: &mut Vec<u8>) {
    match value {
        ::sample::Shape::Point => {
            to.push(0);
        }
        ::sample::Shape::Circle(field_0) => {
            to.push(1);
            to.extend_from_slice(&field_0.to_bits().to_le_bytes());
        }
        ::sample::Shape::Line(field_0, field_1) => {
            to.push(2);
            to.extend_from_slice(&field_0.to_le_bytes());
            match field_1 {
                None => to.push(0),
                Some(value) => {
                    to.push(1);
                    count(value.len(), to);
                    to.extend_from_slice(value.as_bytes());
                }
            }
        }
        ::sample::Shape::Box {
            width: field_width,
            r#type: field_type,
            line_width: field_line_width,
        } => {
            to.push(3);
            to.extend_from_slice(&field_width.to_bits().to_le_bytes());
            encode_color(field_type, to);
            match field_line_width {
                None => to.push(0),
                Some(value) => {
                    to.push(1);
                    to.extend_from_slice(&value.to_le_bytes());
                }
            }
        }
    }
}

fn encode_item(value: &::sample::Item, to: &mut Vec<u8>) {
    let ::sample::Item {
        id: field_id,
        value: field_value,
        r#type: field_type,
        note: field_note,
        data: field_data,
        ratio: field_ratio,
    } = value;
    to.extend_from_slice(&field_id.to_le_bytes());
    to.extend_from_slice(&field_value.to_le_bytes());
    encode_color(field_type, to);
    match field_note {
        None => to.push(0),
        Some(value) => {
            to.push(1);
            count(value.len(), to);
            to.extend_from_slice(value.as_bytes());
        }
    }
    count(field_data.len(), to);
    to.extend_from_slice(field_data);
    to.extend_from_slice(&field_ratio.to_bits().to_le_bytes());
}

fn encode_order(value: &::sample::Order, to: &mut Vec<u8>) {
    let ::sample::Order {
        items: field_items,
        counts: field_counts,
        shapes: field_shapes,
        due_date: field_due_date,
    } = value;
    count(field_items.len(), to);
    for item in field_items.iter() {
        encode_item(item, to);
    }
    count(field_counts.len(), to);
    let mut entries: Vec<_> = field_counts.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    for (key, item) in entries {
        count(key.len(), to);
        to.extend_from_slice(key.as_bytes());
        to.extend_from_slice(&item.to_le_bytes());
    }
    count(field_shapes.len(), to);
    let mut entries: Vec<_> = field_shapes.iter().collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    for (key, item) in entries {
        count(key.len(), to);
        to.extend_from_slice(key.as_bytes());
        encode_shape(item, to);
    }
    match field_due_date {
        None => to.push(0),
        Some(value) => {
            to.push(1);
            count(value.len(), to);
            to.extend_from_slice(value.as_bytes());
        }
    }
}

fn count(count: usize, to: &mut Vec<u8>) {
    to.extend_from_slice(&(count as u32).to_le_bytes());
}
