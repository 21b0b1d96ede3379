//! `[host.NAME]`: the server that calls the function, and its baselines.

use std::path::Path;

use tierup_codegen::{Host, HostSettings, InstallBy, Row};
use tierup_diagnostic::{Diagnostic, nearest};
use toml::{Spanned, de::DeValue};

use crate::{
    document::{Document, Table, Text, finished},
    shown,
};

/// All hosts of the project in the folder `project`; `known` are the hosts that it may name.
pub(crate) fn read(
    root: &Table<'_>,
    document: &Document,
    project: &Path,
    known: &[&'static dyn Host],
) -> Vec<(&'static dyn Host, HostSettings)> {
    let Some(table) = root.required_table("host") else { return Vec::new() };
    let mut found = Vec::new();
    for (name, value) in table.entries() {
        let Some(host) = known.iter().copied().find(|host| host.name() == name.value) else {
            let known: Vec<_> = known.iter().map(|host| host.name()).collect();
            let problem = Diagnostic::new(format!("`{}` is not a host", name.value)).at(document.place(&name.span));
            document.add(match nearest(&name.value, known.iter().copied()) {
                Some(near) => problem.hint(format!("did you mean `{near}`?")),
                None => problem.hint(format!("hosts are: {}", known.join(", "))),
            });
            continue;
        };
        let Some(table) = table.table_of(&name.value, value) else { continue };
        if let Some(settings) = finished(&table, |table| settings(table, document, project, host)) {
            found.push((host, settings));
        }
    }
    found
}

fn settings(table: &Table<'_>, document: &Document, project: &Path, host: &dyn Host) -> Option<HostSettings> {
    let prepare = table.texts("prepare");
    let start = table.texts("start");
    let install = install(table, document);
    let folder = table.text("folder");
    let baselines = table.table("baseline").map(|table| baselines(&table, document)).unwrap_or_default();
    for (key, words, example) in
        [("start", &start, r#"["node", "server.js"]"#), ("prepare", &prepare, r#"["go", "build"]"#)]
    {
        if words.as_ref().is_some_and(Vec::is_empty) {
            let problem = Diagnostic::new(format!("`{key}` is empty")).at(table.place(key));
            document.add(problem.hint(format!("write the program and its arguments, e.g. {example}, or leave it out")));
        }
    }
    let folder = match folder {
        Some(text) => project.join(&text.value).components().collect(),
        None => project.join(host.name()),
    };
    if !folder.is_dir() {
        let place = if table.has("folder") { table.place("folder") } else { document.place(&table.span) };
        let problem = Diagnostic::new(format!("there is no folder `{}`", shown(&folder))).at(place);
        document.add(problem.hint(format!("`folder` is the server's folder; by default `{}`", host.name())));
    }
    let words = |texts: Option<Vec<Text>>| texts.into_iter().flatten().map(|text| text.value).collect();
    Some(HostSettings { folder, install, prepare: words(prepare), start: words(start), baselines })
}

/// `install = ["make", "dependencies"]`, or `install = false`.
fn install(table: &Table<'_>, document: &Document) -> InstallBy {
    match table.value("install").map(Spanned::get_ref) {
        None => InstallBy::Found,
        Some(DeValue::Boolean(false)) => InstallBy::Nobody,
        Some(DeValue::Array(words)) if !words.is_empty() => {
            let words = table.texts("install").unwrap_or_default();
            InstallBy::Command(words.into_iter().map(|text| text.value).collect())
        }
        Some(_) => {
            let problem = Diagnostic::new("`install` must be a command or `false`").at(table.place("install"));
            document.add(problem.hint(
                "the program and its arguments, e.g. [\"make\", \"dependencies\"]; `false` where you install yourself",
            ));
            InstallBy::Found
        }
    }
}

fn baselines(table: &Table<'_>, document: &Document) -> Vec<(Option<String>, String)> {
    let read = table.entries().filter_map(|(key, value)| {
        let what = table.text_of(&key.value, value)?;
        if let Ok(Row::Baseline(label)) = key.value.parse() {
            return Some((label, what.value));
        }
        let problem =
            Diagnostic::new(format!("`{}` is not a valid baseline label", key.value)).at(document.place(&key.span));
        document.add(
            problem.hint("write \"0\", or \"0:LABEL\" for a further baseline; free, memo and workers are tierup's own"),
        );
        None
    });
    read.collect()
}
