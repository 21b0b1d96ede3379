//! `[bench]`: how to measure a project.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use tierup_diagnostic::Diagnostic;
use toml::de::DeValue;

use crate::{
    Cost, cost,
    document::{Document, Table, finished},
    quantities::{duration, not_negative, positive, skew, threshold},
};

/// `[bench]`. Flags of the command line override it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BenchSettings {
    pub requests: Option<PathBuf>,
    pub duration: Option<Duration>,
    pub blocks: Option<u16>,
    pub connections: Option<u16>,
    pub rate: Option<f64>,
    pub timeout: Option<Duration>,
    pub threshold: Option<f64>,
    /// The cost of a step up the ladder, in cores.
    pub step_cores: Option<f64>,
    /// The exponent by which requests are drawn, see [`tierup_requests::Set::skewed`].
    pub skew: Option<f64>,
    /// `[bench.cost]`
    pub cost: Option<Cost>,
}

/// Reads `[bench]` of a project in `folder`.
pub(crate) fn read(table: &Table<'_>, document: &Document, folder: &Path) -> BenchSettings {
    let number = |key: &'static str, range: std::ops::RangeInclusive<u16>| -> Option<u16> {
        let value = table.value(key)?;
        let number = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse::<u16>().ok().filter(|number| range.contains(number)),
            _ => None,
        };
        if number.is_none() {
            let wanted = format!("a whole number from {} to {}", range.start(), range.end());
            document.add(Diagnostic::new(format!("`{key}` is {wanted}")).at(table.place(key)));
        }
        number
    };
    let decimal = |key: &'static str, read: fn(&str) -> Result<f64, String>| -> Option<f64> {
        let value = table.value(key)?;
        let text = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().to_owned(),
            DeValue::Float(number) => number.as_str().to_owned(),
            _ => String::new(),
        };
        read_or_refuse(read(&text), key, table, document)
    };
    let time = |key: &'static str| -> Option<Duration> {
        let text = table.text(key)?;
        read_or_refuse(duration(&text.value), key, table, document)
    };
    BenchSettings {
        requests: table.text("requests").map(|text| folder.join(text.value)),
        duration: time("duration"),
        blocks: number("blocks", 2..=100),
        connections: number("connections", 1..=u16::MAX),
        rate: decimal("rate", positive),
        timeout: time("timeout"),
        threshold: decimal("threshold", threshold),
        step_cores: decimal("step_cores", not_negative),
        skew: decimal("skew", skew),
        cost: table.table("cost").and_then(|table| finished(&table, |table| cost::read(table, document))),
    }
}

fn read_or_refuse<T>(read: Result<T, String>, key: &str, table: &Table<'_>, document: &Document) -> Option<T> {
    read.map_err(|why| document.add(Diagnostic::new(format!("`{key}`: {why}")).at(table.place(key)))).ok()
}
