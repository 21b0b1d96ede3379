//! Doc comments as Markdown: `///`, `/** … */` and `#[doc = "…"]`, joined as in rustdoc.

use syn::{Attribute, Expr, ExprLit, Lit, Meta, MetaNameValue};

/// The text of the doc comments among these attributes; empty without any.
pub(crate) fn docs(attributes: &[Attribute]) -> String {
    let parts: Vec<(Form, Vec<String>)> = attributes.iter().filter_map(part).collect();
    // The space after `///` is not part of the text; that of `#[doc = " …"]` may be. So each form has its own indent.
    let comment_indent = indent(&parts, Form::Comment);
    let attribute_indent = indent(&parts, Form::Attribute);
    let lines = parts.iter().flat_map(|(form, lines)| {
        let indent = if *form == Form::Comment { comment_indent } else { attribute_indent };
        lines.iter().map(move |line| line.get(indent..).unwrap_or_default())
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let text = text.trim_end();
    // Blank lines at the start go; the indent of the first line of text stays.
    let start = text.len() - text.trim_start().len();
    let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    text[line_start..].to_string()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    Comment,
    Attribute,
}

fn part(attribute: &Attribute) -> Option<(Form, Vec<String>)> {
    let Meta::NameValue(MetaNameValue { path, value: Expr::Lit(ExprLit { lit: Lit::Str(text), .. }), .. }) =
        &attribute.meta
    else {
        return None;
    };
    if !path.is_ident("doc") {
        return None;
    }
    let text = text.value().replace("\r\n", "\n");
    let lines = text.split('\n').map(|line| line.trim_end_matches('\r').to_string()).collect();
    // All tokens of a doc comment have the span of the whole comment.
    let source = attribute.pound_token.span.source_text().unwrap_or_default();
    Some(if source.starts_with("/*") {
        (Form::Comment, without_stars(lines))
    } else if source.starts_with("//") {
        (Form::Comment, lines)
    } else {
        (Form::Attribute, lines)
    })
}

/// Removes the column of `*` that decorates a block comment, if every line has one.
fn without_stars(lines: Vec<String>) -> Vec<String> {
    let mut lines = lines;
    // `*/` stands on a line of its own.
    if lines.len() > 1 && lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let star = |line: &String| line.trim_start().starts_with('*');
    if lines.len() > 1 && lines[1..].iter().all(star) {
        for line in &mut lines[1..] {
            *line = line.trim_start()[1..].to_string();
        }
    }
    lines
}

/// The length in bytes of the white space (ASCII only) that all lines of text of that form start with.
fn indent(parts: &[(Form, Vec<String>)], wanted: Form) -> usize {
    let lines = parts.iter().filter(|(form, _)| *form == wanted).flat_map(|(_, lines)| lines);
    let text = lines.filter(|line| !line.trim().is_empty());
    text.map(|line| line.len() - line.trim_start_matches([' ', '\t']).len()).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(attributes: &str, expect: Expect) {
        let file = crate::outline::outline(&format!("{attributes}\nstruct S;")).ok().unwrap();
        let syn::Item::Struct(item) = &file.items[0] else { panic!() };
        expect.assert_eq(&docs(&item.attrs));
    }

    #[test]
    fn line_comments() {
        check(
            "/// One.\n///\n///     code\n/// Two.",
            expect![[r#"
            One.

                code
            Two."#]],
        );
        check(
            "/// One.\r\n/// Two.\r\n",
            expect![[r#"
            One.
            Two."#]],
        );
        check(
            "///One.\n/// Two.",
            expect![[r#"
            One.
             Two."#]],
        );
        check("///\n/// One.\n///", expect!["One."]);
        check("// not this", expect![""]);
    }

    #[test]
    fn block_comments() {
        check("/** One. */", expect!["One."]);
        check(
            "/**\r\n * One.\r\n *\r\n *   * two\r\n */",
            expect![[r#"
            One.

              * two"#]],
        );
        check(
            "/** One.\n  * Two.\n  */",
            expect![[r#"
            One.
            Two."#]],
        );
        check(
            "/**\n   One.\n     Two.\n*/",
            expect![[r#"
            One.
              Two."#]],
        );
    }

    #[test]
    fn attributes() {
        check(
            "#[doc = \"One.\\n* two\\n* three\"]",
            expect![[r#"
            One.
            * two
            * three"#]],
        );
        check(
            "/// One.\n#[doc = \"Two.\"]\n#[doc(hidden)]\n#[doc(alias = \"x\")]\n#[doc = include_str!(\"x\")]",
            expect![[r#"
            One.
            Two."#]],
        );
        check(
            "#[doc = \"\\u{e9}\"]\n///  \u{e9}",
            expect![[r#"
            é
            é"#]],
        );
    }
}
