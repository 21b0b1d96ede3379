//! The places of a server, its function and its types: other packages of a workspace, subfolders, objects and classes.

use std::{fs, path::Path};

use super::init;
use crate::{shown, tierup, write};

const LINE: &str = "export interface Line { sku: string; quantity: number; unitPrice: number }\n";
const MAP: &str = r#"{ "version": 3, "sources": ["../src/price.ts"], "mappings": "" }"#;
const BODY: &str = "lines.reduce((sum, one) => sum + one.quantity * one.unitPrice, 0) * (coupon === null ? 1 : 0.9)";
const HEAD: &str = "pub fn price_basket(lines: &[Line], coupon: Option<&str>) -> Result<f64, String> {";

/// A server that imports from `module` and evaluates `call`.
fn server(module: &str, import: &str, call: &str) -> String {
    format!(
        "import http from 'node:http';\nimport {{ {import} }} from '{module}';\n\
         const lines = [['a-1', 2, 0.5], ['b-2', 3, 2.25]].map(([sku, quantity, unitPrice]) => ({{ sku, quantity, unitPrice }}));\n\
         http.createServer((request, response) => {{\n    const coupon = new URL(request.url, 'http://x').searchParams.get('coupon');\n    \
         response.end(String({call}));\n}}).listen(process.env.PORT);\n"
    )
}

/// Makes a project in a folder; returns its settings, its crate, and the printed steps.
#[track_caller]
fn made(folder: &Path, arguments: &[&str], name: &str) -> (String, String, String) {
    let output = init(folder, arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output, folder));
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let found = (read("tierup.toml"), read(&format!("{name}/src/lib.rs")));
    fs::remove_file(folder.join("tierup.toml")).unwrap();
    for name in [name, "tierup"] {
        fs::remove_dir_all(folder.join(name)).unwrap();
    }
    (found.0, found.1, String::from_utf8(output.stdout).unwrap())
}

