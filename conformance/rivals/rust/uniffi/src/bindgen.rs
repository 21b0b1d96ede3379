//! UniFFI's generator, at the version of its scaffolding: it has to be the same.

fn main() {
    uniffi::uniffi_bindgen_main();
}
