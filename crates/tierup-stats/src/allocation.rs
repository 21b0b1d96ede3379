//! Divides the remaining time among the rows. In: how well each row is known and its cost to measure. Out: its share of
//! the time.
//!
//! Time is worth most where intervals are wide and slices are short. Neyman, "On the two different aspects of the
//! representative method" (1934), with costs (Cochran, "Sampling Techniques", 1977, section 5.5): the sum of the
//! squared half-widths becomes least when the number of repetitions is proportional to deviation / √cost. The time
//! already spent counts, so a row that is known well enough gets its floor only.

use crate::error::{Error, above_zero};

/// The progress of a row so far.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Half the width of its interval as a share of its value, as
    /// [`Ratio::relative_half_width`](crate::Ratio::relative_half_width) returns it. `None` while there is no interval:
    /// the row then counts as wide as the widest other row.
    pub relative_half_width: Option<f64>,
    /// How many slices the interval rests on.
    pub slices: u32,
    /// The time for one more slice, in seconds, start and warm-up included.
    pub seconds_per_slice: f64,
}

/// The share of the remaining time that each row should get, in the order of `rows`; the shares add up to 1.
///
/// `floor` is the part of an equal share that every row gets in any case, 0..=1: with 0.5 and five rows, no row gets
/// less than a tenth. Without a floor, a row whose interval is narrow by accident would never be measured again.
///
/// # Errors
/// No rows; remaining seconds or seconds per slice that are not above 0; half-widths that are negative or not finite; a
/// floor outside 0..=1.
pub fn share_of_time(rows: &[Progress], remaining_seconds: f64, floor: f64) -> Result<Vec<f64>, Error> {
    check(rows, remaining_seconds, floor)?;
    let least_seconds = floor * remaining_seconds / rows.len() as f64;
    let widest = rows.iter().filter_map(|row| row.relative_half_width).reduce(f64::max).unwrap_or(1.0);
    let needs: Vec<Need> = rows.iter().map(|row| Need::of(row, widest)).collect();

    // Rows that would get less than the floor get the floor, and the others share the rest. That may push further rows
    // below the floor, so this repeats. Each round settles at least one row.
    let mut at_floor = vec![false; rows.len()];
    loop {
        let seconds = divide(&needs, &at_floor, remaining_seconds, least_seconds);
        let below: Vec<usize> =
            (0..rows.len()).filter(|row| !at_floor[*row] && seconds[*row] < least_seconds).collect();
        if below.is_empty() {
            return Ok(seconds.iter().map(|seconds| seconds / remaining_seconds).collect());
        }
        below.into_iter().for_each(|row| at_floor[row] = true);
    }
}

/// A row's claim on the whole time, past and future.
struct Need {
    /// Proportional to the best total time: deviation · √cost, where the deviation of one slice is half-width ·
    /// √slices.
    weight: f64,
    spent_seconds: f64,
}

impl Need {
    fn of(row: &Progress, widest: f64) -> Self {
        let slices = f64::from(row.slices);
        let half_width = row.relative_half_width.unwrap_or(widest);
        Need {
            weight: half_width * (slices.max(1.0) * row.seconds_per_slice).sqrt(),
            spent_seconds: slices * row.seconds_per_slice,
        }
    }
}

/// Seconds for each row. Rows at the floor get the floor. Each other row gets the time that brings its total, including
/// the time already spent, into proportion with its weight. That can be negative for a row that has had more than its
/// share.
fn divide(needs: &[Need], at_floor: &[bool], remaining_seconds: f64, least_seconds: f64) -> Vec<f64> {
    let open: Vec<&Need> =
        needs.iter().zip(at_floor).filter(|(_, at_floor)| !**at_floor).map(|(need, _)| need).collect();
    let left = remaining_seconds - least_seconds * (needs.len() - open.len()) as f64;
    let weights: f64 = open.iter().map(|need| need.weight).sum();
    let total = left + open.iter().map(|need| need.spent_seconds).sum::<f64>();
    let seconds = |need: &Need| {
        if weights > 0.0 {
            total * need.weight / weights - need.spent_seconds
        } else {
            // All rows are known exactly: there is no reason to prefer any.
            left / open.len() as f64
        }
    };
    needs.iter().zip(at_floor).map(|(need, at_floor)| if *at_floor { least_seconds } else { seconds(need) }).collect()
}

