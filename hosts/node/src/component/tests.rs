use std::collections::BTreeMap;

use expect_test::expect;
use tierup_model::{CrateInfo, read_interface};

use super::{adapt::adapt, conversions};
use crate::names::named;

#[test]
fn values_are_converted_between_both_forms() {
    let source = "
        use std::collections::BTreeMap;
        pub struct Point { pub x: f64, pub y: f64 }
        pub enum Color { Red, DarkBlue }
        pub struct Nothing {}
        pub enum Shape { Empty, Circle(f64), Line(Point, Point), Polygon { corners: Vec<Point>, fill_color: Option<Color> } }
        pub struct Drawing { pub shapes: Vec<Shape>, pub constructor: Vec<u8>, pub sizes: Vec<u64> }
        pub fn draw(drawing: &Drawing, names: BTreeMap<String, usize>, r#class: Option<&str>) -> Result<Vec<u8>, String> { unreachable!() }
        pub fn parse(text: &str) -> Option<Drawing> { unreachable!() }
        pub fn nothing(_: Nothing) -> Nothing { unreachable!() }
        pub fn clear() {}
    ";
    let text = |text: &str| text.to_owned();
    let info = CrateInfo { package: text("ink"), library: text("ink"), version: text("0.1.0"), root: text("lib.rs") };
    let export = ["draw", "parse", "nothing", "clear"].map(str::to_owned);
    let interface = read_interface(&info, &export, &BTreeMap::from([(text("lib.rs"), text(source))])).unwrap();
    expect![[r#"
        const FUNCTIONS = [
          {
            exported: 'draw',
            lower: (args) => [
              argument('drawing', args[0], lowerDrawing),
              argument('names', args[1], (value) => map(value, usize)),
              argument('class_', args[2], (value) => optional(value, text)),
            ],
            lift: buffer,
          },
          {
            exported: 'parse',
            lower: (args) => [argument('text', args[0], text)],
            lift: (value) => (value === undefined ? null : liftDrawing(value)),
          },
          {
            exported: 'nothing',
            lower: (args) => [argument('arg0', args[0], lowerNothing)],
            lift: liftNothing,
          },
          {
            exported: 'clear',
            lower: () => [],
            lift: same,
          },
        ];

        function lowerPoint(value) {
          return object(value) && {
            x: field(value, 'x', number),
            y: field(value, 'y', number),
          };
        }

        function lowerColor(value) {
          switch (value) {
            case 'Red':
              return 'red';
            case 'DarkBlue':
              return 'dark-blue';
            default:
              throw expected('"Red" or "DarkBlue"', value);
          }
        }

        function liftColor(value) {
          switch (value) {
            case 'red':
              return 'Red';
            case 'dark-blue':
              return 'DarkBlue';
            default:
              throw new TransportError('the component answered with an unknown case');
          }
        }

        function lowerShape(value) {
          switch (object(value).type) {
            case 'Empty':
              return { tag: 'empty' };
            case 'Circle':
              return { tag: 'circle', val: field(value, 'value', number) };
            case 'Line':
              return { tag: 'line', val: field(value, 'value', (value) => tuple(value, 2) && [item(value, 0, lowerPoint), item(value, 1, lowerPoint)]) };
            case 'Polygon':
              return { tag: 'polygon', val: field(value, 'value', (value) => (object(value) && {
                corners: field(value, 'corners', (value) => list(value, lowerPoint, [])),
                fillColor: field(value, 'fillColor', (value) => optional(value, lowerColor)),
              })) };
            default:
              throw within('.type', expected('"Empty", "Circle", "Line" or "Polygon"', value.type));
          }
        }

        function liftShape(value) {
          const { val } = value;
          switch (value.tag) {
            case 'empty':
              return { type: 'Empty' };
            case 'circle':
              return { type: 'Circle', value: val };
            case 'line':
              return { type: 'Line', value: val };
            case 'polygon':
              return { type: 'Polygon', value: {
                corners: val.corners,
                fillColor: (val.fillColor === undefined ? null : liftColor(val.fillColor)),
              } };
            default:
              throw new TransportError('the component answered with an unknown case');
          }
        }

        function lowerDrawing(value) {
          return object(value) && {
            shapes: field(value, 'shapes', (value) => list(value, lowerShape, [])),
            constructor: ownField(value, 'constructor', bytes),
            sizes: field(value, 'sizes', (value) => list(value, u64, new BigUint64Array(array(value).length))),
          };
        }

        function liftDrawing(value) {
          return {
            shapes: value.shapes.map(liftShape),
            constructor: buffer(value.constructor),
            sizes: plainArray(value.sizes),
          };
        }

        function lowerNothing(value) {
          return object(value) && { nothing: false };
        }

        function liftNothing(value) {
          return {};
        }
    "#]].assert_eq(&conversions(&named(&interface)));
}

#[test]
fn an_unexpected_script_of_jco_is_refused() {
    let error = adapt("\"use components\";\nexport const instantiate = () => {};\n", "00").unwrap_err();
    expect!["jco's library wrote `export function instantiate(` 0 times instead of once"].assert_eq(&error);
}
