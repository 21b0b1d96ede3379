//! A mismatch as a `.http` file that repeats it. In: an [`Example`]. Out: the file's text, or why there is none.

use tierup_requests::Templates;

use crate::report::Example;

/// The file's text.
///
/// # Errors
/// If the evidence lacks a part of the request, or a `.http` file cannot express it. The error says why.
pub fn case(example: &Example) -> Result<String, String> {
    if let Some(why) = &example.not_repeatable {
        return Err(why.clone());
    }
    let headers: String = example.headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
    let text = format!("### {}\n{}\n{headers}", example.difference.replace(['\n', '\r'], " "), example.request);
    let (method, target) = example.request.split_once(' ').unwrap_or_default();
    // In a `.http` file, `{{` has a meaning of its own.
    let is_literal = !example.request.contains("{{") && !headers.contains("{{") && !headers.contains('…');
    let reads_back = Templates::parse("case.http", &text).is_ok_and(|templates| templates.len() == 1);
    match is_literal && reads_back && !method.is_empty() && target.starts_with('/') {
        true => Ok(text),
        false => Err("a .http file cannot say it".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(request: &str) -> Example {
        Example {
            request: request.to_owned(),
            size: 1,
            difference: "line 1: \"a\"\ninstead of \"b\"".to_owned(),
            count: 1,
            headers: vec![("accept".to_owned(), "text/plain".to_owned())],
            not_repeatable: None,
        }
    }

    #[test]
    fn a_case_is_a_request_with_its_headers() {
        let text = case(&example("GET /a?b=1")).expect("it can be said");
        assert_eq!(text, "### line 1: \"a\" instead of \"b\"\nGET /a?b=1\naccept: text/plain\n");
        assert!(case(&example("GET /{{x}}")).is_err());
        let hidden = Example { not_repeatable: Some("its body is not kept".to_owned()), ..example("POST /a") };
        assert_eq!(case(&hidden), Err("its body is not kept".to_owned()));
    }
}
