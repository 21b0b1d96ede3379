//! `[bench.cost]`: the user's peak and prices, from which a report says what each row costs a month.

use tierup_diagnostic::Diagnostic;
use toml::de::DeValue;

use crate::document::{Document, Table};

/// `[bench.cost]`.
#[derive(Debug, Clone, PartialEq)]
pub struct Cost {
    /// Requests a second at the peak.
    pub peak: f64,
    /// The price of a vCPU for an hour, in `currency`.
    pub vcpu_hour: f64,
    /// The price of a GiB of memory for an hour.
    pub gib_hour: f64,
    /// The unit beside an amount, e.g. `EUR`.
    pub currency: String,
    /// The share of its vCPUs that a pod should use at the peak, above 0 and up to 1.
    pub utilisation: f64,
    /// The size of a pod.
    pub pod_vcpus: f64,
    pub pod_gib: f64,
    /// The smallest number of servers.
    pub least_pods: u32,
}

/// The default: autoscalers usually aim at about this.
const UTILISATION: f64 = 0.6;
/// The default: if one server is lost or replaced, another one must be there.
const LEAST_PODS: u32 = 2;

pub(super) fn read(table: &Table<'_>, document: &Document) -> Option<Cost> {
    let number = |key: &'static str, wanted: &str, fits: fn(f64) -> bool| -> Option<f64> {
        let value = table.value(key)?;
        let number = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse::<f64>().ok(),
            DeValue::Float(number) => number.as_str().parse::<f64>().ok(),
            _ => None,
        };
        let number = number.filter(|number| number.is_finite() && fits(*number));
        if number.is_none() {
            let problem = Diagnostic::new(format!("`{key}` must be {wanted}"));
            document.add(problem.at(table.place(key)));
        }
        number
    };
    let above_zero = |key| number(key, "a number above 0", |number| number > 0.0);
    let price = |key| number(key, "a price of 0 or more, per hour", |number| number >= 0.0);
    let peak = above_zero("peak");
    let (vcpu_hour, gib_hour) = (price("vcpu_hour"), price("gib_hour"));
    let currency = table.text("currency");
    let (pod_vcpus, pod_gib) = (above_zero("pod_vcpus"), above_zero("pod_gib"));
    let utilisation =
        number("utilisation", "a share above 0 and up to 1, e.g. 0.6", |share| share > 0.0 && share <= 1.0);
    let least = |number: f64| number.fract() == 0.0 && (1.0..=100_000.0).contains(&number);
    let least_pods = number("least_pods", "a whole number from 1 to 100,000", least);
    for key in ["peak", "vcpu_hour", "gib_hour", "currency", "pod_vcpus", "pod_gib"] {
        table.require(key);
    }
    if let Some(text) = currency.as_ref().filter(|text| text.value.trim().is_empty()) {
        let problem = Diagnostic::new("`currency` is empty").at(document.place(&text.span));
        document.add(problem.hint("name the currency of the prices, e.g. \"EUR\""));
    }
    if let (Some(0.0), Some(0.0)) = (vcpu_hour, gib_hour) {
        let problem = Diagnostic::new("`vcpu_hour` and `gib_hour` are both 0: there is nothing to pay");
        document.add(problem.at(table.place("vcpu_hour")));
    }
    Some(Cost {
        peak: peak?,
        vcpu_hour: vcpu_hour?,
        gib_hour: gib_hour?,
        currency: currency?.value.trim().to_owned(),
        utilisation: utilisation.unwrap_or(UTILISATION),
        pod_vcpus: pod_vcpus?,
        pod_gib: pod_gib?,
        least_pods: least_pods.map_or(LEAST_PODS, |least| least as u32),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(more: &str) -> Option<Cost> {
        let needed =
            "peak = 2000\nvcpu_hour = 0.04\ngib_hour = 5e-3\ncurrency = \"EUR\"\npod_vcpus = 1\npod_gib = 0.5\n";
        let document = Document::new("tierup.toml".to_owned(), format!("{needed}{more}"));
        let parsed = document.parse().unwrap();
        let cost = read(&document.only(&parsed, "bench.cost"), &document);
        document.result().unwrap();
        cost
    }

    #[test]
    fn optional_keys_have_the_usual_values() {
        let expected = Cost {
            peak: 2000.0,
            vcpu_hour: 0.04,
            gib_hour: 0.005,
            currency: "EUR".to_owned(),
            utilisation: 0.6,
            pod_vcpus: 1.0,
            pod_gib: 0.5,
            least_pods: 2,
        };
        assert_eq!(check(""), Some(expected.clone()));
        assert_eq!(
            check("utilisation = 1\nleast_pods = 6\n"),
            Some(Cost { utilisation: 1.0, least_pods: 6, ..expected })
        );
    }
}
