//! Running servers, as the rows of a benchmark or the two sides of a check.

use tierup_bench::{
    plan::PlannedRow,
    record::{Role, RowRecord},
};
use tierup_diagnostic::{Failure, Result};
use tierup_subject::{Standing, Unreachable};

/// Rows for one or two running servers, and the path and query of the first address.
///
/// # Errors
/// No server listens at an address, or the addresses have different paths.
pub fn standing_rows(
    url: &str,
    pid: Option<u32>,
    vs: Option<&str>,
    vs_pid: Option<u32>,
) -> Result<(Vec<PlannedRow>, String)> {
    let (reference, target) = Standing::at(url).map_err(unreachable)?;
    let mut rows = vec![row(url, reference.with_process(pid).map_err(unreachable)?, Role::Reference)];
    if let Some(vs) = vs {
        let (label, candidate) = other(url, vs, &target)?;
        rows.push(row(&label, candidate.with_process(vs_pid).map_err(unreachable)?, Role::Candidate));
    }
    Ok((rows, target))
}

/// A server with its label.
pub type Labelled = (String, Standing);

/// Two running servers, and the path and query of the first address.
///
/// # Errors
/// As [`standing_rows`].
pub fn addresses(url: &str, vs: &str) -> Result<(Labelled, Labelled, String)> {
    let (control, target) = Standing::at(url).map_err(unreachable)?;
    let candidate = other(url, vs, &target)?;
    Ok(((url.to_owned(), control), candidate, target))
}

fn other(url: &str, vs: &str, target: &str) -> Result<Labelled> {
    let (candidate, its_target) = Standing::at(vs).map_err(unreachable)?;
    if its_target != "/" && its_target != target {
        return Err(Failure::usage(format!("--url and --vs must have the same path, not {target} and {its_target}"))
            .hint("give the path once, with --url, or use --requests"));
    }
    // The same address twice tests the method, which must find no difference.
    let label = if vs == url { format!("{vs} (again)") } else { vs.to_owned() };
    Ok((label, candidate))
}

fn row(label: &str, subject: Standing, role: Role) -> PlannedRow {
    PlannedRow { row: RowRecord::new(label, "", role), subject: Box::new(subject), reuse: None }
}

fn unreachable(error: Unreachable) -> Failure {
    Failure::usage(error.to_string()).maybe_hint(error.hint())
}
