//! Node: types by declarations, in TypeScript or JSDoc.

use expect_test::expect;

use super::{made, makes, refuses};
use crate::write;

/// The output of `tsc`: interfaces are erased, and the function never reads `sku`.
#[test]
fn types_come_from_typescript_declarations() {
    let world = tempfile::tempdir().unwrap();
    let server = "import http from 'node:http';\nimport { priceBasket } from './price.js';\n\
        const lines = [['a-1', 2, 0.5], ['b-2', 3, 2]].map(([sku, quantity, unitPrice]) => ({ sku, quantity, unitPrice }));\n\
        http.createServer((request, response) => {\n    const { searchParams } = new URL(request.url, 'http://x');\n    \
        response.end(String(priceBasket(lines, searchParams.get('coupon'), 'fixed')));\n}).listen(process.env.PORT);\n";
    let price = "export function priceBasket(lines, coupon, kind) {\n    \
        const total = lines.reduce((sum, line) => sum + line.quantity * line.unitPrice, 0);\n    \
        return coupon !== null && kind === 'fixed' ? total - 1 : total;\n}\n//# sourceMappingURL=price.js.map\n";
    let source = "import type { Kind, Line } from './line.js';\n\n// The price of a basket.\n\
        export function priceBasket(lines: Line[], coupon: string | null, kind: Kind): number {\n    return 0;\n}\n";
    // A bundle that the server does not load must never run.
    let bundle = "process.exit(7);\n";
    let line = "interface Named {\n    sku: string;\n}\nexport interface Line extends Named {\n    quantity: number;\n    \
        unitPrice: number;\n}\nexport type Kind = 'percent' | 'fixed';\n";
    write(
        world.path(),
        &[
            ("package.json", "{ \"type\": \"module\" }\n"),
            ("dist/server.js", server),
            ("dist/price.js", price),
            ("dist/price.js.map", r#"{ "version": 3, "sources": ["../src/price.ts"], "mappings": "" }"#),
            ("dist/bundle.js", bundle),
            (
                "dist/bundle.js.map",
                r#"{ "version": 3, "sources": ["../src/line.ts", "../src/price.ts"], "mappings": "" }"#,
            ),
            ("src/price.ts", source),
            ("src/line.ts", line),
            ("requests.http", "GET /?coupon=SPRING\n\n###\nGET /\n"),
            ("temporary/empty", ""),
        ],
    );
    let with = |place| ["--function", place, "--command", "node dist/server.js"];
    let of_source = made(world.path(), &with("src/price.ts:priceBasket"));
    expect![[r##"
        #:schema ./.tierup/schema.json
        # What is hot, which server calls it, and how to tell that it works.

        [function]
        crate = "hot"
        export = ["price_basket"]

        [host.node]
        folder = "."
        start = ["node", "dist/server.js"]
        [host.node.baseline]
        "0" = "dist/price.js"
        -- hot/src/lib.rs
        //! The hot function: plain Rust, that knows nothing of servers, hosts or tierup.

        /// What `priceBasket` in src/price.ts:4 does.
        ///
        /// The types are those of its declaration.
        /// Declared as `number`: `lines[].quantity`, `the answer`. Each was a whole number in all calls that tierup saw; make it `f64` if it need not be one.
        ///
        /// # Errors
        /// Until it is written.
        pub fn price_basket(lines: &[Line], coupon: Option<&str>, kind: Kind) -> Result<u32, String> {
            let _ = (lines, coupon, kind);
            Err("not written yet".to_owned())
        }

        #[derive(Debug, Clone, PartialEq)]
        pub struct Line {
            pub sku: String,
            pub quantity: u32,
            pub unit_price: f64,
        }

        /// The cases are the texts of the declaration.
        #[allow(non_camel_case_types)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kind {
            percent,
            fixed,
        }
    "##]].assert_eq(&of_source);
    assert_eq!(of_source, made(world.path(), &with("dist/price.js:priceBasket")));
}

/// The function never reads `sku`, and no call gives a coupon.
#[test]
fn types_come_from_jsdoc_comments() {
    let world = tempfile::tempdir().unwrap();
    let server = "const { priceBasket } = require('./price');\n\
        const lines = [{ sku: 'a-1', quantity: 2, unitPrice: 0.5 }, { sku: 'b-2', quantity: 3, unitPrice: 2 }];\n\
        require('node:http').createServer((request, response) => {\n    \
        response.end(String(priceBasket(lines, null)));\n}).listen(process.env.PORT);\n";
    let price = "/** @typedef {{ sku: string, quantity: number, unitPrice: number }} Line */\n\n\
        /**\n * The price of a basket.\n * @param {Line[]} lines\n * @param {string|null} coupon\n * @returns {number}\n */\n\
        exports.priceBasket = function priceBasket(lines, coupon) {\n    \
        return lines.map(priced).reduce((sum, one) => sum + one, coupon === null ? 0 : -1);\n};\n\n\
        /** @param {Date} line */\nfunction priced(line) {\n    return line.quantity * line.unitPrice;\n}\n";
    let files = [("package.json", "{}\n"), ("server.js", server), ("price.js", price), ("requests.http", "GET /\n")];
    write(world.path(), &files);
    write(world.path(), &[("temporary/empty", "")]);
    makes(
        world.path(),
        &["--function", "price.js:priceBasket"],
        expect![[r#"
        export = ["price_basket"]
        [host.node]
        start = ["node", "server.js"]
        [host.node.baseline]
        "0" = "price.js"
        -- hot/src/lib.rs
        /// What `priceBasket` in price.js:9 does.
        /// The types are those of its declaration.
        /// Declared as `number`: `lines[].quantity`, `the answer`. Each was a whole number in all calls that tierup saw; make it `f64` if it need not be one.
        pub fn price_basket(lines: &[Line], coupon: Option<&str>) -> Result<u32, String> {
        }
        #[derive(Debug, Clone, PartialEq)]
        pub struct Line {
            pub sku: String,
            pub quantity: u32,
            pub unit_price: f64,
        }
    "#]],
    );
    refuses(
        world.path(),
        &["--function", "price.js:priced"],
        expect![[r#"
        error: `priced` cannot move to Rust as it is: its argument `line` is a `Date`: pass its `getTime()`, a number, or its `toISOString()`, a text
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
}
