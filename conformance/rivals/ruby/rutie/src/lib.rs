//! The functions through rutie, with the VM's lock held.

use rutie::{Encoding, Integer, Module, Object, RString, methods, module};

module!(RivalsRutie);

methods!(
    RivalsRutie,
    _itself,
    fn echo_text(text: RString) -> RString {
        RString::new_utf8(&crossings::echo_text(text.expect("a String").to_str()))
    },
    fn echo_bytes(bytes: RString) -> RString {
        let bytes = bytes.expect("a String");
        RString::from_bytes(&crossings::echo_bytes(bytes.to_bytes_unchecked()), &Encoding::find("ASCII-8BIT").expect("Ruby has it"))
    },
    fn sort_and_hash(seed: Integer, count: Integer) -> Integer {
        let (seed, count) = (seed.expect("a number").to_u64(), count.expect("a number").to_u32());
        Integer::from(crossings::sort_and_hash(seed, count))
    },
);

/// What Ruby calls when it loads the extension.
#[allow(non_snake_case, reason = "Ruby finds it by the file's name")]
#[unsafe(no_mangle)]
pub extern "C" fn Init_rivals_rutie() {
    Module::new("RivalsRutie").define(|module| {
        module.def_self("echo_text", echo_text);
        module.def_self("echo_bytes", echo_bytes);
        module.def_self("sort_and_hash", sort_and_hash);
    });
}
