//! Source maps: find a running function in the source that it was built from. In: how files are read, and a function's
//! place in the running code. Out: its place and name in the source; and for a place in the source, the code that ran.
//!
//! A map is beside the running file, at its end as a data URL, or only known to the runtime, as `tsx` writes none to
//! disk.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    fmt::{self, Debug, Formatter},
    rc::Rc,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use oxc_sourcemap::{SourceMap, Token};

/// Part of the comment at the end of a file that names its map.
const COMMENT: &str = "sourceMappingURL=";
/// A source below this folder counts as existing, so that its package is named even if only the bundle is installed.
const PACKAGES: &str = "/node_modules/";

/// A function's place in a file, and its name there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub function: String,
    pub file: String,
    /// From 1.
    pub line: u32,
}

/// The source maps of the running code, each read once.
pub struct SourceMaps<'a> {
    /// Returns the text of a file, if it exists.
    read: &'a dyn Fn(&str) -> Option<String>,
    /// The map of each running file.
    maps: RefCell<HashMap<String, Option<Rc<Map>>>>,
    ran: RefCell<BTreeMap<(String, u32), Vec<Placed>>>,
}

struct Map {
    map: SourceMap<'static>,
    /// The tokens, sorted by their place in the running file.
    tokens: Vec<Token>,
    /// The path of each source, if it exists.
    sources: Vec<Option<String>>,
}

impl Debug for SourceMaps<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SourceMaps").finish_non_exhaustive()
    }
}

impl<'a> SourceMaps<'a> {
    pub fn new(read: &'a dyn Fn(&str) -> Option<String>) -> SourceMaps<'a> {
        SourceMaps { read, maps: RefCell::default(), ran: RefCell::default() }
    }

    /// The place in its source of a running function that begins at this column (from 0). `map` is the URL of the
    /// file's map, if the runtime told it. `None` without a map, or if the source is missing.
    pub(crate) fn source_of(&self, runs: &Placed, column: u32, map: Option<&str>) -> Option<Placed> {
        if runs.file.contains(PACKAGES) {
            return None;
        }
        let known = self.maps.borrow().get(&runs.file).cloned();
        let found = known.unwrap_or_else(|| {
            let found = self.map(&runs.file, map).map(Rc::new);
            self.maps.borrow_mut().insert(runs.file.clone(), found.clone());
            found
        })?;
        let line = runs.line.checked_sub(1)?;
        let token = found.at(line, column)?;
        let file = found.sources.get(token.get_source_id()? as usize)?.clone()?;
        let function = found.name(line, column, &runs.function).unwrap_or_else(|| runs.function.clone());
        let placed = Placed { function, file, line: token.get_src_line() + 1 };
        let mut ran = self.ran.borrow_mut();
        let all = ran.entry((placed.file.clone(), placed.line)).or_default();
        if !all.contains(runs) {
            all.push(runs.clone());
        }
        Some(placed)
    }

    /// The running code of the function on this line of a source; empty if the source itself runs.
    pub fn ran(&self, file: &str, line: u32) -> Vec<Placed> {
        self.ran.borrow().get(&(file.to_owned(), line)).cloned().unwrap_or_default()
    }

    fn map(&self, file: &str, told: Option<&str>) -> Option<Map> {
        let text;
        let url = match told {
            Some(url) => url,
            None => {
                text = (self.read)(file)?;
                let (_, url) = text.rsplit_once(COMMENT)?;
                url.split_whitespace().next()?
            }
        };
        let json = match url.strip_prefix("data:") {
            Some(data) => {
                let (_, data) = data.split_once("base64,")?;
                String::from_utf8(BASE64_STANDARD.decode(data).ok()?).ok()?
            }
            None => (self.read)(&joined(file, url))?,
        };
        let map = SourceMap::from_json_string(&json).ok()?.into_owned();
        let mut tokens: Vec<Token> = map.get_tokens().collect();
        tokens.sort_by_key(|token| (token.get_dst_line(), token.get_dst_col()));
        let root = map.get_source_root().filter(|root| !root.is_empty());
        let sources = map.get_sources().map(|source| self.source(file, root, source)).collect();
        Some(Map { sources, map, tokens })
    }

    /// The path of a source, if it exists. For a bundler's scheme (`webpack://shop/./src/price.ts`), the folders above
    /// are tried.
    fn source(&self, file: &str, root: Option<&str>, source: &str) -> Option<String> {
        let is_there = |path: &String| path.contains(PACKAGES) || (self.read)(path).is_some();
        match source.split_once("://") {
            Some(("file", path)) => Some(path.to_owned()).filter(is_there),
            Some((_, path)) => {
                let path = path.split_once('/')?.1;
                let above = 0..file.split('/').count();
                above.map(|up| joined(file, &format!("{}{path}", "../".repeat(up)))).find(is_there)
            }
            None => {
                let source = root.map_or_else(|| source.to_owned(), |root| format!("{root}/{source}"));
                Some(joined(file, &source)).filter(is_there)
            }
        }
    }
}

impl Map {
    /// The last token up to this place, or the first of its line.
    fn at(&self, line: u32, column: u32) -> Option<&Token> {
        let next = self.tokens.partition_point(|one| (one.get_dst_line(), one.get_dst_col()) <= (line, column));
        let is_on = |token: &&Token| token.get_dst_line() == line;
        let before = next.checked_sub(1).and_then(|last| self.tokens.get(last)).filter(is_on);
        before.or_else(|| self.tokens.get(next).filter(is_on))
    }

