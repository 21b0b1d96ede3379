//! Compares arrays whose items may stand in any order.

use super::marks::{Mark, Marks};
use super::{differences, is_one_of, shown};
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
        let is_compared = |(index, _): &Placed<'_>| !is_one_of(&rules.ignore, &below(location, *index));
        // Allocates exactly one entry per item, as `json::memory` counts.
        let mut placed: Vec<Placed<'_>> = Vec::with_capacity(items.len());
        placed.extend(items.iter().enumerate().filter(is_compared));
        placed
    });
    let (lonely, unmatched) = cancel(&mine, &theirs, location, rules);
    if lonely.is_empty() && unmatched.is_empty() {
        return Differences::default();
    }
    let has_tolerance = rules.tolerance.is_some() || !rules.tolerances.is_empty();
    let matches_but_for = |unlike| has_tolerance && matches_within(&mine, &theirs, unlike, location, rules);
    if let ([one], [other]) = (lonely.as_slice(), unmatched.as_slice()) {
        let found = differences(one.1, other.1, &below(location, one.0), rules);
        // `Some` keeps these two from being compared again. Otherwise each level of nested arrays would double the
        // time, and 100 levels would never finish.
        let is_alike = found.is_empty() || matches_but_for(Some([one.0, other.0]));
        return if is_alike { Differences::default() } else { found };
    }
    if matches_but_for(None) {
        return Differences::default();
    }
    let mut found = Differences::default();
    for (index, item) in lonely {
        let difference = Difference::new(Place::Json(below(location, index)), Some(&shown(item)), None);
        found.push(difference.with_note("missing in the candidate's array"));
    }
    for (index, item) in unmatched {
        let difference = Difference::new(Place::Json(below(location, index)), None, Some(&shown(item)));
        found.push(difference.with_note("missing in the control's array"));
    }
    found
}

/// An item and its index.
type Placed<'a> = (usize, &'a Json<'a>);

/// The items of each side without a match on the other.
fn cancel<'a>(
    mine: &[Placed<'a>],
    theirs: &[Placed<'a>],
    location: &Location,
    rules: &JsonRules,
) -> (Vec<Placed<'a>>, Vec<Placed<'a>>) {
    let marks = Marks::new(rules);
    let sorted = |items: &[Placed<'a>]| {
        let mark = |place: usize| marks.of(items[place].1, &mut below(location, items[place].0));
        let mut sorted: Vec<(Option<Mark>, u32)> = (0..items.len()).map(|place| (mark(place), place as u32)).collect();
        sorted.sort_unstable();
        sorted
    };
    let (mut lonely, mut unmatched) = (Vec::new(), Vec::new());
    let mut waiting = sorted(theirs).into_iter().peekable();
    for (mark, place) in sorted(mine) {
        while let Some((_, other)) = waiting.next_if(|(theirs, _)| *theirs < mark) {
            unmatched.push(other);
        }
        // A value without a mark is unlike any other.
        if mark.is_none() || waiting.next_if(|(theirs, _)| *theirs == mark).is_none() {
            lonely.push(place);
        }
    }
    unmatched.extend(waiting.map(|(_, place)| place));
    let all = |mut places: Vec<u32>, items: &[Placed<'a>]| {
        places.sort_unstable();
        places.into_iter().map(|place| items[place as usize]).collect()
    };
    (all(lonely, mine), all(unmatched, theirs))
}

/// Whether the items can be paired so that each is like its partner. Likeness by tolerance is not transitive (1 may be
/// like 2, and 2 like 3, but not 1 like 3), so the first match may be the wrong one. This looks for augmenting paths
/// (Kuhn 1955). `unlike` are two items that are known not to be alike.
fn matches_within(
    mine: &[Placed<'_>],
    theirs: &[Placed<'_>],
    unlike: Option<[usize; 2]>,
    location: &Location,
    rules: &JsonRules,
) -> bool {
    if mine.len() != theirs.len() || mine.len() > MOST_MATCHED {
        return false;
    }
    let likes = |(index, item): &Placed<'_>| {
        let place = below(location, *index);
        let is_like = |(other, candidate): &Placed<'_>| {
            unlike != Some([*index, *other]) && differences(item, candidate, &place, rules).is_empty()
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
