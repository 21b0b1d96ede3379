//! Data for the page's script, and the page's own protection. In: values. Out: JSON that is safe within `<script>`, and
//! a policy that lets no other scripts run and nothing be fetched.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// JSON in which nothing can end the element that holds it, or the line (the Unicode line separators).
pub fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    let escaped = text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    escaped.replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// A content security policy under which only these scripts run, and the network is out of reach.
pub(super) fn policy(scripts: &[&str]) -> String {
    let hash = |script: &&str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script.as_bytes())));
    let hashes: Vec<String> = scripts.iter().filter(|script| !script.is_empty()).map(hash).collect();
    format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'",
        hashes.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_stays_within_its_element() {
        let text = json(&["</script><!--", "\u{2028}\"&"]);
        assert_eq!(text, r#"["\u003c/script\u003e\u003c!--","\u2028\"\u0026"]"#);
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), ["</script><!--", "\u{2028}\"&"]);
    }
}
