//! Adds counters to a Go file. In: its text, and the functions to count. Out: the text with a counter at the start of
//! each function that can be counted, and code that notes its calls if that is asked for. Lines keep their numbers.

use tierup_codegen::brackets::blank;

use super::noting::noting;
use crate::declaration::{declaration, is_of_a_name};

/// The variable with the counters, in the file added to the package.
const CALLS: &str = "tierupWitnessCalls";

/// A file that counts.
pub(super) struct Counting {
    pub(super) text: String,
    /// The name of its package.
    pub(super) package: String,
    pub(super) counters: Vec<Counter>,
}

/// A function that is counted.
#[derive(Debug, PartialEq)]
pub(super) struct Counter {
    pub(super) function: usize,
    /// The line on which it begins.
    pub(super) line: u32,
}

/// Adds the counters; `None` if no function can be counted.
pub(super) fn counting(text: &str, functions: &[(usize, String)], calls: bool) -> Option<Counting> {
    // cgo's C compiler reads the files that import C, too.
    if imports_c(text) || text.contains(CALLS) {
        return None;
    }
    let code = blank(text);
    let mut places: Vec<(usize, String, Counter)> = functions
        .iter()
        .filter_map(|(function, name)| {
            let found = declaration(&code, name).ok()?;
            let is_method = name.contains('.');
            if found.receiver.is_some() != is_method || is_nested(&code[..found.start]) || is_bare(&text[..found.start])
            {
                return None;
            }
            let place = code.len() - found.rest.len() + found.body()?;
            let line = code[..found.start].matches('\n').count() as u32 + 1;
            let noting = noting(*function, &found).filter(|_| calls).unwrap_or_default();
            Some((place, format!("{CALLS}[{function}].Add(1); {noting}"), Counter { function: *function, line }))
        })
        .collect();
    places.sort_by_key(|(place, ..)| *place);
    let mut counted = String::with_capacity(text.len() + 64 * places.len());
    let mut from = 0;
    for (place, added, _) in &places {
        counted += &text[from..*place];
        counted += added;
        from = *place;
    }
    counted += &text[from..];
    let counters: Vec<Counter> = places.into_iter().map(|(.., counter)| counter).collect();
    (!counters.is_empty()).then_some(Counting { text: counted, package: package(&code)?, counters })
}

/// The name in `package shop`.
fn package(code: &str) -> Option<String> {
    let lines = code.trim_start_matches('\u{feff}').lines();
    let rest = lines.map(str::trim_start).find_map(|line| line.strip_prefix("package "))?;
    let name: String = rest.trim_start().chars().take_while(|letter| is_of_a_name(*letter)).collect();
    Some(name).filter(|name| !name.is_empty())
}

/// Whether the file imports C. It may also have `"C"` as another string; it is then skipped without need.
fn imports_c(text: &str) -> bool {
    text.contains("\"C\"")
}

/// Whether the code ends within brackets. What follows is then not a declaration at the file's top level.
fn is_nested(code: &str) -> bool {
    let count = |of: [char; 3]| code.matches(of).count();
    count(['(', '[', '{']) != count([')', ']', '}'])
}

/// Whether the comment before a function is `//go:nosplit`. Its stack cannot grow, and a counter may need more of it.
fn is_bare(before: &str) -> bool {
    let comment = before.lines().rev().take_while(|line| line.trim_start().starts_with("//"));
    comment.into_iter().any(|line| line.trim_start().starts_with("//go:nosplit"))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, names: &[&str], expected: Expect) {
        let functions: Vec<_> = names.iter().map(|name| (*name).to_owned()).enumerate().collect();
        let counting = counting(text, &functions, false);
        let lines: Vec<_> = counting.iter().flat_map(|one| &one.counters).map(|one| (one.function, one.line)).collect();
        let text = counting.map_or_else(|| "nothing\n".to_owned(), |one| format!("of {}\n{}", one.package, one.text));
        expected.assert_eq(&format!("{text}{lines:?}"));
    }

    #[test]
    fn functions_get_counters_and_lines_keep_their_numbers() {
        let text = "// package no\npackage shop // yes\n\nvar brace = \"func Total() {\"\n\nfunc One() int { return 1 }\n\n\
            func (c *Cart) Total(a struct{ x int }) (s []struct{}, err error) {\n\treturn\n}\n\nfunc Total() {}\n";
        check(
            text,
            &["Total", "(*Cart).Total", "One", "Missing", "Cart.One"],
            expect![[r#"
            of shop
            // package no
            package shop // yes

            var brace = "func Total() {"

            func One() int {tierupWitnessCalls[2].Add(1);  return 1 }

            func (c *Cart) Total(a struct{ x int }) (s []struct{}, err error) {tierupWitnessCalls[1].Add(1); 
            	return
            }

            func Total() {tierupWitnessCalls[0].Add(1); }
            [(2, 6), (1, 8), (0, 12)]"#]],
        );
    }

    #[test]
    fn functions_that_cannot_be_counted_stay_unchanged() {
        let total = "func Total() {\n}\n";
        let nothing = |text: String| {
            check(
                &text,
                &["Total"],
                expect![[r#"
            nothing
            []"#]],
            )
        };
        nothing(format!("package shop\n\nimport \"C\"\n\n{total}"));
        nothing(format!("package shop\n\nimport (\n\t\"C\"\n)\n\n{total}"));
        nothing(format!("package shop\n\n// Short.\n//\n//go:nosplit\n{total}"));
        nothing(format!("package shop\n\nvar tierupWitnessCalls int\n\n{total}"));
        nothing("package shop\n\nfunc (c Cart) Total() {\n}\n".to_owned());
        // A function literal at the start of a line, with the result `Total[int]`.
        let closure = "package shop\n\nvar f = each(\nfunc (int) Total[int] {\n})\n";
        check(
            closure,
            &["int.Total"],
            expect![[r#"
            nothing
            []"#]],
        );
    }
}
