//! Parsing, reduced to the parts of an interface: from the text of a file to its items, with function bodies and
//! other expressions blanked.
//!
//! An interface needs no expressions. Without them large files are cheap, and syntax inside a body that is newer than
//! our parser does no harm (`rustc` judges bodies). Few constructs can still nest, so a limit keeps the recursive
//! parser from overflowing the stack on hostile input.

use proc_macro2::{Delimiter, Group, Ident, LexError, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use std::borrow::Cow;
use std::str::FromStr;

/// How deep types, modules and groups may nest in a file. Code that people write stays below 20.
const MAX_NESTING: usize = 200;

/// Why a file has no outline.
pub(crate) struct Unparsed {
    pub(crate) message: String,
    pub(crate) hint: &'static str,
    /// `None` is the end of the file.
    pub(crate) span: Option<Span>,
}

const ASK_CARGO: &str = "`cargo check` says more";

/// The items of a file. `text` has no byte order mark; a shebang is allowed.
pub(crate) fn outline(text: &str) -> Result<syn::File, Unparsed> {
    let without_shebang = blank_shebang(text);
    let tokens = TokenStream::from_str(&without_shebang).map_err(|error| unlexed(&error, text))?;
    let blanked = Blanking::new(0).run(tokens, Inside::Items)?;
    syn::parse2(blanked).map_err(|error| {
        let span = error.span();
        // At the end of the tokens syn has no place to point at, and its span is 0..0.
        let at_end = span.byte_range() == (0..0);
        Unparsed { message: format!("this is not Rust: {error}"), hint: ASK_CARGO, span: (!at_end).then_some(span) }
    })
}

/// `#!/usr/bin/env …` becomes as many spaces, so that everything else keeps its place. `#![allow(…)]` stays.
fn blank_shebang(text: &str) -> Cow<'_, str> {
    match text.strip_prefix("#!") {
        Some(rest) if !rest.trim_start().starts_with('[') => {
            let end = text.find('\n').unwrap_or(text.len());
            Cow::Owned(" ".repeat(end) + &text[end..])
        }
        _ => Cow::Borrowed(text),
    }
}

fn unlexed(error: &LexError, text: &str) -> Unparsed {
    let rest = text.get(error.span().byte_range().start..).unwrap_or_default();
    let message = match rest.chars().next() {
        Some(open @ ('(' | '[' | '{')) => format!("this `{open}` is never closed"),
        Some(close @ (')' | ']' | '}')) => format!("this `{close}` closes nothing that is open"),
        _ => "this is not Rust: no token starts like that, or the text or comment that starts here has no end"
            .to_string(),
    };
    Unparsed { message, hint: ASK_CARGO, span: Some(error.span()) }
}

/// The meaning of a group's tokens.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Items,
    Cases,
    Brackets,
    Other,
}

/// One pass over the tokens of one group.
struct Blanking {
    /// The nesting depth of the group itself.
    depth: usize,
    /// The number of angle brackets that are open here.
    angles: usize,
    /// Tokens since the last separator that can nest types without a group: `&&&T`, `fn() -> fn() -> T`.
    chain: usize,
    /// Whether `fn name`, `enum` or `const NAME:` came since the last separator.
    after: After,
    /// Everything up to this separator is left out.
    skip_to: Option<char>,
    /// The last token that was left out, if it was punctuation.
    skipped: Option<char>,
    kept: Vec<TokenTree>,
}

#[derive(Clone, Copy, PartialEq)]
enum After {
    Nothing,
    Function,
    Enum,
    Constant,
}

impl Blanking {
    fn new(depth: usize) -> Self {
        Blanking { depth, angles: 0, chain: 0, after: After::Nothing, skip_to: None, skipped: None, kept: Vec::new() }
    }

    fn run(mut self, tokens: TokenStream, inside: Inside) -> Result<TokenStream, Unparsed> {
        for token in tokens {
            if self.depth + self.angles + self.chain > MAX_NESTING {
                return Err(Unparsed {
                    message: format!("this nests deeper than {MAX_NESTING} levels"),
                    hint: "give names to parts of it: type aliases, or modules in files of their own",
                    span: Some(token.span()),
                });
            }
            if self.skips(&token) {
                continue;
            }
            match token {
                TokenTree::Group(group) => self.group(group)?,
                TokenTree::Punct(punct) => self.punct(punct, inside),
                TokenTree::Ident(ident) => self.ident(ident),
                TokenTree::Literal(_) => self.kept.push(token),
            }
        }
        Ok(self.kept.into_iter().collect())
    }

