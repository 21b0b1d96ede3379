//! Code that `bench`, `ceiling` and `check` share: starting a project's rows, requests, comparing answers, and the
//! folder of the reports.

mod bench;
mod format;
mod in_process;
mod method;
mod output;
mod watcher;

use self::format::CallsExporter;
pub(crate) use self::{
    bench::{Bench, command_line, load_threads, not_measured, open_enough, seed},
    format::{Format, Shown, show},
    in_process::InProcess,
    method::{Method, Tiers},
    output::{Output, read as read_report},
    watcher::Watcher,
};
pub(crate) use tierup_codegen::quoted;
pub(crate) use tierup_rows::{Choice, ProjectRows};