    /// The name in the source of a function that a bundler has renamed. Its place is that of its parameters: `t(`,
    /// `t=(`.
    fn name(&self, line: u32, column: u32, function: &str) -> Option<String> {
        let length = function.encode_utf16().count() as u32;
        let token = (0..2).find_map(|sign| {
            let start = column.checked_sub(length + sign)?;
            self.at(line, start).filter(|token| token.get_dst_col() == start && token.get_name_id().is_some())
        })?;
        self.map.get_name(token.get_name_id()?).map(str::to_owned)
    }
}

/// Resolves a path against the folder of a file; an absolute path stays.
fn joined(file: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written by esbuild with `--minify`: `function e(t,a){…}` is `priceBasket` from line 3 of `src/price.ts`.
    const MAP: &str = r#"{ "version": 3, "sources": ["SOURCE"], "names": ["priceBasket"],
        "mappings": "AAEO,SAASA,EAAY" }"#;
    const RUNS: &str = "function e(t,a){return t}";

    fn found(files: &[(&str, String)], file: &str, told: Option<&str>) -> Option<(String, String, u32)> {
        let read = |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| text.clone());
        let maps = SourceMaps::new(&read);
        let runs = Placed { function: "e".to_owned(), file: file.to_owned(), line: 1 };
        let placed = maps.source_of(&runs, 10, told)?;
        assert_eq!(maps.ran(&placed.file, placed.line), [runs]);
        Some((placed.function, placed.file, placed.line))
    }

    #[test]
    fn a_map_is_found_beside_the_file_or_in_it_or_told() {
        let named = |file: &str| Some(("priceBasket".to_owned(), file.to_owned(), 3));
        let source = ("/shop/src/price.ts", String::new());
        let map = MAP.replace("SOURCE", "../src/price.ts");
        let data = format!("data:application/json;base64,{}", BASE64_STANDARD.encode(&map));
        let beside = [
            source.clone(),
            ("/shop/dist/a.js", format!("{RUNS}\n//# sourceMappingURL=a.js.map\n")),
            ("/shop/dist/a.js.map", map),
        ];
        assert_eq!(found(&beside, "/shop/dist/a.js", None), named("/shop/src/price.ts"));
        let within = [source.clone(), ("/shop/dist/a.js", format!("{RUNS}\n//# sourceMappingURL={data}"))];
        assert_eq!(found(&within, "/shop/dist/a.js", None), named("/shop/src/price.ts"));
        assert_eq!(found(&[source], "/shop/dist/a.js", Some(&data)), named("/shop/src/price.ts"));
        // Without a map, or without the source, the running code is used.
        assert_eq!(found(&[("/shop/dist/a.js", RUNS.to_owned())], "/shop/dist/a.js", None), None);
        assert_eq!(found(&beside[1..], "/shop/dist/a.js", None), None);
    }

    #[test]
    fn webpack_names_sources_from_the_folder_that_it_ran_in() {
        let map = |source: &str| ("/shop/api/dist/a.js.map", MAP.replace("SOURCE", source));
        let source = ("/shop/src/price.ts", String::new());
        let of = |source: (&'static str, String), name: &str| {
            found(&[source, map(name)], "/shop/api/dist/a.js", Some("a.js.map")).map(|(_, file, _)| file)
        };
        assert_eq!(of(source.clone(), "webpack://shop/./src/price.ts").as_deref(), Some("/shop/src/price.ts"));
        // The owner of a package is known even if it exists only in the bundle.
        let package = of(source, "../../node_modules/pg/index.js");
        assert_eq!(package.as_deref(), Some("/shop/node_modules/pg/index.js"));
    }
}
