//! Maps values to places on a drawing, and chooses the ticks of an axis.

/// A range of values, mapped to a range of places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    kind: Kind,
    low: f64,
    high: f64,
    first: f64,
    last: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Linear,
    Logarithmic,
}

impl Scale {
    /// Maps values from zero to `high` to the range between two places.
    pub(super) fn linear(high: f64, (first, last): (f64, f64)) -> Scale {
        let high = if high.is_finite() && high > 0.0 { high } else { 1.0 };
        Scale { kind: Kind::Linear, low: 0.0, high, first, last }
    }

    /// Maps positive values to the range between two places, logarithmically.
    pub(super) fn logarithmic((low, high): (f64, f64), (first, last): (f64, f64)) -> Scale {
        let sound = low.is_finite() && high.is_finite() && low > 0.0 && high >= low;
        let (low, high) = if sound { (low, high) } else { (1.0, 10.0) };
        // An empty range would divide by zero.
        let (low, high) = if high / low < 1.02 { (low / 1.05, high * 1.05) } else { (low, high) };
        Scale { kind: Kind::Logarithmic, low, high, first, last }
    }

    /// The place of a value. A value outside the range is at the nearer end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = match self.kind {
            Kind::Linear => (value - self.low) / (self.high - self.low),
            Kind::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        self.first + share * (self.last - self.first)
    }

    /// At most `most` round values within the range.
    pub(super) fn ticks(&self, most: usize) -> Vec<f64> {
        if self.kind == Kind::Logarithmic {
            let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
            for steps in [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]] {
                let all = decades.clone().flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)));
                let ticks: Vec<_> = all.filter(|tick| (self.low..=self.high).contains(tick)).collect();
                if (3..=most).contains(&ticks.len()) {
                    return ticks;
                }
            }
            let every = (self.high / self.low).log10() / most as f64;
            if every > 0.5 {
                let every = every.ceil() as usize;
                let ticks = decades.step_by(every).map(|decade| 10_f64.powi(decade));
                return ticks.filter(|tick| (self.low..=self.high).contains(tick)).collect();
            }
        }
        self.even_ticks(most)
    }

    fn even_ticks(&self, most: usize) -> Vec<f64> {
        let rough = (self.high - self.low) / most.max(1) as f64;
        let decade = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|step| step * decade).find(|step| *step >= rough);
        let step = step.unwrap_or(10.0 * decade);
        let first = (self.low / step).ceil() as i64;
        (first..).map(|index| index as f64 * step).take_while(|tick| *tick <= self.high * 1.000_001).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_mapped_to_places() {
        let linear = Scale::linear(200.0, (100.0, 0.0));
        assert_eq!([0.0, 50.0, 200.0, 900.0].map(|value| linear.at(value)), [100.0, 75.0, 0.0, 0.0]);
        let logarithmic = Scale::logarithmic((0.1, 1000.0), (0.0, 100.0));
        assert_eq!([0.1, 10.0, 1000.0, 0.0].map(|value| logarithmic.at(value).round()), [0.0, 50.0, 100.0, 0.0]);
        // No value, not even NaN or infinity, leads to a place that cannot be drawn.
        for scale in [Scale::linear(f64::NAN, (0.0, 9.0)), Scale::logarithmic((0.0, f64::INFINITY), (0.0, 9.0))] {
            assert!(scale.at(f64::NAN).is_finite());
        }
        assert!(Scale::logarithmic((5.0, 5.0), (0.0, 9.0)).at(5.0).is_finite());
    }

    #[test]
    fn ticks_are_round_and_few() {
        let logarithmic = |low, high| Scale::logarithmic((low, high), (0.0, 1.0)).ticks(7);
        assert_eq!(logarithmic(0.4, 60.0), [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]);
        assert_eq!(logarithmic(0.4, 600.0), [1.0, 3.0, 10.0, 30.0, 100.0, 300.0]);
        assert_eq!(logarithmic(0.9, 1e12), [10.0, 1e3, 1e5, 1e7, 1e9, 1e11]);
        assert_eq!(logarithmic(100.0, 130.0), [100.0, 105.0, 110.0, 115.0, 120.0, 125.0, 130.0]);
        assert_eq!(Scale::linear(318.0, (0.0, 1.0)).ticks(7), [0.0, 50.0, 100.0, 150.0, 200.0, 250.0, 300.0]);
    }
}
