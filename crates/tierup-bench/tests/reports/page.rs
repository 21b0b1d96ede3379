//! The text of a page without its drawings, read with the tokenizer of the HTML standard.

use html5gum::{DefaultEmitter, Token, Tokenizer};

/// Those elements without an end tag (HTML Standard, 13.1.2) that the page uses.
const VOID: [&str; 6] = ["meta", "link", "input", "br", "hr", "img"];

/// The page's texts in order, with a line for each element that has text. Panics if the page is not well-formed.
pub(crate) fn read(page: &str) -> String {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut open: Vec<String> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for token in Tokenizer::new_with_emitter(page, emitter) {
        match token.expect("reading from memory cannot fail") {
            Token::StartTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                let label = tag.attributes.get(b"aria-label".as_slice()).filter(|_| name == "svg");
                lines.extend(label.map(|label| format!("[{}]", String::from_utf8_lossy(label))));
                lines.push(String::new());
                if !tag.self_closing && !VOID.contains(&name.as_str()) {
                    open.push(name);
                }
            }
            Token::EndTag(tag) => {
                let name = String::from_utf8_lossy(&tag.name).into_owned();
                assert_eq!(
                    open.pop().as_ref(),
                    Some(&name),
                    "after {:?}",
                    lines.iter().rev().take(3).collect::<Vec<_>>()
                );
                lines.push(String::new());
            }
            Token::String(text) => {
                let unseen = open.iter().any(|name| ["style", "script", "svg"].contains(&name.as_str()));
                if let Some(line) = lines.last_mut().filter(|_| !unseen) {
                    *line += &String::from_utf8_lossy(&text);
                }
            }
            Token::Error(error) => panic!("{:?} after {:?}", *error, lines.iter().rev().take(3).collect::<Vec<_>>()),
            Token::Comment(_) | Token::Doctype(_) => {}
        }
    }
    assert_eq!(open, [""; 0]);
    let lines = lines.iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