    fn group(&mut self, group: Group) -> Result<(), Unparsed> {
        let inside = match group.delimiter() {
            _ if self.follows_macro_name() => None,
            // A body, or a const argument as in `Matrix<{ N }>`.
            Delimiter::Brace if self.angles > 0 || self.after == After::Function => None,
            Delimiter::Brace if self.after == After::Enum => Some(Inside::Cases),
            Delimiter::Brace => Some(Inside::Items),
            Delimiter::Bracket => Some(Inside::Brackets),
            Delimiter::Parenthesis | Delimiter::None => Some(Inside::Other),
        };
        let is_attribute = group.delimiter() == Delimiter::Bracket && self.follows_attribute_sign();
        let is_end = group.delimiter() == Delimiter::Brace && self.angles == 0;
        let stream = match inside {
            None => TokenStream::new(),
            Some(inside) => Blanking::new(self.depth + self.angles + self.chain + 1).run(group.stream(), inside)?,
        };
        let mut blanked = Group::new(group.delimiter(), stream);
        blanked.set_span(group.span());
        self.kept.push(blanked.into());
        if is_end {
            self.end();
        } else if is_attribute {
            self.chain = 0;
        }
        Ok(())
    }

    fn punct(&mut self, punct: Punct, inside: Inside) {
        let follows_arrow_stem = matches!(
            self.kept.last(),
            Some(TokenTree::Punct(stem)) if stem.spacing() == Spacing::Joint && matches!(stem.as_char(), '-' | '=')
        );
        let character = punct.as_char();
        let span = punct.span();
        let is_joint = punct.spacing() == Spacing::Joint;
        self.kept.push(punct.into());
        match character {
            ';' => {
                self.end();
                if inside == Inside::Brackets {
                    // `[T; length]`
                    self.blank_expression(span, '\0');
                }
            }
            ',' => self.chain = 0,
            '<' => self.angles += 1,
            '>' if !follows_arrow_stem => self.angles = self.angles.saturating_sub(1),
            '=' if self.angles == 0 && self.after == After::Constant => self.blank_expression(span, ';'),
            '=' if self.angles == 0 && inside == Inside::Cases => self.blank_expression(span, ','),
            '#' | '>' | '=' | '\'' => {}
            ':' if !is_joint => {}
            _ => self.chain += 1,
        }
    }

    fn ident(&mut self, ident: Ident) {
        let before = match self.kept.last() {
            Some(TokenTree::Ident(before)) => before.to_string(),
            _ => String::new(),
        };
        match before.as_str() {
            "fn" if self.after == After::Nothing => self.after = After::Function,
            "enum" if self.after == After::Nothing => self.after = After::Enum,
            // Not `const fn`, nor `*const T` or `&'static T`.
            "const" | "static" if self.after == After::Nothing && self.angles == 0 && ident != "fn" => {
                let is_modifier = ["unsafe", "async", "extern"].iter().any(|modifier| ident == modifier);
                if !is_modifier && !self.follows_type_sign() {
                    self.after = After::Constant;
                }
            }
            _ => {}
        }
        self.kept.push(ident.into());
    }

    /// Whether a token belongs to an expression that is left out.
    fn skips(&mut self, token: &TokenTree) -> bool {
        let Some(end) = self.skip_to else { return false };
        let before = self.skipped.take();
        let TokenTree::Punct(punct) = token else { return true };
        match punct.as_char() {
            // In `A = size::<u8, u16>()` the comma does not end the case.
            '<' if self.angles > 0 || before == Some(':') => self.angles += 1,
            '>' if before != Some('-') => self.angles = self.angles.saturating_sub(1),
            character if character == end && (self.angles == 0 || end == ';') => self.skip_to = None,
            _ => {}
        }
        self.skipped = Some(punct.as_char());
        self.skip_to.is_some()
    }

    /// Called at the end of a statement or item.
    fn end(&mut self) {
        (self.angles, self.chain, self.after) = (0, 0, After::Nothing);
    }

    fn blank_expression(&mut self, span: Span, up_to: char) {
        let mut zero = Literal::u8_unsuffixed(0);
        zero.set_span(span);
        self.kept.push(zero.into());
        self.skip_to = Some(up_to);
    }

    /// `name!` or `macro_rules! name`
    fn follows_macro_name(&self) -> bool {
        match self.kept.as_slice() {
            [.., TokenTree::Ident(_), TokenTree::Punct(sign)] => sign.as_char() == '!',
            [.., TokenTree::Punct(sign), TokenTree::Ident(_)] => {
                sign.as_char() == '!' && self.after == After::Nothing && self.angles == 0
            }
            _ => false,
        }
    }

    /// `#` or `#!`
    fn follows_attribute_sign(&self) -> bool {
        match self.kept.as_slice() {
            [.., TokenTree::Punct(sign)] if sign.as_char() == '#' => true,
            [.., TokenTree::Punct(sign), TokenTree::Punct(inner)] => sign.as_char() == '#' && inner.as_char() == '!',
            _ => false,
        }
    }

    /// `*const`, `'static`
    fn follows_type_sign(&self) -> bool {
        match self.kept.as_slice() {
            [.., TokenTree::Punct(sign), _] => matches!(sign.as_char(), '*' | '\''),
            _ => false,
        }
    }
}
