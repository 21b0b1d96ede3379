//! The rows of a project that are called through a driver, without a server, each of them built.

use tierup_codegen::{Host, Row, Tier, Variant, Wrapping};
use tierup_diagnostic::{Failure, Result};
use tierup_runner::Observer;

use crate::{
    Choice, ProjectRows, build_server, reference,
    rows::{Possible, build_possible, build_row},
};

/// A row of a host's driver.
pub struct CalledRow {
    pub host: &'static dyn Host,
    /// Its name where there are several hosts.
    pub group: &'static str,
    pub row: Row,
    pub is_reference: bool,
}

/// The rows, and notes for people about what was left out.
///
/// # Errors
/// Where a row that the user named, or the reference, cannot be had.
pub fn called_rows(wanted: &ProjectRows, observer: &mut dyn Observer) -> Result<(Vec<CalledRow>, Vec<String>)> {
    let ProjectRows { loaded, hosts, choice, reference } = wanted;
    let mut notes = Vec::new();
    let mut all = Vec::new();
    for host in hosts {
        let Some(settings) = loaded.host(host.name()) else { continue };
        let rows = match choice {
            Choice::These(rows) => {
                let one =
                    |row| in_process(row).and_then(|row| build_row(loaded, *host, settings, row.clone(), observer));
                let rows = rows.iter().map(one).collect::<Result<Vec<_>>>()?;
                build_server(loaded, settings, observer)?;
                rows
            }
            Choice::Default | Choice::All => {
                let mut rows: Vec<Row> =
                    settings.baselines.iter().map(|(label, _)| Row::Baseline(label.clone())).collect();
                let called: Vec<Variant> =
                    Variant::ALL.into_iter().filter(|variant| *variant != Variant::Server).collect();
                let Possible { built, left_out } = build_possible(loaded, *host, settings, &called, observer)?;
                rows.extend(built.into_iter().map(Row::Variant));
                notes.extend(left_out.iter().map(|(variant, reason)| format!("skipping {variant}: {reason}")));
                rows
            }
        };
        // A project without a baseline has nothing of its own to compare with.
        let must_have = !settings.baselines.is_empty() || *reference != Row::Baseline(None);
        let place = rows.iter().position(|row| reference::is(reference, row));
        if must_have && place.is_none() {
            return Err(reference::missing(reference, *host, &rows));
        }
        let group = if hosts.len() > 1 { host.name() } else { "" };
        let rows = rows.into_iter().enumerate();
        all.extend(rows.map(|(index, row)| CalledRow { host: *host, group, row, is_reference: place == Some(index) }));
    }
    if all.is_empty() {
        return Err(Failure::usage("there is nothing to call").hint("`tierup hosts` says what each host can do".into()));
    }
    Ok((all, notes))
}

/// Refuses rows that no driver calls.
fn in_process(row: &Row) -> Result<&Row> {
    match row {
        Row::Tier(Tier::Server) | Row::Variant(Variant::Server) => {
            Err(Failure::usage(format!("{row} is a separate server: no host calls the function there"))
                .hint("leave out --in-process to measure servers".into()))
        }
        Row::Alternative(..) => Err(Failure::usage(format!(
            "{row} is not timed in-process: the row `rust`, which a crossing is compared with, calls the exported function"
        ))
        .hint("leave out --in-process to measure servers".into())),
        Row::Wrapped(Wrapping::Memo) => Err(Failure::usage(
            "0:memo would answer every timed call from its cache, because a call is repeated to be timed",
        )
        .hint("leave out --in-process to measure servers".into())),
        _ => Ok(row),
    }
}
