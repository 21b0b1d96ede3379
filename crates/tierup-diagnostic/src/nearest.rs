//! "Did you mean": the known name that a misspelled one probably means.

/// The candidate nearest to `name`, if at most one letter, or at most a third of its letters, differs.
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
    // A name this long is not a typo, and the distance would take long to compute.
    if a.len() > 200 || b.len() > 200 { usize::MAX } else { strsim::osa_distance(a, b) }
}

fn letters(name: &str) -> String {
    name.to_lowercase().chars().filter(|letter| !matches!(letter, '_' | '-')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_typos_find_a_candidate() {
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
