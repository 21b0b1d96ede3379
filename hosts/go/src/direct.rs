//! Calls at `3:native` that pass text and bytes to Rust in place, without the byte encoding. They exist for functions
//! whose arguments and answer are only text and bytes (`is_direct`).
//!
//! This writes three files, in the order of a call: the package's interface to a variant (`internal/direct`), Go's
//! calls through cgo (`linked/direct.go`), Rust's exports (`go-native/src/direct.rs`). They call a function by its
//! number, so no name of the user's can collide.

use std::fmt::Write as _;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use tierup_codegen::named::{Named, NamedFunction};
use tierup_codegen::rust;
use tierup_codegen::source::Source;
use tierup_model::Type;

use crate::source::{HEADER, Types};

/// The functions that can be called directly.
fn direct<'n, 'a>(named: &'n Named<'a>) -> impl Iterator<Item = &'n NamedFunction<'a>> {
    named.functions.iter().filter(|function| function.is_direct())
}

/// `internal/direct/direct.go`: the Go interface of a variant with direct calls.
pub(crate) fn variant(named: &Named<'_>) -> String {
    let types = Types { named, qualifier: "" };
    let mut source = Source::new("\t");
    source.add_as_is(HEADER).add(
        "
        // Package direct says which functions take and give only text and bytes, which a variant in this process can hand
        // over as they are.
        package direct

        // Functions by number. Text that goes in is UTF-8.
        ",
    );
    if direct(named).next().is_none() {
        source.add("type Functions interface{}");
        return source.into_text();
    }
    source.add("type Functions interface {").inside(|source| {
        for function in direct(named) {
            let number = function.number;
            let parameters: Vec<_> = function.parameters.iter().map(|parameter| types.spell(parameter.ty)).collect();
            source.add(format!("// F{number} is {}.", function.name));
            source.add(format!("F{number}({}) {}", parameters.join(", "), types.output(function.output)));
        }
    });
    source.add("}");
    source.into_text()
}

/// The lines of a method that call directly if the arguments can be passed so; `None` if the function has no direct
/// call. Other arguments take the encoding, which reports why they are refused.
pub(crate) fn tried(function: &NamedFunction<'_>) -> Option<String> {
    let mut condition = "binding.direct != nil".to_owned();
    for parameter in &function.parameters {
        let check = if *parameter.ty == Type::Text { "TextCrosses" } else { "BlobCrosses" };
        let _ = write!(condition, " && wire.{check}({})", parameter.name);
    }
    let call = format!("binding.direct.F{}({})", function.number, function.arguments().join(", "));
    // `value` and `err` are declared after the arguments are read, so a parameter may have the same name.
    let lines = match function.output {
        Some(_) => format!("    value, err := {call}\n    return value, binding.tierupDirect(err)"),
        None => format!("    return binding.tierupDirect({call})"),
    };
    function.is_direct().then(|| format!("if {condition} {{\n{lines}\n}}"))
}

/// The C names of Rust's exports for direct calls, without their common prefix.
pub(crate) fn exports(named: &Named<'_>) -> impl Iterator<Item = String> {
    direct(named).map(|function| format!("f{}", function.number))
}

/// The declarations of these exports in `linked/rust.h`.
pub(crate) fn declarations(named: &Named<'_>, symbol: &str) -> String {
    let declaration = |function: &NamedFunction<'_>| {
        let parameters: String = (0..function.parameters.len())
            .map(|number| format!("const uint8_t *argument{number}, size_t length{number}, "))
            .collect();
        format!("tierup_ended tierup_{symbol}_f{}({parameters}uint8_t *room, size_t capacity);\n", function.number)
    };
    direct(named).map(declaration).collect()
}

/// `linked/direct.go`, which is built under a condition; `None` if no function has a direct call.
pub(crate) fn linked(named: &Named<'_>, symbol: &str, condition: &str) -> Option<String> {
    direct(named).next()?;
    let types = Types { named, qualifier: "" };
    let mut source = Source::new("\t");
    source.add_as_is(HEADER).add(format!("//go:build {condition}")).gap(1).add("package linked").gap(1).add("/*");
    // Rust neither keeps the lent memory nor calls back. So Go moves nothing to the heap, and a call is cheaper.
    for name in exports(named) {
        source.add(format!("#cgo noescape tierup_{symbol}_{name}\n#cgo nocallback tierup_{symbol}_{name}"));
    }
    source.add("#include \"rust.h\"\n*/\nimport \"C\"");
    if direct(named).any(|function| !function.parameters.is_empty()) {
        source.gap(1).add("import \"unsafe\"");
    }
    direct(named).for_each(|function| method(&mut source, function, symbol, &types));
    Some(source.into_text())
}

