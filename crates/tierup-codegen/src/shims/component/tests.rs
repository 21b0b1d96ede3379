use std::collections::BTreeMap;

use expect_test::{Expect, expect};
use tierup_model::{CrateInfo, Interface, read_interface};
use wit_parser::Resolve;

use super::{Names, guest, wit};

/// The interface of a crate `hot-code` with that source, whose every function is exported.
fn interface(source: &str) -> Interface {
    let text = |text: &str| text.to_owned();
    let info = CrateInfo {
        package: text("hot-code"),
        library: text("hot_code"),
        version: text("0.1.0"),
        root: text("lib.rs"),
    };
    let names = source.split("pub fn ").skip(1).map(|rest| rest.split('(').next().unwrap().trim_start_matches("r#"));
    let export: Vec<String> = names.map(str::to_owned).collect();
    read_interface(&info, &export, &BTreeMap::from([(text("lib.rs"), text(source))])).unwrap()
}

/// WIT that a parser takes.
fn valid_wit(source: &str) -> String {
    let wit = wit(&interface(source));
    let mut resolve = Resolve::default();
    if let Err(error) = resolve.push_str("world.wit", &wit) {
        panic!("{error:?}\n{wit}");
    }
    wit
}

fn check(source: &str, expected: Expect) {
    expected.assert_eq(&valid_wit(source));
}

const DRAWING: &str = r##"
    //! Draws.
    use std::collections::HashMap;

    /// A place.
    pub struct Point {
        /// To the right: \ ends */ nothing.
        pub x: f64,
        pub y: f64,
    }

    pub enum Color { Red, DarkBlue }

    /// What can be drawn.
    pub enum Shape { Empty, Circle(f64), Line(Point, Point), Polygon { corners: Vec<Point>, fill: Option<Color> } }

    /// Draws.
    ///
    /// Slowly.
    pub fn draw(shapes: &[Shape], names: HashMap<String, usize>, title: Option<&str>) -> Result<Vec<u8>, String> { unreachable!() }
    pub fn clear() {}
    pub fn check(value: i8) -> Result<(), String> { unreachable!() }
"##;

