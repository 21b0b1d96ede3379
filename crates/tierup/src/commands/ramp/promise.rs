//! The promise of a project's last benchmark. In: its `report.json`, and the candidate's row. Out: the row's processor
//! time per request relative to the reference's.

use tierup_bench::analysis::{Figure, analyse};
use tierup_project::Loaded;
use tierup_ramp::Promised;
use tierup_runner::Observer as _;

use crate::{
    console::Console,
    failure::{Failure, Result},
    measure::read_report,
};

/// `None` without a benchmark, or if it could not tell.
pub(super) fn promised(loaded: &Loaded, row: &str, console: &Console) -> Result<Option<Promised>> {
    let file = loaded.work.join("bench/report.json");
    if !file.exists() {
        // The ramp works without it.
        console
            .note("warning: `--row` says nothing, as there is no benchmark of this project: `tierup bench` makes one");
        return Ok(None);
    }
    let analysis = analyse(&read_report(&file)?);
    let is_meant = |label: &str| label == row || label.split(':').next() == Some(row);
    let Some(index) = analysis.rows.iter().position(|found| is_meant(&found.label)) else {
        let labels: Vec<&str> = analysis.rows.iter().map(|row| row.label.as_str()).collect();
        return Err(Failure::usage(format!("the last benchmark has no row `{row}`"))
            .hint(format!("it has {}", labels.join(", "))));
    };
    let cell = analysis.cell(index, Figure::CpuPerRequest);
    Ok(cell.and_then(|cell| {
        let ((low, high), value) = cell.ratio_interval.zip(cell.ratio)?;
        Some(Promised { low, value, high })
    }))
}
