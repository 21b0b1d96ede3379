//! Indented JSON for scripts. In: values. Out: text ending with a line feed.

use serde::Serialize;

/// A value as indented JSON. If it has none (such as a map with non-string keys), an object with the error.
pub fn pretty(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value);
    text.unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string()) + "\n"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_value_without_json_is_an_error_object() {
        assert_eq!(pretty(&[1]), "[\n  1\n]\n");
        assert_eq!(pretty(&BTreeMap::from([([1], 2)])), "{\"error\":\"key must be a string\"}\n");
    }
}
