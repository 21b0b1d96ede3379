//! Days and times from milliseconds and back: the proleptic Gregorian calendar, without leap seconds.
//! The arithmetic is Howard Hinnant's, "chrono-Compatible Low-Level Date Algorithms" (2013).

/// A point in time, and how far the local clock is from UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub unix_milliseconds: i64,
    /// The offset that `{{$localDatetime}}` adds, in minutes; east of Greenwich is positive.
    pub utc_offset_minutes: i32,
}

/// A point in time as a wall clock and a calendar show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Civil {
    pub(crate) year: i64,
    /// 1 to 12.
    pub(crate) month: i64,
    /// 1 to 31.
    pub(crate) day: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
    pub(crate) millisecond: i64,
}

pub(crate) const DAY: i64 = 86_400_000;

impl Civil {
    /// Of any number of milliseconds since 1970.
    pub(crate) fn from_milliseconds(milliseconds: i64) -> Civil {
        let days = milliseconds.div_euclid(DAY);
        let rest = milliseconds.rem_euclid(DAY);
        // Counted from March 1st of year 0, so that the leap day is the last of its year; eras of 400 years repeat.
        let days = days + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        Civil {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month,
            day: day_of_year - (153 * month_from_march + 2) / 5 + 1,
            hour: rest / 3_600_000,
            minute: rest / 60_000 % 60,
            second: rest / 1000 % 60,
            millisecond: rest % 1000,
        }
    }

    /// Milliseconds since 1970. The year must be within ±9999.
    pub(crate) fn milliseconds(&self) -> i64 {
        let time = ((self.hour * 60 + self.minute) * 60 + self.second) * 1000 + self.millisecond;
        days(self.year, self.month, self.day) * DAY + time
    }

    /// From 1.
    pub(crate) fn day_of_year(&self) -> i64 {
        days(self.year, self.month, self.day) - days(self.year, 1, 1) + 1
    }

    /// 0 is Sunday.
    pub(crate) fn weekday(&self) -> i64 {
        (days(self.year, self.month, self.day) + 4).rem_euclid(7)
    }

    /// The same day of another month, or that month's last day. `None` outside the years 0 to 9999.
    pub(crate) fn plus_months(self, months: i64) -> Option<Civil> {
        let month = (self.year * 12 + self.month - 1).checked_add(months)?;
        let (year, month) = (month.div_euclid(12), month.rem_euclid(12) + 1);
        if !(0..=9999).contains(&year) {
            return None;
        }
        let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
        let length = days(next_year, next_month, 1) - days(year, month, 1);
        Some(Civil { year, month, day: self.day.min(length), ..self })
    }
}

/// Days since 1970-01-01.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn days_that_are_known() {
        let date = |milliseconds| {
            let civil = Civil::from_milliseconds(milliseconds);
            (civil.year, civil.month, civil.day, civil.hour, civil.minute, civil.second, civil.weekday())
        };
        assert_eq!(date(0), (1970, 1, 1, 0, 0, 0, 4));
        assert_eq!(date(951_782_400_000), (2000, 2, 29, 0, 0, 0, 2));
        assert_eq!(date(-1), (1969, 12, 31, 23, 59, 59, 3));
        // RFC 3339's own example, section 5.8.
        assert_eq!(date(482_196_050_520), (1985, 4, 12, 23, 20, 50, 5));
    }

    #[test]
    fn the_last_day_of_a_shorter_month() {
        let january = Civil::from_milliseconds(951_782_400_000).plus_months(-1).unwrap();
        assert_eq!((january.year, january.month, january.day), (2000, 1, 29));
        let end = Civil { day: 31, ..january };
        assert_eq!(end.plus_months(1).map(|civil| (civil.month, civil.day)), Some((2, 29)));
        assert_eq!(end.plus_months(13).map(|civil| (civil.year, civil.month, civil.day)), Some((2001, 2, 28)));
        assert_eq!(end.plus_months(i64::MAX), None);
        assert_eq!(end.day_of_year(), 31);
    }

    proptest! {
        #[test]
        fn there_and_back(milliseconds in -62_000_000_000_000i64..253_000_000_000_000) {
            let civil = Civil::from_milliseconds(milliseconds);
            prop_assert_eq!(civil.milliseconds(), milliseconds);
            let next = Civil::from_milliseconds(milliseconds + DAY);
            prop_assert_eq!(next.weekday(), (civil.weekday() + 1) % 7);
            prop_assert!((1..=12).contains(&civil.month) && (1..=31).contains(&civil.day));
        }
    }
}
