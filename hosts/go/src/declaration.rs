//! Finds where Go source declares a function or a method. In: code with comments and strings blanked, and a name. Out:
//! the position, the receiver and where the body begins; or why it is not declared.

use tierup_codegen::brackets::matching;

/// A declaration: where it begins, the receiver of a method, and the code after its name, up to the end of the file.
pub(crate) struct Declaration<'a> {
    pub(crate) start: usize,
    pub(crate) receiver: Option<&'a str>,
    pub(crate) rest: &'a str,
}

/// The function `Total`, or the method `Total`, `Cart.Total` or `(*Cart).Total`.
pub(crate) fn declaration<'a>(code: &'a str, name: &str) -> Result<Declaration<'a>, String> {
    let (of, method) = name.rsplit_once('.').map_or((None, name), |(of, method)| (Some(of), method));
    let of = of.map(|of| of.trim_matches(['(', ')', '*']));
    let mut start = 0;
    let mut methods = Vec::new();
    for line in code.split_inclusive('\n') {
        // gofmt puts the declaration of a function at the start of a line.
        if line.starts_with("func ") {
            let rest = code[start + "func ".len()..].trim_start();
            let after = |rest: &'a str| {
                let after = rest.trim_start().strip_prefix(method)?.trim_start();
                after.starts_with(['(', '[']).then_some(after)
            };
            if let Some(rest) = after(rest).filter(|_| of.is_none()) {
                return Ok(Declaration { start, receiver: None, rest });
            }
            if let Some(close) = matching(rest).filter(|_| rest.starts_with('('))
                && let Some(after) = after(&rest[close + 1..])
            {
                let receiver = rest[1..close].trim();
                if of.is_none_or(|of| without_parameters(receiver) == of) {
                    methods.push(Declaration { start, receiver: Some(receiver), rest: after });
                }
            }
        }
        start += line.len();
    }
    match methods.len() {
        0 => Err(format!("its file declares no function `{name}`")),
        1 => Ok(methods.remove(0)),
        _ => Err(format!("its file declares several methods `{method}`: write TYPE.{method}")),
    }
}

/// The type of a receiver, `cart *Cart`.
pub(crate) fn type_of(receiver: &str) -> &str {
    receiver.split_once(char::is_whitespace).map_or(receiver, |(_, ty)| ty.trim())
}

/// `Tree` of `tree *Tree[K, V]`.
fn without_parameters(receiver: &str) -> &str {
    let receiver = receiver.split('[').next().unwrap_or_default().trim();
    type_of(receiver).trim_start_matches('*').trim()
}

impl Declaration<'_> {
    /// Where the body begins in [`rest`](Declaration::rest), after the brace. `None` if the body is not in Go.
    pub(crate) fn body(&self) -> Option<usize> {
        let mut place = 0;
        while let Some(character) = self.rest[place..].chars().next() {
            let word = self.rest[..place].trim_end().rsplit(|letter: char| !is_of_a_name(letter)).next();
            let is_of_a_type = matches!(word, Some("struct" | "interface"));
            match character {
                '{' if !is_of_a_type => return Some(place + 1),
                '(' | '[' | '{' => place += matching(&self.rest[place..])? + 1,
                // A declaration without a body ends here.
                '\n' => return None,
                _ => place += character.len_utf8(),
            }
        }
        None
    }
}

/// Whether Go allows the character in an identifier, at least after its first one.
pub(crate) fn is_of_a_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use tierup_codegen::brackets::blank;

    use super::*;

    const SOURCE: &str = "package shop\n\n// func Commented() {\nfunc Plain(a, b int) int { return a }\n\n\
        func (c *Cart) Total(\n\tfilter func(struct{ x int }) bool, // {\n) (a struct{ x int }, g func() error) {\n}\n\n\
        func Empty() interface{} {\n}\n\nfunc List() []struct{} { return nil }\n\n\
        func Map[K comparable, V interface{ ~int }](a map[K]V) func(V) interface{ Get() V } {\n}\n\n\
        func (t *Tree[K, V]) Insert(key K) mystruct {\n}\n\nfunc (Tree[K, V]) Size() /* { */ int {\n}\n\n\
        func assembled(x int) int\n\nfunc Last() {}\n";

    /// The text before the body's brace and the text after it, on its line.
    fn body(name: &str) -> Option<(&str, &str)> {
        let code = blank(SOURCE);
        let found = declaration(&code, name).unwrap();
        let place = code.len() - found.rest.len() + found.body()?;
        let before = SOURCE[..place].rsplit('\n').next()?;
        Some((before, SOURCE[place..].lines().next().unwrap_or_default()))
    }

    #[test]
    fn a_body_begins_after_the_types() {
        assert_eq!(body("Plain"), Some(("func Plain(a, b int) int {", " return a }")));
        assert_eq!(body("(*Cart).Total"), Some((") (a struct{ x int }, g func() error) {", "")));
        assert_eq!(body("Empty"), Some(("func Empty() interface{} {", "")));
        assert_eq!(body("List"), Some(("func List() []struct{} {", " return nil }")));
        assert!(body("Map").unwrap().0.ends_with("interface{ Get() V } {"));
        assert_eq!(body("(*Tree).Insert"), Some(("func (t *Tree[K, V]) Insert(key K) mystruct {", "")));
        assert_eq!(body("Tree.Size"), Some(("func (Tree[K, V]) Size() /* { */ int {", "")));
        assert_eq!(body("Last"), Some(("func Last() {", "}")));
        assert_eq!(body("assembled"), None);
    }
}
