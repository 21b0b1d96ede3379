//! The cost of each route of a server, as the kernel counts it while only that route is requested. In: CPU per request
//! by block. Out: [`Routes`], and sentences about them. This needs no sensor, so it is exact in every host.

use tierup_report::{numbers, printable};
use tierup_stats::{Confidence, Estimate, mean_estimate};

use crate::{share::Share, words};

/// The counts of one route.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteCounts {
    /// `GET /cart`.
    pub name: String,
    /// Its share of all requests, 0..=1.
    pub requests: f64,
    /// Microseconds of CPU per request of this route, by block.
    pub cpu: Vec<f64>,
}

/// The routes, the most expensive first.
#[derive(Debug, Clone, PartialEq)]
pub struct Routes {
    pub routes: Vec<RouteCost>,
    /// Microseconds of CPU per request that the mix would take if routes did not affect each other.
    expected: f64,
    /// Microseconds of CPU per request of the mix, as measured with all routes together.
    together: f64,
}

/// The cost of a route.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteCost {
    pub name: String,
    /// Its share of all requests, 0..=1.
    pub requests: f64,
    /// Microseconds of CPU per request of this route.
    pub cpu: Estimate,
    /// Its share of the CPU that all routes take in their mix.
    pub share: Share,
}

/// If routes together cost more or less than alone by this factor, they affect each other.
const CHANGE: f64 = 1.25;

impl Routes {
    /// `together` is microseconds of CPU per request in the mix. `None` without counts.
    pub fn new(asked: Vec<RouteCounts>, together: f64) -> Option<Routes> {
        let blocks = asked.iter().map(|route| route.cpu.len()).min()?;
        let of_block = |route: &RouteCounts, block: usize| route.requests * route.cpu[block];
        let whole: Vec<f64> = (0..blocks).map(|block| asked.iter().map(|route| of_block(route, block)).sum()).collect();
        if whole.iter().all(|cpu| *cpu <= 0.0) {
            return None;
        }
        let cost = |route: &RouteCounts| -> Option<RouteCost> {
            let cpu = mean_estimate(&route.cpu[..blocks], Confidence::default()).ok()?;
            let part: Vec<f64> = (0..blocks).map(|block| of_block(route, block)).collect();
            let RouteCounts { name, requests, .. } = route.clone();
            Some(RouteCost { name, requests, cpu, share: Share::new(&part, &whole) })
        };
        let mut routes: Vec<RouteCost> = asked.iter().map(cost).collect::<Option<_>>()?;
        routes.sort_by(|one, other| other.share.value.total_cmp(&one.share.value));
        Some(Routes { routes, expected: whole.iter().sum::<f64>() / blocks as f64, together })
    }

    /// The sentence about the most expensive route, if there are several.
    pub(crate) fn conclusion(&self) -> Option<String> {
        let [first, _, ..] = &self.routes[..] else { return None };
        Some(format!(
            "The hot route is {}: {} of the CPU, for {} of the requests.",
            printable::line(&first.name),
            words::with_interval(first.share),
            words::percent(first.requests),
        ))
    }

    /// How the figures were measured, and whether they agree with the mix.
    pub(crate) fn about(&self) -> String {
        let mut about = "Each route was asked alone, without the profiler; its CPU is the kernel's count.".to_owned();
        let change = self.together / self.expected;
        if !(1.0 / CHANGE..=CHANGE).contains(&change) {
            about += &format!(
                " Together, a request takes {} us instead of {} us: the routes change each other, or the machine was busy.",
                numbers::significant(self.together),
                numbers::significant(self.expected)
            );
        }
        about
    }
}

impl RouteCost {
    /// `123 us [120, 126]`.
    pub(crate) fn microseconds(&self) -> String {
        let ends = self
            .cpu
            .interval
            .map(|ends| format!(" [{}, {}]", numbers::significant(ends.low.max(0.0)), numbers::significant(ends.high)));
        format!("{} us{}", numbers::significant(self.cpu.value), ends.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use tierup_report::{
        Exporter as _, Html, Json, Text,
        text::{Colour, Style},
    };

    use super::*;
    use crate::{FlamePage, Reading, Report, rank};

    fn asked(name: &str, requests: f64, cpu: &[f64]) -> RouteCounts {
        RouteCounts { name: name.to_owned(), requests, cpu: cpu.to_vec() }
    }

    #[test]
    fn a_share_is_of_the_mix() {
        let two = || vec![asked("GET /a", 0.9, &[10.0, 10.0]), asked("GET /b", 0.1, &[270.0, 270.0])];
        let routes = Routes::new(two(), 36.0).unwrap();
        // 0.1 * 270 / (0.9 * 10 + 0.1 * 270) = 75 %.
        assert_eq!(routes.routes[0].name, "GET /b");
        assert!((routes.routes[0].share.value - 0.75).abs() < 1e-12);
        assert_eq!(routes.routes[0].microseconds(), "270 us [270, 270]");
        assert!(!routes.about().contains("Together"));
        let slower = Routes::new(two(), 72.0).unwrap().about();
        assert!(slower.contains("Together, a request takes 72.0 us instead of 36.0 us"), "{slower}");
        assert_eq!(Routes::new(vec![asked("GET /a", 1.0, &[])], 1.0), None);
        assert_eq!(Routes::new(Vec::new(), 1.0), None);
    }

    #[test]
    fn routes_are_in_every_format() {
        let profile = crate::read(b"main;hot 300\n", &Reading::default()).unwrap();
        let ranking = rank(&profile);
        let routes = Routes::new(vec![asked("GET /<b>\u{202e}", 0.5, &[30.0]), asked("GET /a", 0.5, &[10.0])], 20.0);
        let report = Report { title: "shop", ranking: &ranking, next: None, sensed: None, routes: routes.as_ref() };
        let text = Text(Style { width: None, colour: Colour::Plain }).export(&report);
        assert!(
            text.contains("The hot route is GET /<b>\u{fffd}: 75.0 % of the CPU, for 50.0 % of the requests."),
            "{text}"
        );
        assert!(text.contains("50.0 %       30.0 us        75.0 %"), "{text}");
        let page = Html.export(&FlamePage { report, profile: &profile, comparison: None, tierup: "0" });
        assert!(page.contains("The hot route is GET /&#60;b&#62;") && page.contains("30.0 us"), "{page}");
        let json: serde_json::Value = serde_json::from_str(&Json.export(&report)).unwrap();
        assert_eq!(json["routes"][0]["cpu_per_request"]["value"], 30.0, "{json}");
        assert_eq!(json["routes"][0]["of_cpu"]["value"], 0.75, "{json}");
    }
}
