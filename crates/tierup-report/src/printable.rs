//! Makes untrusted text safe to print: labels, titles and logs come from command lines and servers. In: any text. Out:
//! the same words, without escape codes for the terminal and without direction changes of the text around it.

/// The text as one clean line.
pub fn line(text: &str) -> String {
    text.chars().map(|character| if character.is_whitespace() { ' ' } else { visible(character) }).collect()
}

/// Several clean lines, such as a log.
pub fn lines(lines: &[String]) -> String {
    let mut text = String::new();
    for part in lines.iter().flat_map(|part| part.lines()) {
        text += line(part).trim_end();
        text.push('\n');
    }
    text
}

/// Clean text with its layout: line ends, tabs and spaces stay.
pub fn laid_out(text: &str) -> String {
    text.chars()
        .map(|character| if matches!(character, '\n' | '\t') { character } else { visible(character) })
        .collect()
}

fn visible(character: char) -> char {
    // Explicit directions of Unicode's bidirectional algorithm (UAX 9), which affect the text after them, too.
    let turns = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if character.is_control() || turns { char::REPLACEMENT_CHARACTER } else { character }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_can_send_escape_codes() {
        assert_eq!(line("a\u{1b}[31m\tb\nc\u{202e}d é"), "a\u{fffd}[31m b c\u{fffd}d é");
        assert_eq!(laid_out("a\u{1b}[31m\n\tb\u{202e}"), "a\u{fffd}[31m\n\tb\u{fffd}");
        assert_eq!(lines(&["one\r\ntwo  ".into(), "\u{7}".into()]), "one\ntwo\n\u{fffd}\n");
    }
}
