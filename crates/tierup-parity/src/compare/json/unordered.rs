//! Arrays whose items may stand in any order.

use std::collections::HashMap;

use super::canonical::canonical;
use super::{differences, is_one_of};
use crate::comparator::JsonRules;
use crate::difference::{Difference, Differences, Place};
use crate::json::Json;
use crate::location::{Location, Step};

/// Arrays with more items than this are not matched by tolerance, as that takes quadratic time.
const MOST_MATCHED: usize = 500;

/// The items without a match on the other side. If one item is left on each side, these two are compared with each
/// other, so that the report can say where they differ.
pub(super) fn compare(mine: &[Json<'_>], theirs: &[Json<'_>], location: &Location, rules: &JsonRules) -> Differences {
    let [mine, theirs] = [mine, theirs].map(|items| {
        let placed = items.iter().enumerate().map(|(index, item)| (below(location, index), item));
        placed.filter(|(place, _)| !is_one_of(&rules.ignore, place)).collect::<Vec<Placed<'_>>>()
    });
    let (lonely, unmatched) = cancel(&mine, &theirs, rules);
    if lonely.is_empty() && unmatched.is_empty() {
        return Differences::default();
    }
    let has_tolerance = rules.tolerance.is_some() || !rules.tolerances.is_empty();
    if let ([one], [other]) = (lonely.as_slice(), unmatched.as_slice()) {
        let found = differences(one.1, other.1, &one.0, rules);
        // These two are not compared again. Otherwise each level of nested arrays would double the time, and 100 levels
        // would never finish.
        let is_found_later = || has_tolerance && matches_within(&mine, &theirs, Some([&one.0, &other.0]), rules);
        return if found.is_empty() || is_found_later() { Differences::default() } else { found };
    }
    if has_tolerance && matches_within(&mine, &theirs, None, rules) {
        return Differences::default();
    }
    let mut found = Differences::default();
    for (place, item) in lonely {
        let difference = Difference::new(Place::Json(place.clone()), Some(&item.compact()), None);
        found.push(difference.with_note("missing in the candidate's array"));
    }
    for (place, item) in unmatched {
        let difference = Difference::new(Place::Json(place.clone()), None, Some(&item.compact()));
        found.push(difference.with_note("missing in the control's array"));
    }
    found
}

/// An item and its location.
type Placed<'a> = (Location, &'a Json<'a>);
/// The items on each side without a match on the other.
type Left<'p, 'a> = (Vec<&'p Placed<'a>>, Vec<&'p Placed<'a>>);

fn cancel<'p, 'a>(mine: &'p [Placed<'a>], theirs: &'p [Placed<'a>], rules: &JsonRules) -> Left<'p, 'a> {
    let mut waiting: HashMap<String, Vec<&Placed<'_>>> = HashMap::new();
    let mut unmatched = Vec::new();
    for placed in theirs.iter().rev() {
        match canonical(placed.1, &placed.0, rules) {
            Some(text) => waiting.entry(text).or_default().push(placed),
            None => unmatched.push(placed),
        }
    }
    let has_no_like = |placed: &&Placed<'_>| {
        let text = canonical(placed.1, &placed.0, rules);
        text.and_then(|text| waiting.get_mut(&text)?.pop()).is_none()
    };
    let lonely = mine.iter().filter(has_no_like).collect();
    unmatched.extend(waiting.into_values().flatten());
    unmatched.sort_by(|(one, _), (other, _)| one.cmp(other));
    (lonely, unmatched)
}

/// Whether the items can be paired so that each is like its partner. Likeness by tolerance is not transitive (1 is like
/// 2, and 2 like 3), so the first match may be the wrong one: this looks for augmenting paths (Kuhn 1955).
/// `unlike`: two items that are known not to be alike.
fn matches_within(
    mine: &[Placed<'_>],
    theirs: &[Placed<'_>],
    unlike: Option<[&Location; 2]>,
    rules: &JsonRules,
) -> bool {
    if mine.len() != theirs.len() || mine.len() > MOST_MATCHED {
        return false;
    }
    let likes = |(place, item): &Placed<'_>| {
        let is_like = |(other, candidate): &Placed<'_>| {
            unlike != Some([place, other]) && differences(item, candidate, place, rules).is_empty()
        };
        (0..theirs.len()).filter(|other| is_like(&theirs[*other])).collect()
    };
    let likes: Vec<Vec<usize>> = mine.iter().map(likes).collect();
    let mut partners = vec![None; theirs.len()];
    (0..mine.len()).all(|item| find_partner(item, &likes, &mut partners, &mut vec![false; theirs.len()]))
}

fn find_partner(item: usize, likes: &[Vec<usize>], partners: &mut [Option<usize>], tried: &mut [bool]) -> bool {
    likes[item].iter().any(|other| {
        if std::mem::replace(&mut tried[*other], true) {
            return false;
        }
        let is_free = partners[*other].is_none_or(|rival| find_partner(rival, likes, partners, tried));
        if is_free {
            partners[*other] = Some(item);
        }
        is_free
    })
}

fn below(location: &Location, index: usize) -> Location {
    let mut below = location.clone();
    below.0.push(Step::Index(index));
    below
}
