//! The name that was probably meant.

/// The candidate that is nearest to `name`, if any is near enough to be a slip.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    let measured = candidates.map(|candidate| (distance(name, candidate), candidate));
    measured.filter(|(distance, _)| *distance <= limit).min().map(|(_, candidate)| candidate)
}

/// Letters to insert, delete, replace or swap with their neighbour (optimal string alignment); case and `_` are free.
fn distance(a: &str, b: &str) -> usize {
    let letters = |name: &str| name.to_lowercase().chars().filter(|c| *c != '_').collect::<Vec<_>>();
    let (a, b) = (letters(a), letters(b));
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before_last[j - 2] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_names_are_not() {
        let names = ["area", "perimeter", "render_as_png"];
        let nearest = |name| nearest(name, names.into_iter());
        assert_eq!(nearest("aera"), Some("area"));
        assert_eq!(nearest("renderAsPng"), Some("render_as_png"));
        assert_eq!(nearest("render_png"), Some("render_as_png"));
        assert_eq!(nearest("volume"), None);
        assert_eq!(nearest(""), None);
    }
}
