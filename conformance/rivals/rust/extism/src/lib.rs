//! The functions as an Extism plug-in. Numbers travel as bytes, for a plug-in's function takes and gives only these.

#![allow(clippy::missing_errors_doc, reason = "the macro asks for a result")]

use extism_pdk::{FnResult, plugin_fn};

#[plugin_fn]
pub fn echo_text(text: String) -> FnResult<String> {
    Ok(crossings::echo_text(&text))
}

#[plugin_fn]
pub fn echo_bytes(bytes: Vec<u8>) -> FnResult<Vec<u8>> {
    Ok(crossings::echo_bytes(&bytes))
}

#[plugin_fn]
pub fn sort_and_hash(seed_and_count: Vec<u8>) -> FnResult<Vec<u8>> {
    let (seed, count) = numbers(&seed_and_count)?;
    Ok(crossings::sort_and_hash(seed, count).to_le_bytes().to_vec())
}

#[plugin_fn]
pub fn write_numbers(seed_and_count: Vec<u8>) -> FnResult<Vec<u8>> {
    let (seed, count) = numbers(&seed_and_count)?;
    Ok(crossings::write_numbers(seed, count).to_le_bytes().to_vec())
}

fn numbers(bytes: &[u8]) -> Result<(u64, u32), extism_pdk::Error> {
    let (seed, count) =
        bytes.split_at_checked(8).ok_or_else(|| extism_pdk::Error::msg("twelve bytes are asked for"))?;
    Ok((u64::from_le_bytes(seed.try_into()?), u32::from_le_bytes(count.try_into()?)))
}
