//! Reading any text ends in an interface or in diagnostics, never in a panic.

use crate::fixtures::{fixtures, info};
use std::collections::BTreeMap;
use tierup_diagnostic::Diagnostic;
use tierup_model::{Interface, read_interface};

fn read(text: String) -> Result<Interface, Vec<Diagnostic>> {
    let result = read_interface(&info(), &["f".to_string()], &BTreeMap::from([("src/lib.rs".to_string(), text)]));
    if let Err(problems) = &result {
        assert!(!problems.is_empty());
        for problem in problems {
            problem.to_string();
            if let Some(place) = &problem.place {
                assert!(place.source_line.get(place.range.clone()).is_some(), "{problem:?}");
            }
        }
    }
    result
}

const SAMPLE: &str = r##"#![doc = "Größe"]
/** é */
#[cfg(all(test, not(feature = "x")))] mod t { }
pub use self::m::{E as F, *};
pub mod m {
    #[doc(hidden)] pub enum E<'a> { A = 1 << 2, B(Vec<&'a [u8; { 3 }]>), C { r#type: Option<Box<Self>> } }
    pub type R<T, E = String> = Result<T, E>;
}
const X: [u8; 2] = *b"\x00}"; // 価格
pub const fn f<'a, T: Fn(u8) -> u8>(größe: &'a str, (x, _): (u8, char), y: impl AsRef<str>) -> m::R<m::E<'a>>
where T: Copy { let s = r#"""#; '\u{1F600}' }
"##;

#[test]
fn on_any_beginning_of_a_text() {
    for (end, _) in SAMPLE.char_indices() {
        let _ = read(SAMPLE[..end].to_string());
    }
    assert!(read(SAMPLE.to_string()).is_err());
}

#[test]
fn on_a_text_without_any_one_character_or_token() {
    for (start, character) in SAMPLE.char_indices() {
        let _ = read(format!("{}{}", &SAMPLE[..start], &SAMPLE[start + character.len_utf8()..]));
        let _ = read(format!("{}{}{}", &SAMPLE[..start], "<", &SAMPLE[start..]));
        let _ = read(format!("{}{}{}", &SAMPLE[..start], "{", &SAMPLE[start..]));
    }
}

#[test]
fn on_any_pair_of_fixtures_put_together() {
    let texts = || {
        fixtures("refused")
            .into_iter()
            .chain(fixtures("accepted"))
            .filter_map(|mut fixture| fixture.files.remove("src/lib.rs"))
    };
    let texts: Vec<_> = texts().filter(|text| text.len() < 2_000).collect();
    for (index, text) in texts.iter().enumerate() {
        let _ = read(format!("{text}{}", texts[(index * 7 + 3) % texts.len()]));
    }
}

#[test]
fn on_nesting() {
    let many = 2_000;
    for (open, close) in [
        ("Vec<", ">"),
        ("(", ")"),
        ("[", "]"),
        ("[", "; 0]"),
        ("&", ""),
        ("&'a mut ", ""),
        ("*const ", ""),
        ("fn() -> ", ""),
        ("impl A<B = ", ">"),
        ("dyn A + ", ""),
        ("a::", ""),
        ("<", " as A>::B"),
        ("for<'a> ", ""),
        ("m!{", "}"),
    ] {
        let (open, close) = (open.repeat(many), close.repeat(many));
        let _ = read(format!("pub fn f(x: {open}u8{close}) {{}}"));
        let _ = read(format!("pub type A = {open}u8{close}; pub fn f(x: A) {{}}"));
        let _ = read(format!("pub struct A {{ pub a: {open}u8{close} }} pub fn f(x: A) {{}}"));
    }
    for (open, close) in [
        ("mod a {", "}"),
        ("use a::{", "};"),
        ("use a::", "b;"),
        ("fn f() {", "}"),
        ("enum A { B = (", ")}"),
        ("const A: u8 = -", "1;"),
        ("#[a(", ")]"),
        ("#[a = -", "]"),
        ("impl A {", "}"),
        ("a!{", "}"),
        ("pub(in ", ")"),
        ("", ""),
    ] {
        let _ = read(format!("{}{}", open.repeat(many), close.repeat(many)));
        let _ = read(open.repeat(many));
        let _ = read(close.repeat(many));
    }
}

#[test]
fn a_body_may_nest_as_it_likes() {
    let many = 20_000;
    for body in [format!("{}1{}", "(".repeat(many), ")".repeat(many)), "1+".repeat(many) + "1", "-".repeat(many) + "1"]
    {
        read(format!("const X: u8 = {body};\npub enum E {{ A = {body} }}\npub fn f(e: E) -> u8 {{ {body} }}")).unwrap();
    }
}

#[test]
fn on_long_chains() {
    let many = 2_000;
    let structs = |link: &dyn Fn(usize) -> String| (0..many).map(link).collect::<String>() + "pub fn f(x: S0) {}";
    let _ = read(structs(&|n| format!("pub struct S{n} {{ pub next: S{} }}\n", n + 1)));
    let _ = read(structs(&|n| format!("pub type S{n} = S{};\n", n + 1)));
    let _ = read(structs(&|n| format!("pub type S{n} = Vec<S{}>;\n", n + 1)));
    let _ = read(structs(&|n| format!("pub type S{n} = Box<S{}>;\n", n + 1)));
    let _ = read(structs(&|n| format!("pub type S{n}<T> = S{m}<S{m}<T>>;\n", m = n + 1)));
    let _ = read(
        "type A = Box<A>; type B = &'static B; type C<T> = C<Option<T>>; pub fn f(a: A, b: B, c: C<u8>) {}".to_string(),
    );
    let _ = read(structs(&|n| format!("mod m{n} {{ pub use crate::m{}::*; }}\n", (n + 1) % many)) + "pub use m0::S0;");
    let _ = read(structs(&|n| format!("pub type S{n}<T> = std::collections::HashMap<S{m}<T>, S{m}<T>>;\n", m = n + 1)));
}
