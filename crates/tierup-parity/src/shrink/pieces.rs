//! Sequences of anything, made shorter or smaller in one place.

/// In sequences longer than this, not every item is tried by itself: halves come first and soon make it shorter.
const MOST_SINGLE: usize = 32;

/// Shorter sequences, the shortest first: the empty one, either half, and all but one item.
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
        // From a long sequence, only the first or last item is removed. It still finds a part that halves cut through.
        let places: Vec<usize> =
            if items.len() <= MOST_SINGLE { (0..items.len()).collect() } else { vec![0, items.len() - 1] };
        all.extend(places.into_iter().map(without));
    }
    all
}

/// Sequences of the same length, with one item replaced by each result of `change` for it.
pub(super) fn changed_one<T: Clone>(items: &[T], change: impl Fn(&T) -> Vec<T>) -> Vec<Vec<T>> {
    let replaced = |place: usize, item: T| {
        let mut list = items.to_vec();
        list[place] = item;
        list
    };
    let places = items.iter().enumerate().take(MOST_SINGLE);
    places.flat_map(|(place, item)| change(item).into_iter().map(move |item| replaced(place, item))).collect()
}
