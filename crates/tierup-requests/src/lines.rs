//! Kinds of lines in a requests file that can be recognized without their context.

/// Whether a line can only be the first of a request.
pub(crate) fn looks_like_request(text: &str) -> bool {
    const LONGEST_METHOD: usize = 20;
    let Some(end) = text.bytes().take(LONGEST_METHOD).position(|byte| byte == b' ' || byte == b'\t') else {
        return false;
    };
    let url = text[end..].trim_start();
    let starts = ["/", "http://", "https://", "{{"];
    end > 2
        && text[..end].bytes().all(|byte| byte.is_ascii_uppercase())
        && starts.iter().any(|start| url.starts_with(start))
}

pub(crate) fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('#') || line.starts_with("//")
}
