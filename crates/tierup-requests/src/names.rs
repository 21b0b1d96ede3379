//! The name that was probably meant.

/// The candidate that is nearest to `name`, if any is near enough to be a slip. Case is free.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    let measured = candidates.into_iter().map(|candidate| (distance(name, candidate), candidate));
    measured.filter(|(distance, _)| *distance <= limit).min().map(|(_, candidate)| candidate)
}

/// The start of a text that may be long, to be part of a message.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 100;
    if text.len() <= MOST { text.to_owned() } else { format!("{}…", &text[..text.floor_char_boundary(MOST)]) }
}

fn distance(a: &str, b: &str) -> usize {
    // A name of that length is no slip, and measuring it would take long.
    if a.len() > 200 || b.len() > 200 {
        return usize::MAX;
    }
    strsim::osa_distance(&a.to_lowercase(), &b.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_names_are_not() {
        let names = ["host", "token", "$randomInt"];
        let nearest = |name| nearest(name, names);
        assert_eq!(nearest("hsot"), Some("host"));
        assert_eq!(nearest("$randomint"), Some("$randomInt"));
        assert_eq!(nearest("port"), None);
        assert_eq!(nearest(&"x".repeat(1000)), None);
    }
}
