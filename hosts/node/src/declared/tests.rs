use DeclaredType::*;

use super::*;
use crate::test_folder::test_folder;

const PRICE: &str = "import type { Line } from './line.js';\nimport { Kind as Way } from '@shop/core';\n\
    export function priceBasket(lines: Line[], coupon: string | null, way?: Way): number { return 0; }\n\
    export const label = async (text: string, at: Date, pair: [number, number], rest): Promise<{ text: string }> => x;\n\
    export function tree(node: Node, byName: Record<string, number[]>, map: Map<string, string>, either: string | number): void {}\n\
    interface Node { next: Node }\n\
    export function many(way: Way | 'fixed' | 'free', ...more: string[]): boolean { return true; }\n\
    export function kept(all: Required<Loose>, text: NonNullable<string | null>, by: Record<'a' | 'b', number>): void {}\n\
    interface Loose { a?: string; b: number }\n\
    export function two(a: string): string;\nexport function two(a: number): string;\nexport function any<T>(a: T): T { return a; }\n";
const LINE: &str = "interface Named { readonly sku: string }\n\
    export interface Line extends Named { quantity: number; unitPrice?: number; 'flags': ReadonlyArray<boolean> }\n";
const CORE: &str = "export * from './kind';\n";
const KIND: &str = "export type Kind = 'percent' | 'fixed' | undefined;\n";

