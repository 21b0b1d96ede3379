//! The functions as an extension of PHP, by ext-php-rs: text and bytes as PHP has them. A panic is caught, as in an extension
//! that may not end the process.

use std::panic::{UnwindSafe, catch_unwind};

use ext_php_rs::binary::Binary;
use ext_php_rs::binary_slice::BinarySlice;
use ext_php_rs::prelude::*;

fn guarded<T>(call: impl FnOnce() -> T + UnwindSafe) -> PhpResult<T> {
    catch_unwind(call).map_err(|_| PhpException::from_message("the function panicked".to_owned()))
}

#[php_function]
pub fn rivals_echo_text(text: &str) -> PhpResult<String> {
    guarded(|| crossings::echo_text(text))
}

#[php_function]
pub fn rivals_echo_bytes(bytes: BinarySlice<u8>) -> PhpResult<Binary<u8>> {
    let bytes: &[u8] = &bytes;
    guarded(|| Binary::new(crossings::echo_bytes(bytes)))
}

#[php_module]
pub fn get_module(module: ModuleBuilder) -> ModuleBuilder {
    module.function(wrap_function!(rivals_echo_text)).function(wrap_function!(rivals_echo_bytes))
}
