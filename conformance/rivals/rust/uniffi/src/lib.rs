//! The functions as UniFFI exports them. The annotations are what a user would have to add, here in a crate of ours.

uniffi::setup_scaffolding!();

#[uniffi::export]
fn echo_text(text: &str) -> String {
    crossings::echo_text(text)
}

#[uniffi::export]
fn echo_bytes(bytes: &[u8]) -> Vec<u8> {
    crossings::echo_bytes(bytes)
}

#[uniffi::export]
fn sort_and_hash(seed: u64, count: u32) -> u64 {
    crossings::sort_and_hash(seed, count)
}

#[uniffi::export]
fn write_numbers(seed: u64, count: u32) -> u64 {
    crossings::write_numbers(seed, count)
}
