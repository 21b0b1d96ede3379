//! What `bench`, `ceiling` and `check` share: rows of a project as servers to start, requests, comparing answers, and
//! where reports go.

mod bench;
mod comparison;
mod format;
mod in_process;
mod meanings;
mod method;
mod output;
mod project_rows;
mod reference;
mod requests;
mod standing;
mod started;
mod watcher;

use self::format::CallsExporter;
pub(crate) use self::{
    bench::{Bench, command_line, quoted, seed},
    comparison::Comparison,
    format::{Format, Shown},
    in_process::InProcess,
    meanings::Meanings,
    method::{Method, Tiers, duration, positive, threshold},
    output::{Output, read as read_report},
    project_rows::{Choice, ProjectRows},
    requests::{Source, requests},
    standing::{addresses, standing_rows},
    watcher::Watcher,
};
