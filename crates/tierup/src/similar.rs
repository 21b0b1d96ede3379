//! "Did you mean": the known word that is nearest to a misspelled one.

/// The word among `known` that needs the fewest edits, where a third of its letters or fewer are wrong.
pub(crate) fn similar<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distances = known.map(|candidate| (edits(word, candidate), candidate));
    let near = distances.filter(|(edits, candidate)| *edits <= candidate.chars().count().div_ceil(3));
    near.min_by_key(|(edits, _)| *edits).map(|(_, candidate)| candidate)
}

/// How many letters must be put in, taken out, replaced or swapped with their neighbour (optimal string alignment).
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.to_lowercase().chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_far_ones_are_not() {
        let known = ["request", "call", "content_type", "max_bytes"];
        let find = |word| similar(word, known.into_iter());
        assert_eq!(find("reqeust"), Some("request"));
        assert_eq!(find("content-type"), Some("content_type"));
        assert_eq!(find("Call"), Some("call"));
        assert_eq!(find("colour"), None);
    }
}