fn check(rows: &[Progress], remaining_seconds: f64, floor: f64) -> Result<(), Error> {
    if rows.is_empty() {
        return Err(Error::Empty);
    }
    if !(0.0..=1.0).contains(&floor) {
        return Err(Error::Floor(floor));
    }
    above_zero("the remaining time in seconds", remaining_seconds)?;
    for (place, row) in rows.iter().enumerate() {
        above_zero("a row's time per slice in seconds", row.seconds_per_slice)?;
        if let Some(value) = row.relative_half_width.filter(|width| !(width.is_finite() && *width >= 0.0)) {
            return Err(Error::HalfWidth { place, value });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(relative_half_width: f64, slices: u32, seconds_per_slice: f64) -> Progress {
        Progress { relative_half_width: Some(relative_half_width), slices, seconds_per_slice }
    }

    fn check_shares(rows: &[Progress], remaining_seconds: f64, floor: f64, expected: &[f64]) {
        let found = share_of_time(rows, remaining_seconds, floor).unwrap();
        let close = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9);
        assert!(close && found.len() == expected.len(), "{found:?}, not {expected:?}");
    }

    #[test]
    fn equal_rows_share_equally() {
        check_shares(&[row(0.05, 10, 1.0); 4], 60.0, 0.5, &[0.25; 4]);
        check_shares(&[row(0.0, 10, 1.0); 4], 60.0, 0.0, &[0.25; 4]);
    }

    #[test]
    fn time_goes_where_intervals_are_wide() {
        // 20 + 20 seconds divided 3 : 1 are 30 and 10; each row has already had 10.
        check_shares(&[row(0.03, 10, 1.0), row(0.01, 10, 1.0)], 20.0, 0.0, &[1.0, 0.0]);
        // 20 + 40 seconds divided 3 : 1 are 45 and 15, so 35 and 5 more.
        check_shares(&[row(0.03, 10, 1.0), row(0.01, 10, 1.0)], 40.0, 0.0, &[35.0 / 40.0, 5.0 / 40.0]);
    }

    #[test]
    fn every_row_gets_its_floor() {
        check_shares(&[row(0.30, 10, 1.0), row(0.01, 10, 1.0)], 20.0, 0.5, &[0.75, 0.25]);
        check_shares(&[row(0.30, 10, 1.0), row(0.01, 10, 1.0)], 20.0, 1.0, &[0.5, 0.5]);
    }

    #[test]
    fn a_row_without_an_interval_counts_as_the_widest() {
        let unknown = Progress { relative_half_width: None, slices: 10, seconds_per_slice: 1.0 };
        check_shares(&[row(0.1, 10, 1.0), unknown], 20.0, 0.0, &[0.5, 0.5]);
        check_shares(&[unknown, unknown], 20.0, 0.0, &[0.5, 0.5]);
    }

    #[test]
    fn invalid_numbers_are_refused_with_a_reason() {
        let words = |rows: &[Progress], floor| share_of_time(rows, 60.0, floor).unwrap_err().to_string();
        assert_eq!(words(&[], 0.5), "there are no values to compute from");
        assert_eq!(words(&[row(0.1, 1, 0.0)], 0.5), "a row's time per slice in seconds is 0, and must be above 0");
        assert_eq!(
            words(&[row(-0.1, 1, 1.0)], 0.5),
            "row 0 (counted from 0) has the half-width -0.1, and must have a finite one, 0 or above"
        );
        assert_eq!(words(&[row(0.1, 1, 1.0)], 2.0), "a floor is a part of an equal share, 0 to 1, and this is 2");
    }

    fn rows() -> impl Strategy<Value = Vec<Progress>> {
        let width = prop_oneof![3 => (0.0..0.5).prop_map(Some), 1 => Just(None)];
        let one = (width, 0u32..50, 0.01..10.0).prop_map(|(relative_half_width, slices, seconds_per_slice)| Progress {
            relative_half_width,
            slices,
            seconds_per_slice,
        });
        prop::collection::vec(one, 1..9)
    }

    /// The function to minimize: the sum of the squared half-widths once the remaining time is spent.
    fn expected_squares(rows: &[Progress], seconds: &[f64]) -> f64 {
        let square = |row: &Progress, seconds: f64| {
            let slices = f64::from(row.slices);
            row.relative_half_width.unwrap().powi(2) * slices / (slices + seconds / row.seconds_per_slice)
        };
        rows.iter().zip(seconds).map(|(row, seconds)| square(row, *seconds)).sum()
    }

    proptest! {
        #[test]
        fn shares_add_up_and_keep_the_floor(rows in rows(), remaining in 1.0..600.0, floor in 0.0..=1.0) {
            let shares = share_of_time(&rows, remaining, floor).unwrap();
            prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(shares.iter().all(|share| *share >= floor / rows.len() as f64 - 1e-9));
        }

        #[test]
        fn no_other_division_is_better(
            rows in prop::collection::vec((0.001..0.5, 1u32..50, 0.01..10.0), 2..6),
            remaining in 1.0..600.0,
            moved in 0.001..0.2f64,
        ) {
            let rows: Vec<Progress> = rows.into_iter().map(|(width, slices, cost)| row(width, slices, cost)).collect();
            let shares = share_of_time(&rows, remaining, 0.0).unwrap();
            let best: Vec<f64> = shares.iter().map(|share| share * remaining).collect();
            for (from, to) in (0..rows.len()).flat_map(|from| (0..rows.len()).map(move |to| (from, to))) {
                let mut other = best.clone();
                let amount = (moved * remaining).min(other[from]);
                other[from] -= amount;
                other[to] += amount;
                prop_assert!(expected_squares(&rows, &best) <= expected_squares(&rows, &other) * (1.0 + 1e-9));
            }
        }
    }
}
