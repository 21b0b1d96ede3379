//! A report for scripts: the record with everything derived from it, so that scripts need not repeat the statistics.
//! In: a record and its analysis or figures. Out: JSON.

use serde::Serialize;
use serde_json::Value;
use tierup_report::{Exporter, Json, json::pretty};

use super::{CallsReport, RunReport, SideBySide};

impl Exporter<RunReport<'_>> for Json {
    fn export(&self, run: &RunReport<'_>) -> String {
        pretty(&with_analysis(run))
    }
}

impl Exporter<SideBySide<'_>> for Json {
    fn export(&self, several: &SideBySide<'_>) -> String {
        pretty(&several.runs.iter().map(with_analysis).collect::<Value>())
    }
}

impl Exporter<CallsReport<'_>> for Json {
    /// Writes one line, as an indented report with an entry for each slice would be very long.
    fn export(&self, calls: &CallsReport<'_>) -> String {
        with(calls.record, "figures", calls.figures).to_string() + "\n"
    }
}

fn with_analysis(run: &RunReport<'_>) -> Value {
    with(run.record, "analysis", run.analysis)
}

/// A record as JSON, with the derived values under `name`.
fn with(record: &impl Serialize, name: &str, derived: &impl Serialize) -> Value {
    let mut value = serde_json::to_value(record).unwrap_or_default();
    if let (Some(object), Ok(derived)) = (value.as_object_mut(), serde_json::to_value(derived)) {
        object.insert(name.to_owned(), derived);
    }
    value
}
