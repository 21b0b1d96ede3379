//! Sequences of anything, made shorter or smaller in one place.

/// In longer sequences than this not every item is tried by itself: halves come first, and soon it is shorter.
const MOST_SINGLE: usize = 32;

/// Nothing, either half, and all but one: shorter sequences, the shortest first.
pub(super) fn shorter<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return Vec::new();
    }
    let mut all = vec![Vec::new()];
    if items.len() > 1 {
        let (first, second) = items.split_at(items.len() / 2);
        all.extend([first.to_vec(), second.to_vec()]);
    }
    let without = |place: usize| [&items[..place], &items[place + 1..]].concat();
    if items.len() > 2 {
        // Of a long one the ends only, so that a part which halves would cut through is still found.
        let places: Vec<usize> =
            if items.len() <= MOST_SINGLE { (0..items.len()).collect() } else { vec![0, items.len() - 1] };
        all.extend(places.into_iter().map(without));
    }
    all
}

/// As long, with one item replaced by each of what `change` makes of it.
pub(super) fn changed_one<T: Clone>(items: &[T], change: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let replaced = |place: usize, item: T| {
        let mut list = items.to_vec();
        list[place] = item;
        list
    };
    let places = items.iter().enumerate().take(MOST_SINGLE);
    places.flat_map(|(place, item)| change(item).into_iter().map(move |item| replaced(place, item))).collect()
}
