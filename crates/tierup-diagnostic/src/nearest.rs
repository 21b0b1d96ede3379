//! "Did you mean": the known name that a misspelled one probably means.

/// The candidate that is nearest to `name`, where at most a third of its letters, or one letter, differs.
///
/// Counts letters inserted, deleted, replaced or swapped with their neighbour (optimal string alignment distance). Case,
/// `_` and `-` do not count.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = letters(name);
    let limit = (name.chars().count() / 3).max(1);
    let measured = candidates.into_iter().map(|candidate| (distance(&name, &letters(candidate)), candidate));
    measured.filter(|(distance, _)| *distance <= limit).min().map(|(_, candidate)| candidate)
}

fn distance(a: &str, b: &str) -> usize {
    // A name of that length is no slip, and measuring it would take long.
    if a.len() > 200 || b.len() > 200 { usize::MAX } else { strsim::osa_distance(a, b) }
}

fn letters(name: &str) -> String {
    name.to_lowercase().chars().filter(|letter| !matches!(letter, '_' | '-')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_names_are_not() {
        let names = ["area", "perimeter", "render_as_png", "content_type"];
        let nearest = |name| nearest(name, names);
        assert_eq!(nearest("aera"), Some("area"));
        assert_eq!(nearest("Area"), Some("area"));
        assert_eq!(nearest("renderAsPng"), Some("render_as_png"));
        assert_eq!(nearest("render_png"), Some("render_as_png"));
        assert_eq!(nearest("content-type"), Some("content_type"));
        assert_eq!(nearest("volume"), None);
        assert_eq!(nearest(""), None);
        assert_eq!(nearest(&"x".repeat(1000)), None);
    }
}
