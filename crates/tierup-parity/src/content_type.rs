//! Compares media types.

use std::collections::BTreeMap;

use crate::comparator::Parameters;

/// Whether two `Content-Type` headers mean the same (RFC 9110, section 8.3.1). A missing one equals only a missing one.
pub(crate) fn alike(control: Option<&str>, candidate: Option<&str>, parameters: Parameters) -> bool {
    let (Some(control), Some(candidate)) = (control, candidate) else { return control == candidate };
    essence(control) == essence(candidate)
        && (parameters == Parameters::Ignored || read_parameters(control) == read_parameters(candidate))
}

/// `text/html` of `text/HTML; charset=utf-8`.
pub(crate) fn essence(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn read_parameters(content_type: &str) -> BTreeMap<String, String> {
    let parameter = |text: &str| {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let name = name.trim().to_ascii_lowercase();
        let value = value.trim().trim_matches('"');
        // Charset names are case-insensitive (RFC 9110, section 8.3.2); other values may be case-sensitive.
        let value = if name == "charset" { value.to_ascii_lowercase() } else { value.to_owned() };
        (name, value)
    };
    content_type.split(';').skip(1).filter(|text| !text.trim().is_empty()).map(parameter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_that_count() {
        let check = |one: &str, other: &str, ignored: bool, compared: bool| {
            let found = [Parameters::Ignored, Parameters::Compared].map(|it| alike(Some(one), Some(other), it));
            assert_eq!(found, [ignored, compared], "{one} {other}");
        };
        check("text/html", "Text/HTML ", true, true);
        check("text/html; charset=utf-8", "text/html;charset=\"UTF-8\"", true, true);
        check("text/html; charset=utf-8", "text/html", true, false);
        check("a/b; c=1; d=2", "a/b;d=2;c=1;", true, true);
        check("a/b; c=x", "a/b; c=X", true, false);
        check("text/html", "text/plain", false, false);
        assert!(alike(None, None, Parameters::Ignored));
        assert!(!alike(None, Some("text/html"), Parameters::Ignored));
    }
}
