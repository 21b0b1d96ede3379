//! `docs/atlas.md`. In: the page as it is, and a [`View`]. Out: the page, with tables between its markers.

use tierup_report::markdown::{code_in_table, inline, texts};

use super::view::{Explained, Measurement, Shown, View};

const BEGIN: &str = "<!-- measured -->\n";
const END: &str = "<!-- end -->";

/// # Errors
/// The page has no markers.
pub(super) fn filled(page: &str, view: &View) -> Result<String, String> {
    let no_markers = || format!("the page has no lines `{}` and `{END}`", BEGIN.trim_end());
    let (before, rest) = page.split_once(BEGIN).ok_or_else(no_markers)?;
    let (_, after) = rest.split_once(END).ok_or_else(no_markers)?;
    Ok(format!("{before}{BEGIN}{}\n{END}{after}", tables(view)))
}

fn tables(view: &View) -> String {
    let mut parts = vec![grid(view)];
    if !view.measurements.is_empty() {
        parts.push("## Every measurement".to_owned());
        parts.push(measurements(&view.measurements));
        let machines = view.machines.iter().map(|machine| format!("<sup>Measured on {}.</sup>", inline(machine)));
        parts.extend(machines);
    }
    parts.push("## The functions".to_owned());
    parts.extend(view.functions.iter().map(explained));
    parts.join("\n\n") + "\n"
}

fn grid(view: &View) -> String {
    let head: Vec<String> = view.hosts.iter().map(|host| format!("`{host}`")).collect();
    let rows = view.rows.iter().map(|row| {
        let name = format!("[{}](#{})<br><sub>{}</sub>", row.name, row.name, inline(&row.title));
        (name, row.cells.iter().map(cell).collect())
    });
    texts(&head, rows)
}

fn cell(cell: &Shown) -> String {
    let lines = cell.lines.iter().map(|line| format!("<br><sub>{}</sub>", inline(line)));
    format!("**{}**{}", cell.outcome, lines.collect::<String>())
}

fn measurements(measurements: &[Measurement]) -> String {
    let head = ["host", "size", "verdict", "gain", "fastest in Rust, us", "fastest without, us", "crossing", ""];
    let rows = measurements.iter().map(|it| {
        let raw = format!("[raw]({})", it.report);
        let rest = match it.doubt.as_str() {
            "" => raw,
            doubt => format!("{raw}; {}", inline(doubt)),
        };
        let cells = vec![
            format!("`{}`", it.host),
            it.size.clone(),
            format!("**{}**", it.verdict),
            inline(&it.gain),
            format!("{} {}", code_in_table(&it.tier), it.tier_time),
            format!("{} {}", inline(&it.library), it.library_time),
            it.crossing.clone(),
            rest,
        ];
        (it.function.clone(), cells)
    });
    texts(&head.map(str::to_owned), rows)
}

fn explained(function: &Explained) -> String {
    let list = |of: &[(String, String)]| {
        of.iter().map(|(name, what)| format!("`{name}` {}", inline(what))).collect::<Vec<_>>().join(", ")
    };
    let libraries = function
        .libraries
        .iter()
        .map(|(host, libraries)| format!("- `{host}`: {}", inline(libraries)))
        .collect::<Vec<_>>();
    let name = &function.name;
    format!(
        "### {name}\n\n{}: [atlas/{name}](https://github.com/tierup/tierup/blob/main/atlas/{name}). In Rust: {}. Sizes: {}. \
         {}\n\n{}",
        inline(&function.title),
        inline(&function.rust),
        list(&function.sizes),
        inline(&function.answers),
        libraries.join("\n"),
    )
}
