//! The functions as NIFs, as rustler's documentation writes them: on the dirty schedulers, and on those that run the processes.

use rustler::{Binary, Env, NewBinary};

fn binary<'a>(env: Env<'a>, bytes: &[u8]) -> Binary<'a> {
    let mut binary = NewBinary::new(env, bytes.len());
    binary.as_mut_slice().copy_from_slice(bytes);
    binary.into()
}

#[rustler::nif(schedule = "DirtyCpu")]
fn echo_text(text: &str) -> String {
    crossings::echo_text(text)
}

#[rustler::nif(schedule = "DirtyCpu")]
fn echo_bytes<'a>(env: Env<'a>, bytes: Binary<'a>) -> Binary<'a> {
    binary(env, &crossings::echo_bytes(bytes.as_slice()))
}

#[rustler::nif(schedule = "DirtyCpu")]
fn sort_and_hash(seed: u64, count: u32) -> u64 {
    crossings::sort_and_hash(seed, count)
}

#[rustler::nif]
fn normal_echo_text(text: &str) -> String {
    crossings::echo_text(text)
}

#[rustler::nif]
fn normal_echo_bytes<'a>(env: Env<'a>, bytes: Binary<'a>) -> Binary<'a> {
    binary(env, &crossings::echo_bytes(bytes.as_slice()))
}

rustler::init!("Elixir.Rivals.Rustler");