#[test]
fn an_interface_as_wit() {
    check(
        DRAWING,
        expect![[r#"
        // Made by tierup from the signatures in your crate; changes here are lost at the next build.
        package tierup:hot-code;

        interface functions {
            /// A place.
            record point {
                /// To the right: \ ends */ nothing.
                x: f64,
                y: f64,
            }

            enum color {
                red,
                dark-blue,
            }

            /// What `polygon` of `shape` carries.
            record shape-polygon {
                corners: list<point>,
                fill: option<color>,
            }

            /// What can be drawn.
            variant shape {
                empty,
                circle(f64),
                line(tuple<point, point>),
                polygon(shape-polygon),
            }

            /// Draws.
            ///
            /// Slowly.
            draw: func(shapes: list<shape>, names: list<tuple<string, u64>>, title: option<string>) -> result<list<u8>, string>;

            clear: func();

            check: func(value: s8) -> result<_, string>;
        }

        /// Draws.
        world library {
            /// Told a panic's message and place, right before the trap that follows it.
            import panicked: func(message: string);

            export functions;
        }
    "#]],
    );
}

#[test]
fn an_interface_as_a_guest() {
    let interface = interface(DRAWING);
    expect![[r#"
        //! Your functions as a component: what wit/world.wit says, in Rust.
        //!
        //! Made by tierup from the signatures in your crate; changes here are lost at the next build.

        #![allow(dead_code, deprecated, clippy::all)]
        mod bindings;
        mod panics;
        mod place;
        use bindings::exports::tierup::hot_code::functions as wit;
        struct Library;
        bindings::export!(Library with_types_in bindings);
        impl wit::Guest for Library {
            fn draw(
                argument0: Vec<wit::Shape>,
                argument1: Vec<(String, u64)>,
                argument2: Option<String>,
            ) -> Result<Vec<u8>, String> {
                panics::report();
                let argument0: ::std::vec::Vec<::hot_code::Shape> = argument0
                    .into_iter()
                    .map(shape_in)
                    .collect();
                let argument1: ::std::collections::HashMap<::std::string::String, usize> = argument1
                    .into_iter()
                    .map(|(key, value)| (
                        key,
                        value.try_into().expect("a size does not fit this machine"),
                    ))
                    .collect();
                let argument2: ::std::option::Option<&str> = argument2
                    .as_ref()
                    .map(|value| value.as_str());
                match ::hot_code::draw(&argument0, argument1, argument2) {
                    Ok(value) => Ok(value),
                    Err(error) => Err(error.to_string()),
                }
            }
            fn clear() {
                panics::report();
                ::hot_code::clear()
            }
            fn check(argument0: i8) -> Result<(), String> {
                panics::report();
                match ::hot_code::check(argument0) {
                    Ok(()) => Ok(()),
                    Err(error) => Err(error.to_string()),
                }
            }
        }
        fn point_in(value: wit::Point) -> ::hot_code::Point {
            match value {
                wit::Point { x: field0, y: field1 } => {
                    ::hot_code::Point {
                        x: field0,
                        y: field1,
                    }
                }
            }
        }
        fn point_out(value: ::hot_code::Point) -> wit::Point {
            match value {
                ::hot_code::Point { x: field0, y: field1 } => wit::Point { x: field0, y: field1 },
            }
        }
        fn color_in(value: wit::Color) -> ::hot_code::Color {
            match value {
                wit::Color::Red => ::hot_code::Color::Red,
                wit::Color::DarkBlue => ::hot_code::Color::DarkBlue,
            }
        }
        fn color_out(value: ::hot_code::Color) -> wit::Color {
            match value {
                ::hot_code::Color::Red => wit::Color::Red,
                ::hot_code::Color::DarkBlue => wit::Color::DarkBlue,
            }
        }
        fn shape_in(value: wit::Shape) -> ::hot_code::Shape {
            match value {
                wit::Shape::Empty => ::hot_code::Shape::Empty,
                wit::Shape::Circle(field0) => ::hot_code::Shape::Circle(field0),
                wit::Shape::Line((field0, field1)) => {
                    ::hot_code::Shape::Line(point_in(field0), point_in(field1))
                }
                wit::Shape::Polygon(wit::ShapePolygon { corners: field0, fill: field1 }) => {
                    ::hot_code::Shape::Polygon {
                        corners: field0.into_iter().map(point_in).collect(),
                        fill: field1.map(color_in),
                    }
                }
            }
        }
        fn shape_out(value: ::hot_code::Shape) -> wit::Shape {
            match value {
                ::hot_code::Shape::Empty => wit::Shape::Empty,
                ::hot_code::Shape::Circle(field0) => wit::Shape::Circle(field0),
                ::hot_code::Shape::Line(field0, field1) => {
                    wit::Shape::Line((point_out(field0), point_out(field1)))
                }
                ::hot_code::Shape::Polygon { corners: field0, fill: field1 } => {
                    wit::Shape::Polygon(wit::ShapePolygon {
                        corners: field0.into_iter().map(point_out).collect(),
                        fill: field1.map(color_out),
                    })
                }
            }
        }
        /// A map's entries in the order of all variants' answers, whatever the map's own order.
        fn sorted<T>(mut entries: Vec<(String, T)>) -> Vec<(String, T)> {
            entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
            entries
        }
    "#]]
    .assert_eq(&guest::library(&interface, &Names::new(&interface)));
}

#[test]
fn names_that_collide_in_wit_get_numbers() {
    check(
        "pub struct A { pub x: u8, pub X: u8, pub _x: u8, pub x_n2: u8, pub größe: u8, pub a_1: u8, pub x__y: u8 }
         pub fn a(_: A) {}
         pub fn list(r#type: u8, func: u8, r#self_: u8) {}
         pub fn a1b2(_1: u8, __: u8) {}",
        expect![[r#"
            // Made by tierup from the signatures in your crate; changes here are lost at the next build.
            package tierup:hot-code;

            interface functions {
                record a-n2 {
                    x: u8,
                    x-n3: u8,
                    x-n4: u8,
                    x-n2: u8,
                    gru246u223e: u8,
                    a1: u8,
                    x-y: u8,
                }

                a: func(arg0: a-n2);

                %list: func(%type: u8, %func: u8, self-n2: u8);

                a1b2: func(n1: u8, n: u8);
            }

            world library {
                /// Told a panic's message and place, right before the trap that follows it.
                import panicked: func(message: string);

                export functions;
            }
        "#]],
    );
}

#[test]
fn characters_that_wit_refuses_are_removed_from_docs() {
    let docs = "/// a\u{202e}b \u{7} \u{149} */ `c`";
    let wit = valid_wit(&format!("{docs}\npub fn f() {{}}"));
    assert!(wit.contains("/// ab   */ `c`\n"), "{wit}");
}

/// `hosts/node/tests/component.rs` compiles and runs the bindings that wit-bindgen makes from the same names.
#[test]
fn names_with_a_meaning_elsewhere_are_valid_wit() {
    valid_wit(include_str!("tests/everything.rs"));
}

/// The generated code and the runtime that it links must have the same version.
#[test]
fn the_wasm_tools_write_bindings_of_the_linked_version() {
    let sources = crate::WasmTool::Bindings.program().sources();
    let manifest = std::str::from_utf8(sources.get("Cargo.toml").unwrap()).unwrap();
    assert!(manifest.contains(&format!("wit-bindgen-rust = \"={}\"", super::bindings::VERSION)), "{manifest}");
}
