//! Labels, titles and logs come from outside: from command lines and from servers. In: any text. Out: text of the same
//! words that can neither steer a terminal nor turn the direction of the text around it.

/// One line.
pub fn line(text: &str) -> String {
    text.chars().map(|character| if character.is_whitespace() { ' ' } else { visible(character) }).collect()
}

/// Lines, as in a log.
pub fn lines(lines: &[String]) -> String {
    let mut text = String::new();
    for part in lines.iter().flat_map(|part| part.lines()) {
        text += line(part).trim_end();
        text.push('\n');
    }
    text
}

/// Text that is laid out already: its line ends, tabs and spaces stay as they are.
pub fn laid_out(text: &str) -> String {
    text.chars()
        .map(|character| if matches!(character, '\n' | '\t') { character } else { visible(character) })
        .collect()
}

fn visible(character: char) -> char {
    // The explicit directions of Unicode's bidirectional algorithm (UAX 9), which reach beyond the text they stand in.
    let turns = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if character.is_control() || turns { char::REPLACEMENT_CHARACTER } else { character }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_a_terminal() {
        assert_eq!(line("a\u{1b}[31m\tb\nc\u{202e}d é"), "a\u{fffd}[31m b c\u{fffd}d é");
        assert_eq!(laid_out("a\u{1b}[31m\n\tb\u{202e}"), "a\u{fffd}[31m\n\tb\u{fffd}");
        assert_eq!(lines(&["one\r\ntwo  ".into(), "\u{7}".into()]), "one\ntwo\n\u{fffd}\n");
    }
}