/// One direct call: it lends the arguments in place; a short answer is written into the caller's buffer.
fn method(source: &mut Source, function: &NamedFunction<'_>, symbol: &str, types: &Types<'_>) {
    let number = function.number;
    let mut parameters = Vec::new();
    let mut lent = Source::piece();
    for (number, parameter) in function.parameters.iter().enumerate() {
        let data = if *parameter.ty == Type::Text { "StringData" } else { "SliceData" };
        parameters.push(format!("argument{number} {}", types.spell(parameter.ty)));
        lent.add(format!("(*C.uint8_t)(unsafe.{data}(argument{number})), C.size_t(len(argument{number})),"));
    }
    let read = match function.output {
        Some(Type::Text) => "text",
        Some(_) => "blob",
        None => "nothing",
    };
    let (parameters, output) = (parameters.join(", "), types.output(function.output));
    source.gap(1).add(format!(
        "
        // F{number} is {}.
        func (native *native) F{number}({parameters}) {output} {{
            var room [short]byte
            native.places.Take()
            ended := C.tierup_{symbol}_f{number}(
        ",
        function.name
    ));
    source.inside(|source| {
        source.add_inside(lent.text()).add_inside("(*C.uint8_t)(&room[0]), C.size_t(len(room)),");
        source.add(format!(")\nnative.places.Give()\nreturn {read}(ended, room[:])"));
    });
    source.add("}");
}

/// `go-native/src/direct.rs`.
pub(crate) fn exported(named: &Named<'_>, symbol: &str) -> String {
    let exports = direct(named).map(|function| export(function, symbol));
    let tokens = quote! {
        #![allow(unused_imports, dead_code)]

        use tierup_calls::{Outcome, direct};

        use crate::{Answer, copied, handed_over, lent};

        /// How a call ended: with a value (0), an error's message (1) or a panic's (2), the numbers of the encoding.
        #[repr(C)]
        pub struct Ended {
            answer: Answer,
            tag: u8,
        }

        /// # Safety
        /// As for [`lent`]; also, the bytes are UTF-8.
        unsafe fn lent_text<'a>(data: *const u8, length: usize) -> &'a str {
            // SAFETY: the caller's promise.
            unsafe { std::str::from_utf8_unchecked(lent(data, length)) }
        }

        /// # Safety
        /// As for [`copied`].
        unsafe fn ended<T>(outcome: Outcome<T>, bytes: fn(T) -> Vec<u8>, room: *mut u8, capacity: usize) -> Ended {
            let (tag, answer) = match outcome {
                Outcome::Ok(value) => (0, bytes(value)),
                Outcome::Error(message) => (1, message.into_bytes()),
                Outcome::Panic(message) => (2, message.into_bytes()),
            };
            // SAFETY: the caller's promise.
            let short = unsafe { copied(&answer, room, capacity) };
            Ended { answer: short.unwrap_or_else(|| handed_over(answer)), tag }
        }

        #(#exports)*
    };
    rust::header("Functions that take and give only text and bytes, which lie in the caller's memory.")
        + &rust::format(tokens)
}

fn export(function: &NamedFunction<'_>, symbol: &str) -> TokenStream {
    let name = format_ident!("f{}", function.number);
    let export_name = format!("tierup_{symbol}_{name}");
    let places = || 0..function.parameters.len();
    let arguments: Vec<_> = places().map(|number| format_ident!("argument{number}")).collect();
    let lengths: Vec<_> = places().map(|number| format_ident!("length{number}")).collect();
    let lend = function.parameters.iter().map(|parameter| match parameter.ty {
        Type::Text => quote!(lent_text),
        _ => quote!(lent),
    });
    let bytes = match function.output {
        Some(_) => quote!(Vec::from),
        None => quote!(|()| Vec::new()),
    };
    let docs = format!(" `{}`", function.rust.path.trim_start_matches("::"));
    quote! {
        #[doc = #docs]
        #[unsafe(export_name = #export_name)]
        pub unsafe extern "C" fn #name(
            #(#arguments: *const u8, #lengths: usize,)*
            room: *mut u8,
            capacity: usize,
        ) -> Ended {
            // SAFETY: the caller's promise.
            unsafe { ended(direct::#name(#(#lend(#arguments, #lengths)),*), #bytes, room, capacity) }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use expect_test::{Expect, expect};
    use tierup_model::{CrateInfo, read_interface};

    use super::*;

    /// The interface of a crate with these functions.
    fn named(source: &str, export: &[&str]) -> Named<'static> {
        let (package, library, version) = ("shop".to_owned(), "shop".to_owned(), "0.1.0".to_owned());
        let info = CrateInfo { package, library, version, root: "src/lib.rs".into() };
        let export: Vec<_> = export.iter().map(|name| (*name).to_owned()).collect();
        let sources = HashMap::from([("src/lib.rs".into(), source.to_owned())]);
        crate::names::named(Box::leak(Box::new(read_interface(&info, &export, &sources).unwrap())))
    }

    #[track_caller]
    fn check(actual: &str, expected: Expect) {
        expected.assert_eq(actual);
    }

    const SOURCE: &str = "
        pub fn count(text: &str) -> u32 { 0 }
        pub fn sign(text: &str, key: Vec<u8>) -> Result<Vec<u8>, String> { Ok(key) }
        pub fn ping() {}
    ";

    #[test]
    fn functions_of_text_and_bytes_have_direct_calls() {
        let named = named(SOURCE, &["count", "sign", "ping"]);
        check(
            &linked(&named, "sample", "cgo && linux").unwrap(),
            expect![[r#"
                // Code generated by tierup from the signatures in your crate. DO NOT EDIT.

                //go:build cgo && linux

                package linked

                /*
                #cgo noescape tierup_sample_f1
                #cgo nocallback tierup_sample_f1
                #cgo noescape tierup_sample_f2
                #cgo nocallback tierup_sample_f2
                #include "rust.h"
                */
                import "C"

                import "unsafe"

                // F1 is Sign.
                func (native *native) F1(argument0 string, argument1 []byte) ([]byte, error) {
                	var room [short]byte
                	native.places.Take()
                	ended := C.tierup_sample_f1(
                		(*C.uint8_t)(unsafe.StringData(argument0)), C.size_t(len(argument0)),
                		(*C.uint8_t)(unsafe.SliceData(argument1)), C.size_t(len(argument1)),
                		(*C.uint8_t)(&room[0]), C.size_t(len(room)),
                	)
                	native.places.Give()
                	return blob(ended, room[:])
                }

                // F2 is Ping.
                func (native *native) F2() error {
                	var room [short]byte
                	native.places.Take()
                	ended := C.tierup_sample_f2(
                		(*C.uint8_t)(&room[0]), C.size_t(len(room)),
                	)
                	native.places.Give()
                	return nothing(ended, room[:])
                }
            "#]],
        );
        check(
            &variant(&named),
            expect![[r#"
            // Code generated by tierup from the signatures in your crate. DO NOT EDIT.

            // Package direct says which functions take and give only text and bytes, which a variant in this process can hand
            // over as they are.
            package direct

            // Functions by number. Text that goes in is UTF-8.
            type Functions interface {
            	// F1 is Sign.
            	F1(string, []byte) ([]byte, error)
            	// F2 is Ping.
            	F2() error
            }
        "#]],
        );
        check(
            &declarations(&named, "sample"),
            expect![[r#"
            tierup_ended tierup_sample_f1(const uint8_t *argument0, size_t length0, const uint8_t *argument1, size_t length1, uint8_t *room, size_t capacity);
            tierup_ended tierup_sample_f2(uint8_t *room, size_t capacity);
        "#]],
        );
    }

    #[test]
    fn a_method_checks_arguments_before_a_direct_call() {
        let named = named(SOURCE, &["count", "sign", "ping"]);
        assert_eq!(tried(&named.functions[0]), None);
        // Braces around the body, because the expected text must not begin with a tab.
        let body = |number: usize| {
            let mut source = Source::new("\t");
            source.add("{").add_inside(tried(&named.functions[number]).unwrap()).add("}");
            source.into_text()
        };
        check(
            &body(1),
            expect![[r#"
                {
                	if binding.direct != nil && wire.TextCrosses(text) && wire.BlobCrosses(key) {
                		value, err := binding.direct.F1(text, key)
                		return value, binding.tierupDirect(err)
                	}
                }
            "#]],
        );
        check(
            &body(2),
            expect![[r#"
                {
                	if binding.direct != nil {
                		return binding.tierupDirect(binding.direct.F2())
                	}
                }
            "#]],
        );
    }

    #[test]
    fn rust_exports_each_direct_call_by_its_number() {
        let named = named(SOURCE, &["count", "sign", "ping"]);
        let text = exported(&named, "shop");
        check(
            &text[text.find("/// `shop::sign`").unwrap()..],
            expect![[r#"
            /// `shop::sign`
            #[unsafe(export_name = "tierup_shop_f1")]
            pub unsafe extern "C" fn f1(
                argument0: *const u8,
                length0: usize,
                argument1: *const u8,
                length1: usize,
                room: *mut u8,
                capacity: usize,
            ) -> Ended {
                unsafe {
                    ended(
                        direct::f1(lent_text(argument0, length0), lent(argument1, length1)),
                        Vec::from,
                        room,
                        capacity,
                    )
                }
            }
            /// `shop::ping`
            #[unsafe(export_name = "tierup_shop_f2")]
            pub unsafe extern "C" fn f2(room: *mut u8, capacity: usize) -> Ended {
                unsafe { ended(direct::f2(), |()| Vec::new(), room, capacity) }
            }
        "#]],
        );
    }

    #[test]
    fn without_direct_calls_there_is_no_file() {
        let named = named(SOURCE, &["count"]);
        assert_eq!(linked(&named, "sample", "cgo"), None);
        assert!(variant(&named).ends_with("type Functions interface{}\n"));
    }
}
