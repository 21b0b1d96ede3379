//! Policies that a browser enforces: directives between `;`, in any order.

use std::collections::BTreeSet;

/// Each line's directives in order, without nonces.
pub(super) fn read(values: &[&str]) -> String {
    let line = |value: &&str| {
        let directives: BTreeSet<String> = value.split(';').map(directive).filter(|text| !text.is_empty()).collect();
        directives.into_iter().collect::<Vec<_>>().join("; ")
    };
    values.iter().map(line).collect::<Vec<_>>().join(", ")
}

/// `img-src *` of ` Img-Src  *`; the text behind the name may be a path, whose case counts.
fn directive(text: &str) -> String {
    let mut words = text.split_ascii_whitespace();
    let name = words.next().unwrap_or_default().to_ascii_lowercase();
    // Each answer has another one (Content Security Policy Level 3, section 7.1).
    let word = |word: &str| if word.starts_with("'nonce-") { "'nonce-…'".to_owned() } else { word.to_owned() };
    [name].into_iter().chain(words.map(word)).collect::<Vec<_>>().join(" ")
}