fn read(file: &str, name: &str) -> Option<Result<Declared, String>> {
    let map = r#"{ "version": 3, "sourceRoot": "", "sources": ["../lib/price.ts"] }"#;
    let folder = test_folder(&[
        ("dist/price.js.map", map),
        ("lib/price.ts", PRICE),
        ("lib/line.ts", LINE),
        ("node_modules/@shop/core/package.json", r#"{ "exports": { ".": { "types": "./src/index.ts" } } }"#),
        ("node_modules/@shop/core/src/index.ts", CORE),
        ("node_modules/@shop/core/src/kind.ts", KIND),
        ("plain.js", "export function plain(a) {}"),
        ("build/src/tax.js", ""),
        ("src/tax.ts", "export default function tax(net: number): number { return net; }"),
        ("only.js", ""),
        ("only.d.ts", "export declare const only: (a: Uint8Array) => bigint;"),
    ]);
    declared(&folder, file, name)
}

fn types(name: &str) -> (Vec<DeclaredType>, DeclaredType) {
    let found = read("dist/price.js", name).unwrap().unwrap();
    (found.parameters.into_iter().map(|(_, ty)| ty).collect(), found.answer.unwrap())
}

#[test]
fn interfaces_are_followed_across_files_and_packages() {
    let found = read("dist/price.js", "priceBasket").unwrap().unwrap();
    assert_eq!((found.line, found.file.as_deref()), (3, Some("lib/price.ts")));
    let optional = |ty| Optional(Box::new(ty));
    let flags = List(Box::new(Bool));
    let line = [("sku", Text), ("quantity", Number), ("unitPrice", optional(Number)), ("flags", flags)];
    let line = Record(line.map(|(name, ty)| (name.to_owned(), ty)).to_vec());
    let way = optional(Choice(vec!["percent".to_owned(), "fixed".to_owned()]));
    let expected = [("lines", List(Box::new(line))), ("coupon", optional(Text)), ("way", way)];
    assert_eq!(found.parameters, expected.map(|(name, ty)| (name.to_owned(), ty)));
    assert_eq!(found.watched.unwrap(), ["sku", "quantity", "unitPrice", "flags"]);
    assert_eq!(found.answer, Some(Number));
}

#[test]
fn types_that_cannot_cross_are_refused_with_the_next_step() {
    let refused = |ty: &DeclaredType, part: &str| {
        assert!(matches!(ty, Refused(why) if why.contains(part)), "{ty:?}: {part}");
    };
    let (label, answer) = types("label");
    refused(&label[1], "pass its `getTime()`");
    refused(&label[2], "a tuple: make it an object with named fields");
    assert_eq!((&label[0], &label[3]), (&Text, &Seen));
    assert_eq!(answer, Record(vec![("text".to_owned(), Text)]));
    let (tree, answer) = types("tree");
    let Record(node) = &tree[0] else { panic!("{tree:?}") };
    refused(&node[0].1, "a `Node`, which contains itself");
    assert_eq!(tree[1], Map(Box::new(List(Box::new(Number)))));
    refused(&tree[2], "Object.fromEntries");
    refused(&tree[3], "a union of text and a number");
    assert_eq!(answer, Optional(Box::new(Seen)));
    let (many, _) = types("many");
    let ways = ["percent", "fixed", "free"].map(str::to_owned).to_vec();
    assert_eq!(many[0], Optional(Box::new(Choice(ways))));
    refused(&many[1], "a rest parameter (`...`): pass an array");
    let why = |name: &str| read("dist/price.js", name).unwrap().unwrap_err();
    assert!(why("two").contains("several heads") && why("any").contains("type parameters"));
}

#[test]
fn utility_types_keep_absence_and_keys() {
    let record = |fields: [(&str, DeclaredType); 2]| Record(fields.map(|(name, ty)| (name.to_owned(), ty)).to_vec());
    let expected = [record([("a", Text), ("b", Number)]), Text, record([("a", Number), ("b", Number)])];
    assert_eq!(types("kept").0, expected);
}

#[test]
fn a_source_is_found_by_its_map_or_folder_or_is_a_declaration() {
    let found = |file: &str, name: &str| read(file, name).map(|found| found.unwrap().file.unwrap());
    assert_eq!(found("build/src/tax.js", "tax").as_deref(), Some("src/tax.ts"));
    assert_eq!(found("src/tax.ts", "tax").as_deref(), Some("src/tax.ts"));
    assert_eq!(found("only.js", "only").as_deref(), Some("only.d.ts"));
    assert_eq!(found("plain.js", "plain"), None);
    assert_eq!(found("dist/price.js", "missing"), None);
}

#[test]
fn types_are_found_by_paths_by_subpaths_and_by_a_map_in_the_file() {
    let map = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, r#"{ "sources": ["../lib/a.ts"] }"#);
    let run = format!("//# sourceMappingURL=data:application/json;base64,{map}\n");
    let source = "import { B } from '@/b'; import type { C } from '@shop/core/c';\n\
        export const a = (b: B, c: C): void => {};";
    let folder = test_folder(&[
        ("out/a.js", &run),
        ("lib/a.ts", source),
        ("tsconfig.json", r#"{ "compilerOptions": { "paths": { "@/*": ["./types/*"] } } }"#),
        ("types/b.ts", "export type B = string;"),
        ("node_modules/@shop/core/package.json", r#"{ "exports": { "./c": { "types": "./dist/c.d.ts" } } }"#),
        ("node_modules/@shop/core/dist/c.d.ts", "export type C = boolean;"),
    ]);
    let found = declared(&folder, "out/a.js", "a").unwrap().unwrap();
    let types: Vec<_> = found.parameters.into_iter().map(|(_, ty)| ty).collect();
    assert_eq!(types, [Text, Bool]);
}

/// Reads each comment, and prints the types of its parameters and of the answer, `?` for missing ones.
fn told(comment: &str, parameters: &str) -> String {
    let line = "/** @typedef {{ sku: string, at?: Date }} Line */\n/** @template T\n * @typedef {T[]} Many */\n";
    let options =
        "/** @typedef Options\n * @prop {boolean} [on=true] Whether.\n @prop {Object} in\n * @prop {number} in.size */";
    let exported = format!("exports.plain = async ({parameters}) => {{}};");
    let text =
        format!("{line}{options}\n/** @import {{ Unit as U }} from './unit.js' */\n/** {comment} */\n{exported}");
    let unit = "/** @typedef {'kg' | 'lb'} Unit */\n/** @typedef {number=} Size */";
    let folder =
        test_folder(&[("lib/a.js", &text), ("lib/unit.js", unit), ("lib/types.ts", "export type B = bigint;")]);
    match declared(&folder, "lib/a.js", "plain") {
        None => "nothing".to_owned(),
        Some(Err(why)) => why,
        Some(Ok(found)) => {
            assert_eq!(found.file, None);
            let types: Vec<_> = found.parameters.iter().map(|(_, ty)| short(ty)).collect();
            format!("({}) -> {}", types.join(", "), short(&found.answer.unwrap()))
        }
    }
}

fn short(ty: &DeclaredType) -> String {
    match ty {
        List(of) => format!("{}[]", short(of)),
        Map(of) => format!("map of {}", short(of)),
        Optional(of) => format!("{}?", short(of)),
        Choice(words) => words.join("|"),
        Record(all) => {
            let fields: Vec<_> = all.iter().map(|(name, ty)| format!("{name}: {}", short(ty))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Refused(why) => format!("no: {why}"),
        Seen => "seen".to_owned(),
        other => format!("{other:?}").to_lowercase().replace("whole { bits: 64, signed: true }", "i64"),
    }
}

#[test]
fn comments_of_javascript_are_read_as_types() {
    expect_test::expect![[r#"
        nothing
        nothing
        (text, seen) -> number
        ({ sku: text, quantity: number }[], text?) -> seen?
        (text?, number?) -> map of bool[]
        (text?, seen?) -> no: a union of a number and text: give the function one type, or an object with a field for each
        ({ name: text, all: { size: number? }[] }) -> seen
        ({ on: bool?, in: { size: number } }, kg|lb) -> number
        (i64, bytes) -> { sku: text, at: no: a `Date`: pass its `getTime()`, a number, or its `toISOString()`, a text }
        (no: a `Many`, which has type parameters: write the type that it has here, no: a `Missing`, whose declaration tierup does not find) -> no: a function: call it before, and pass what it answers
        (no: a rest parameter (`...`): pass an array, seen) -> no: a tuple: make it an object with named fields
        it has type parameters: tierup needs one type for each argument
    "#]]
    .assert_eq(
        &[
            ("Adds them.", "a, b"),
            ("@param a The first.\n * @returns their sum", "a, b"),
            ("@param {string} a - The `first`. @returns {Promise<number>}", "a, b"),
            ("@param {{\n *   sku: string,\n *   quantity: number\n * }[]} a\n * @param {string|null} b\n * @return {void}", "a, b"),
            ("@param {?string} a\n * @param {!Number} [b=1] {@link a}\n * @returns {Array.<Object<string, boolean>>}", "a, b"),
            ("@param {string=} a\n * @param {*} b\n * @returns {number|string}", "a, b = 1"),
            ("@param {Object} a\n * @param {string} a.name\n * @param {Object[]} a.all\n * @param {number} [a.all[].size]", "a"),
            ("@param {Options} a\n * @param {U} b\n * @returns {import('./unit').Size}", "a, b"),
            ("@param {import('./types').B} a\n * @param {Buffer} b\n * @returns {Line}", "a, b"),
            ("@param {Many} a\n * @param {Missing} b\n * @returns {function(string): number}", "a, b"),
            ("@param {...string} a\n * @param {text, or so} b\n * @returns {[number, number]}", "a, b"),
            ("@template T\n * @param {T} a\n * @returns {T}", "a"),
        ]
        .map(|(comment, parameters)| told(comment, parameters) + "\n")
        .concat(),
    );
}

/// The types of `price` that a TypeScript file declares.
fn of_source(source: &str) -> String {
    let folder = test_folder(&[
        ("src/price.ts", source),
        ("src/shop.ts", "export interface Line { sku: string }\nexport const UNITS = ['kg', 'lb'] as const;"),
    ]);
    match declared(&folder, "src/price.ts", "price") {
        None => "nothing\n".to_owned(),
        Some(Err(why)) => why + "\n",
        Some(Ok(found)) => {
            let types: Vec<_> = found.parameters.iter().map(|(name, ty)| format!("{name}: {}", short(ty))).collect();
            format!("{}: ({}) -> {}\n", found.line, types.join(", "), short(&found.answer.unwrap()))
        }
    }
}

#[test]
fn heads_are_found_in_classes_objects_namespaces_and_types() {
    expect_test::expect![[r#"
        1: (a: text) -> number
        1: (a: text) -> number
        2: (a: text) -> number
        1: (a: text?) -> number
        1: (a: text) -> number
        1: (a: text) -> number
        1: (a: text) -> number
        2: (b: text, c: bool) -> number
        2: (a: text) -> number
        2: (a: text) -> number
        2: (a: { sku: text }) -> number
        2: (a: text) -> seen?
        1: (a: text) -> bool
        2: (a: text) -> number
        1: (line: { sku: text }, input: { b: number }) -> seen
        src/price.ts declares several functions `price`, in `A` and `B`: give this one a name of its own
        src/price.ts declares `price` with several heads: tierup needs one type for each argument
        src/price.ts declares it with a type that tierup does not read: annotate its parameters and its answer
        src/price.ts has it where tierup reads no heads: declare it at the top of the file, with its types
        nothing
    "#]]
    .assert_eq(
        &[
            "export class Prices { price(a: string): number { return 0; } }",
            "export default class { static async price(a: string): Promise<number> { return 0; } }",
            "class Prices {\n  private readonly price = (a: string): number => 0;\n}",
            "export const prices = { all: { price: function (a?: string): number { return 0; } } } as const;",
            "export default { price(a: string): number { return 0; } };",
            "export namespace Shop.Prices { export function price(a: string): number { return 0; } }",
            "class A { price(a: string): number { return 0; } }\nclass B { price(a: string): number { return 1; } }",
            "type Pricer = (a: string, c: boolean, d: number) => number;\nconst price: Pricer = (b, c) => 0;",
            "interface Prices { price(a: string): number }\nexport const prices: Prices = { price: (a) => 0 };",
            "type Pricer = (a: string) => number;\nexport const price = ((a) => 0) satisfies Pricer;",
            "type Pricer = (a: import('./shop').Line) => number;\nexport const price: Pricer = cached(tax);",
            "type Prices = Record<string, (a: string) => void>;\nconst all: Prices = { price(a) {} };",
            "interface Pricer { (a: string): boolean } export const price: Pricer = (a) => true;",
            "abstract class A { abstract price(b: string): number }\nclass B extends A { price(a: string): number { return 0; } }",
            "import { Line } from './shop'; function price({ sku }: Line, { b = 1 }: { b: number }) {}",
            "class A { price(a: string) {} }\nclass B { price(a: number) {} }",
            "class A { price(a: string): void; price(a: number): void; price(a: any) {} }",
            "export const price: Missing<string> = (a, b) => 0;",
            "export function all() { const price = (a: string) => 0; return price; }",
            "export function all() {}",
        ]
        .map(of_source)
        .concat(),
    );
}

#[test]
fn records_of_classes_and_computed_types_are_read() {
    let of = |types: &str, ty: &str| of_source(&format!("{types}\nexport function price(a: {ty}): void {{}}"));
    let line = "class Line { @IsString() sku!: string; quantity = 1; readonly note?: string; static of() {} }";
    let sizes =
        "import * as Shop from './shop'; const SIZES = ['s', 'm'] as const; const CODES = { a: 'x', b: 'y' } as const;";
    let union = "type Way = 'a' | 'b' | 'c'; namespace Own { export type Line = string }";
    let zod = "import { z } from 'zod'; const Line = z.object({}); type Line = z.infer<typeof Line>;";
    expect_test::expect![[r#"
        2: (a: { sku: text, quantity: number, note: text? }[]) -> seen?
        2: (a: { sku: text, quantity: number, note: text?, tax: bool }) -> seen?
        2: (a: { sku: text?, quantity: number? }) -> seen?
        2: (a: { quantity: number }) -> seen?
        2: (a: { sku: text, note: text? }) -> seen?
        2: (a: { sku: text, quantity: number, note: text }) -> seen?
        2: (a: sku|quantity|note) -> seen?
        2: (a: text) -> seen?
        2: (a: { at: number }) -> seen?
        2: (a: no: an object of a class with private fields: pass a plain object with its fields) -> seen?
        2: (a: { x: number, isOpen: bool }) -> seen?
        2: (a: no: an object of a class, whose methods stay in JavaScript: pass a plain object with its fields) -> seen?
        2: (a: s|m) -> seen?
        2: (a: x|y) -> seen?
        2: (a: a|b) -> seen?
        2: (a: kg|lb) -> seen?
        2: (a: { sku: text }) -> seen?
        2: (a: a|c) -> seen?
        2: (a: text) -> seen?
        2: (a: no: an inferred type: write it as an interface) -> seen?
        2: (a: no: an inferred type: write it as an interface) -> seen?
        2: (a: no: a type of a namespace, which tierup does not follow: import it by its name) -> seen?
        2: (a: no: an object with methods: pass a plain object with its fields) -> seen?
    "#]]
    .assert_eq(
        &[
            of(line, "Line[]"),
            of(&format!("{line} class Taxed extends Line {{ tax: boolean }}"), "Taxed"),
            of(&format!("{line} class Some extends PartialType(OmitType(Line, ['note'] as const)) {{}}"), "Some"),
            of(line, "Pick<Line, 'quantity'>"),
            of(line, "Readonly<Omit<Line, 'quantity'>>"),
            of(line, "Required<Line>"),
            of(line, "keyof Line"),
            of(line, "Line['sku']"),
            of("class At { constructor(readonly at: number, other: string) {} }", "At"),
            of("class At { #at: number }", "At"),
            of("class At { x = -1; isOpen = !DEBUG; }", "At"),
            of("class At { at: number; get by() { return 1; } }", "At"),
            of(sizes, "(typeof SIZES)[number]"),
            of(sizes, "(typeof CODES)[keyof typeof CODES]"),
            of(sizes, "keyof typeof CODES"),
            of(sizes, "(typeof Shop.UNITS)[number]"),
            of(sizes, "Shop.Line"),
            of(union, "Exclude<Way, 'b'>"),
            of(union, "Own.Line"),
            of(zod, "Line"),
            of(zod, "Static<typeof Line>"),
            of(zod, "Other.Line"),
            of("interface At { at: number; by(): void }", "At"),
        ]
        .concat(),
    );
}

/// The objects have these fields, so that their keys are not taken for a map's.
#[test]
fn omitted_fields_are_watched() {
    let folder = test_folder(&[(
        "a.ts",
        "interface Line { sku: string; size: number }\nexport function price(a: Omit<Line, 'sku'>): void {}",
    )]);
    let found = declared(&folder, "a.ts", "price").unwrap().unwrap();
    assert_eq!(found.watched.unwrap(), ["size", "sku"]);
}

#[test]
fn a_repository_begins_where_its_packages_are_listed() {
    let of = |manifest: &str| {
        let world = [("../../package.json", manifest), ("package.json", "{}"), ("../../../.git/HEAD", "")];
        workspace(&test_folder(&world))
    };
    assert_eq!((of(r#"{ "workspaces": ["packages/*"] }"#), of("{}")), (2, 3));
    assert_eq!(workspace(&test_folder(&[("package.json", "{}")])), 0);
    assert_eq!(workspace(&test_folder(&[("../pnpm-workspace.yaml", "")])), 1);
}

/// The files include bundles.
#[test]
fn a_source_may_run_as_several_files() {
    let map = r#"{ "sources": ["webpack://shop/./src/other.js", "webpack://shop/./src/price.ts"] }"#;
    let folder = test_folder(&[
        ("src/price.ts", ""),
        ("src/other.js", ""),
        ("dist/price.js", ""),
        ("out/bundle.mjs", ""),
        ("out/bundle.mjs.map", map),
        ("node_modules/a/price.js", ""),
    ]);
    assert_eq!(compiled(&folder, "src/price.ts"), ["dist/price.js", "out/bundle.mjs"]);
    assert_eq!(compiled(&folder, "src/other.js"), ["out/bundle.mjs"]);
    assert!(compiled(&folder, "dist/price.js").is_empty());
}
