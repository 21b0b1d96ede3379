//! Names one frame. In: a line of `perf script`, and how the runtime names its functions. Out: a frame of collapsed
//! stacks: `answer (/srv/server.js:12)`, `inflate (native:libz.so.1)`, `tcp_sendmsg_[k]`.

use std::collections::HashMap;

use tierup_codegen::{Code, SymbolNames, Symbols};

/// The frame for a line such as `7f572dfc7cd3 uv_run (/usr/bin/node)`.
pub(super) fn named(line: &str, symbols: &Symbols, sources: &HashMap<String, String>) -> String {
    let text = line.trim();
    let text = text.split_once(' ').map_or("", |(_address, rest)| rest);
    // The last parentheses hold the file of the code; names may contain others.
    let (name, file) = match text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) {
        Some((name, file)) => (name, file.trim_end_matches(" (deleted)")),
        None => (text, ""),
    };
    let name = without_offset(name.trim());
    if is_kernel(file) {
        return format!("{}_[k]", plain(name));
    }
    if name == "[unknown]" || name.is_empty() {
        return "[unknown]".to_owned();
    }
    let is_compiled = file.starts_with("/tmp/perf-") || file.starts_with("//anon") || file.starts_with("[anon");
    let is_own = match symbols.code {
        Code::Compiled => is_compiled,
        Code::Program => !is_library(file),
    };
    match is_own {
        true => own(name, symbols, sources),
        false => format!("{} (native:{})", plain(name), plain(file.rsplit('/').next().unwrap_or(file))),
    }
}

fn own(name: &str, symbols: &Symbols, sources: &HashMap<String, String>) -> String {
    let mut name = name;
    while let Some(rest) = symbols.prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)) {
        name = rest;
    }
    match symbols.names {
        SymbolNames::Plain => match placed(name) {
            Some((function, file, line)) => {
                let function = if function.is_empty() { "(anonymous)" } else { function };
                format!("{} ({}:{line})", plain(function), plain(file))
            }
            None => plain(without_hash(name)),
        },
        SymbolNames::Declaration => declared(name),
        SymbolNames::OfModule => of_module(name, sources),
    }
}

/// Splits `answer /srv/server.js:12:3` into function, file and line. The path may contain spaces, the name may not.
fn placed(name: &str) -> Option<(&str, &str, u32)> {
    let (rest, column) = name.rsplit_once(':')?;
    let (rest, line) = rest.rsplit_once(':')?;
    column.parse::<u32>().ok()?;
    let line = line.parse().ok()?;
    let (function, file) = rest.split_once(' ').unwrap_or(("", rest));
    Some((function, file, line))
}

/// Turns `double shop.Cart.sum(java.util.List)` into `shop/Cart.sum`, as other sensors of the JVM write it.
fn declared(name: &str) -> String {
    let Some((before, _)) = name.split_once('(') else { return plain(name) };
    let path = before.rsplit(' ').next().unwrap_or(before);
    match path.rsplit_once('.') {
        Some((class, method)) => format!("{}.{}", plain(&class.replace('.', "/")), plain(method)),
        None => plain(path),
    }
}

/// Turns `'Elixir.Shop.Cart':sum/2` into `Shop.Cart.sum/2`, as the BEAM's own sensor writes it, in the file of its
/// module. If files are known, a function without one belongs to the runtime: `global::call_shared`.
fn of_module(name: &str, sources: &HashMap<String, String>) -> String {
    // The suffix for the entry of a function.
    let name = name.strip_suffix("-CodeInfoPrologue").unwrap_or(name);
    let parts = atom(name).and_then(|(module, rest)| Some((module, atom(rest.strip_prefix(':')?)?)));
    let Some((module, (function, arity))) = parts.filter(|(_, (function, _))| !function.is_empty()) else {
        return format!("{} (native:runtime)", plain(name));
    };
    let module = module.strip_prefix("Elixir.").unwrap_or(&module);
    let function = plain(&format!("{module}.{function}{arity}"));
    match sources.get(module) {
        Some(file) => format!("{function} ({}:0)", plain(file)),
        None if sources.is_empty() => function,
        None => format!("{function} (native:runtime)"),
    }
}

/// The atom at the start of a text, `lists` or `'it\'s'`, and the rest.
fn atom(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('\'') else {
        let end = text.find([':', '/'])?;
        return Some((text[..end].to_owned(), &text[end..]));
    };
    let mut name = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\'' => return Some((name, &quoted[at + 1..])),
            '\\' => name.extend(letters.next().map(|(_, escaped)| escaped)),
            letter => name.push(letter),
        }
    }
    None
}

fn is_kernel(file: &str) -> bool {
    file.starts_with("[kernel")
        || file.starts_with("[guest.kernel")
        || file.starts_with("[bpf")
        || file.ends_with(".ko")
}

fn is_library(file: &str) -> bool {
    let name = file.rsplit('/').next().unwrap_or(file);
    name.ends_with(".so") || name.contains(".so.") || name.starts_with('[') || name.is_empty()
}

/// Turns `uv_run+0x1f` into `uv_run`.
fn without_offset(name: &str) -> &str {
    match name.rsplit_once("+0x") {
        Some((start, digits)) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => start,
        _ => name,
    }
}

/// Turns `qr::draw::h0123456789abcdef`, an older form of Rust's names, into `qr::draw`.
fn without_hash(name: &str) -> &str {
    match name.rsplit_once("::h") {
        Some((start, digits)) if digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => start,
        _ => name,
    }
}

/// Replaces the characters that separate the parts of collapsed stacks.
fn plain(text: &str) -> String {
    text.replace(';', ",").replace(['\n', '\r'], " ")
}