/// A workspace with the server in one package and its function in another.
fn workspace(world: &Path) {
    let price = format!("export function priceBasket(lines, coupon) {{\n    return {BODY};\n}}\n");
    let source = "import type { Line } from '@shop/model';\n\
        export function priceBasket(lines: Line[], coupon: string | null): number {\n    return 0;\n}\n";
    write(
        world,
        &[
            ("package.json", r#"{ "private": true, "workspaces": ["apps/*", "libs/*"], "type": "module" }"#),
            ("apps/api/package.json", r#"{ "name": "@shop/api", "type": "module" }"#),
            ("apps/api/dist/server.js", &server("@shop/core", "priceBasket", "priceBasket(lines, coupon)")),
            ("apps/api/requests.http", "GET /?coupon=SPRING\n\n###\nGET /\n"),
            ("apps/api/temporary/empty", ""),
            (
                "libs/core/package.json",
                r#"{ "name": "@shop/core", "type": "module", "exports": { ".": "./dist/price.js" } }"#,
            ),
            ("libs/core/dist/price.js", &price),
            ("libs/core/src/price.ts", source),
            ("libs/model/package.json", r#"{ "name": "@shop/model", "types": "./src/line.ts" }"#),
            ("libs/model/src/line.ts", LINE),
        ],
    );
    fs::create_dir_all(world.join("node_modules/@shop")).unwrap();
    for name in ["core", "model"] {
        let link = world.join("node_modules/@shop").join(name);
        std::os::unix::fs::symlink(format!("../../libs/{name}"), link).unwrap();
    }
}

#[test]
fn a_function_of_another_package_has_its_declared_types() {
    let world = tempfile::tempdir().unwrap();
    workspace(world.path());
    let api = world.path().join("apps/api");
    let of = |place: &str| made(&api, &["--function", place, "--command", "node dist/server.js"], "price-basket");
    let of_source = of("../../libs/core/src/price.ts:priceBasket");
    let (settings, library, steps) = &of_source;
    assert!(library.contains(HEAD) && library.contains("    pub sku: String,\n"), "{library}");
    assert!(library.contains("/// What `priceBasket` in ../../libs/core/src/price.ts:2 does.\n"), "{library}");
    assert!(settings.contains("crate = \"price-basket\"\n"), "{settings}");
    assert!(settings.contains("\"0\" = \"../../libs/core/dist/price.js\"\n"), "{settings}");
    assert!(steps.contains("npm install ./tierup/price-basket"), "{steps}");
    assert_eq!(of_source, of("../../libs/core/dist/price.js:priceBasket"));
}

/// A repository whose server is in one of several folders, without a manifest at the root.
#[test]
fn a_server_may_be_in_a_subfolder() {
    let world = tempfile::tempdir().unwrap();
    let price = format!(
        "export function priceBasket(lines, coupon) {{\n    return {BODY};\n}}\n//# sourceMappingURL=price.js.map\n"
    );
    let source = format!("{LINE}export const priceBasket = (lines: Line[], coupon: string | null): number => 0;\n");
    write(
        world.path(),
        &[
            ("node/package.json", r#"{ "name": "price-basket", "type": "module" }"#),
            ("node/dist/server.js", &server("./price.js", "priceBasket", "priceBasket(lines, coupon)")),
            ("node/dist/price.js", &price),
            ("node/dist/price.js.map", MAP),
            ("node/src/price.ts", &source),
            ("node/requests.http", "GET /?coupon=SPRING\n\n###\nGET /\n"),
            ("README.md", ""),
            ("temporary/empty", ""),
        ],
    );
    // The crate cannot have the server's name.
    let arguments = ["--function", "node/src/price.ts:priceBasket", "--command", "node node/dist/server.js"];
    let (settings, library, steps) = made(world.path(), &arguments, "price-basket-fast");
    assert!(library.contains(HEAD) && library.contains("in node/src/price.ts:2 does"), "{library}");
    let host = "[host.node]\nfolder = \"node\"\nstart = [\"node\", \"dist/server.js\"]\n[host.node.baseline]\n\"0\" = \"dist/price.js\"\n";
    assert!(settings.contains(host), "{settings}");
    assert!(settings.contains("[bench]\nrequests = \"node/requests.http\"\n"), "{settings}");
    assert!(steps.contains("to the server, in node:\n\n       npm install ../tierup/price-basket-fast\n"), "{steps}");
    assert!(steps.contains("from './price"), "{steps}");

    let output = tierup(world.path(), &["init"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("these folders hold one: node (Node.js); e.g. tierup init node"), "{error}");
}

/// Each source with its compiled file, the names to import, and the call.
#[test]
fn declarations_are_read_in_all_syntactic_places() {
    let signature = "(lines: Line[], coupon: string | null): number { return 0; }";
    let body = format!("{{ return {BODY}; }}");
    let cases = [
        (
            format!("export class Prices {{ priceBasket{signature} }}"),
            format!("export class Prices {{ priceBasket(lines, coupon) {body} }}"),
            ("Prices", "new Prices().priceBasket(lines, coupon)"),
        ),
        (
            format!("export const pricing = {{ priceBasket{signature} }};"),
            format!("export const pricing = {{ priceBasket(lines, coupon) {body} }};"),
            ("pricing", "pricing.priceBasket(lines, coupon)"),
        ),
        (
            format!("export namespace Shop {{ export function priceBasket{signature} }}"),
            format!("export var Shop; (function (Shop) {{ function priceBasket(lines, coupon) {body} Shop.priceBasket = priceBasket; }})(Shop || (Shop = {{}}));"),
            ("Shop", "Shop.priceBasket(lines, coupon)"),
        ),
        (
            "type Pricer = (lines: Line[], coupon: string | null) => number;\nexport const priceBasket: Pricer = (lines, coupon) => 0;".to_owned(),
            format!("export const priceBasket = (lines, coupon) => {body};"),
            ("priceBasket", "priceBasket(lines, coupon)"),
        ),
    ];
    for (source, runs, (import, call)) in cases {
        let world = tempfile::tempdir().unwrap();
        write(
            world.path(),
            &[
                ("package.json", "{ \"type\": \"module\" }\n"),
                ("dist/server.js", &server("./price.js", import, call)),
                ("dist/price.js", &runs),
                ("src/price.ts", &format!("{LINE}{source}\n")),
                ("requests.http", "GET /?coupon=SPRING\n\n###\nGET /\n"),
                ("temporary/empty", ""),
            ],
        );
        let arguments = ["--function", "src/price.ts:priceBasket", "--command", "node dist/server.js"];
        let (_, library, _) = made(world.path(), &arguments, "price-basket");
        assert!(library.contains(HEAD) && library.contains("    pub sku: String,\n"), "{source}\n{library}");
    }
}

#[test]
fn a_destructured_record_is_one_argument() {
    for (head, arrow) in [("export function priceBasket", ""), ("export const priceBasket = ", " =>")] {
        let world = tempfile::tempdir().unwrap();
        let runs = format!("{head}({{ lines, coupon = null }}){arrow} {{ return {BODY}; }}\n");
        let source = format!(
            "{LINE}export interface Basket {{ lines: Line[]; coupon: string | null; note?: string }}\n\
             {head}({{ lines, coupon = null }}: Basket): number{arrow} {{ return 0; }}\n"
        );
        write(
            world.path(),
            &[
                ("package.json", "{ \"type\": \"module\" }\n"),
                ("dist/server.js", &server("./price.js", "priceBasket", "priceBasket({ lines, coupon })")),
                ("dist/price.js", &runs),
                ("src/price.ts", &source),
                ("requests.http", "GET /?coupon=SPRING\n\n###\nGET /\n"),
                ("temporary/empty", ""),
            ],
        );
        let arguments = ["--function", "src/price.ts:priceBasket", "--command", "node dist/server.js"];
        let (_, library, _) = made(world.path(), &arguments, "price-basket");
        assert!(library.contains("pub fn price_basket(basket: &Basket) -> Result<f64, String> {"), "{library}");
        let fields = "    pub lines: Vec<Line>,\n    pub coupon: Option<String>,\n    pub note: Option<String>,\n";
        assert!(library.contains(fields), "{library}");
    }
}

/// Both methods have the same declaration.
#[test]
fn a_line_of_the_compiled_file_selects_one_of_several_methods() {
    let world = tempfile::tempdir().unwrap();
    let runs = format!("export class A {{ priceBasket(lines, coupon) {{ return {BODY}; }} }}\n");
    let source = "export class A { priceBasket(lines: Line[], coupon: string | null): number { return 0; } }\n";
    let both = |text: &str| format!("{text}{}", text.replace("class A", "class B"));
    let call = "new A().priceBasket(lines, coupon) + new B().priceBasket(lines, coupon)";
    write(
        world.path(),
        &[
            ("package.json", "{ \"type\": \"module\" }\n"),
            ("dist/server.js", &server("./price.js", "A, B", call)),
            ("dist/price.js", &both(&runs)),
            ("src/price.ts", &format!("{LINE}{}", both(source))),
            ("requests.http", "GET /?coupon=SPRING\n\n###\nGET /\n"),
            ("temporary/empty", ""),
        ],
    );
    let arguments = ["--function", "dist/price.js:priceBasket:2", "--command", "node dist/server.js"];
    let (_, library, _) = made(world.path(), &arguments, "price-basket");
    assert!(library.contains(HEAD), "{library}");
}
