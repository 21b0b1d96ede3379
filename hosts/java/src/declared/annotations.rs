//! Removes annotations from Java source. In: code with comments and strings blanked. Out: the same without annotations.

use tierup_codegen::brackets::matching;

/// Replaces annotations and their arguments by blanks, so that lines and positions stay. `@interface` declares an
/// annotation, and is kept.
pub(super) fn blank(code: &str) -> String {
    let mut blanked = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(place) = rest.find('@') {
        let (before, from) = rest.split_at(place);
        blanked.push_str(before);
        let length = length(from);
        let (annotation, after) = from.split_at(length);
        match annotation[1..].trim() {
            "interface" => blanked.push_str(annotation),
            // The blanks have as many bytes as the annotation, so that places in the text stay right.
            _ => blanked.extend(annotation.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' })),
        }
        rest = after;
    }
    blanked + rest
}

/// The length of the annotation at the start of the text.
fn length(from: &str) -> usize {
    let is_named = |character: char| character.is_alphanumeric() || "_$.".contains(character);
    let spaces = from[1..].len() - from[1..].trim_start().len();
    let name = from[1 + spaces..].find(|character| !is_named(character)).map_or(from.len(), |end| 1 + spaces + end);
    let after = from[name..].trim_start();
    match after.starts_with('(') {
        true => matching(after).map_or(from.len(), |close| from.len() - after.len() + close + 1),
        false => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annotation_ends_at_its_own_parenthesis() {
        let check = |code: &str, expected: &str| {
            let found = blank(code);
            assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), expected);
            assert_eq!((found.len(), found.matches('\n').count()), (code.len(), code.matches('\n').count()));
        };
        check("@A(b(c), {1}) @d.E\n(\n) final Map<@F(1) String, @G byte @H []> i", "final Map< String, byte []> i");
        check("@ä int a, @B (c) int d", "int a, int d");
        check("@interface A { int b(); }", "@interface A { int b(); }");
        check("int a; @B(c", "int a;");
    }
}
