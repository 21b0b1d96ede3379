//! Offsets from the current time, such as `-3 d`.

use jiff::{ToSpan as _, tz::Offset};

use crate::{Moment, datetime::civil};

const DAY: i64 = 86_400_000;

/// A distance in time. Months are counted separately, as they differ in length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shift {
    milliseconds: i64,
    months: i64,
}

impl Shift {
    /// `None` for an unknown unit, or a distance beyond all calendars.
    pub(crate) fn new(amount: i64, unit: &str) -> Option<Shift> {
        let (milliseconds, months) = match unit {
            "y" => (0, 12),
            "Q" => (0, 3),
            "M" => (0, 1),
            "w" => (7 * DAY, 0),
            "d" => (DAY, 0),
            "h" => (3_600_000, 0),
            "m" => (60_000, 0),
            "s" => (1000, 0),
            "ms" => (1, 0),
            _ => return None,
        };
        Some(Shift { milliseconds: amount.checked_mul(milliseconds)?, months: amount.checked_mul(months)? })
    }

    /// Milliseconds since 1970, or `None` outside the years 0 to 9999.
    pub(crate) fn apply(self, moment: Moment) -> Option<i64> {
        let shifted = moment.unix_milliseconds.checked_add(self.milliseconds)?;
        in_years(shifted)?;
        // The same day of the target month, or that month's last day.
        let months = 0.seconds().try_months(self.months).ok()?;
        let shifted = civil(shifted).checked_add(months).ok()?;
        in_years(Offset::UTC.to_timestamp(shifted).ok()?.as_millisecond())
    }
}

/// The time, if it is within the years 0 to 9999 by at least a day, so that no time zone takes it out of that range.
fn in_years(milliseconds: i64) -> Option<i64> {
    (-62_167_132_800_000..=253_402_214_400_000).contains(&milliseconds).then_some(milliseconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datetime::{Format, Zone};

    /// 2026-11-21T09:04:05.678Z
    const NOW: Moment = Moment { unix_milliseconds: 1_795_251_845_678, utc_offset_minutes: 0 };

    #[test]
    fn offsets() {
        let shown = |amount, unit| {
            let shifted = Shift::new(amount, unit)?.apply(NOW)?;
            Some(Format::Iso8601.show(shifted, Zone::Utc, NOW))
        };
        assert_eq!(shown(-3, "d").as_deref(), Some("2026-11-18T09:04:05.678Z"));
        assert_eq!(shown(1, "Q").as_deref(), Some("2027-02-21T09:04:05.678Z"));
        assert_eq!(shown(1, "y").as_deref(), Some("2027-11-21T09:04:05.678Z"));
        assert_eq!(shown(3, "M").as_deref(), Some("2027-02-21T09:04:05.678Z"));
        assert_eq!(shown(1, "fortnight"), None);
        assert_eq!(shown(i64::MAX, "ms"), None);
        assert_eq!(shown(i64::MIN, "y"), None);
        assert_eq!(shown(9000, "y"), None);
        let end = Moment { unix_milliseconds: 949_276_800_000, ..NOW };
        let leap = Shift::new(1, "M").and_then(|month| month.apply(end));
        assert_eq!(
            leap.map(|at| Format::Iso8601.show(at, Zone::Utc, NOW)).as_deref(),
            Some("2000-02-29T00:00:00.000Z")
        );
    }
}
