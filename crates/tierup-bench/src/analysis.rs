//! From raw results to figures, verdicts and one recommendation. In: a [`Record`]. Out: an [`Analysis`].
//! Reports only lay it out: everything that they show is decided here.

mod cells;
mod columns;
mod cost;
mod estimates;
mod evidence;
mod figures;
mod gain;
mod kept;
mod marks;
mod need;
mod parts;
mod pods;
mod recommendation;
mod result;
mod sentences;
mod verdicts;
mod warnings;
mod without;

pub(crate) use self::figures::{carried, together};
pub use self::kept::Kept;
pub use self::parts::{Cause, Gain, Part};
pub use self::pods::{Ranged, RowCost};
pub use self::result::{Against, Analysis, Better, Cell, Column, Figure, Group, RowAnalysis, Sentence, Times, Verdict};
pub(crate) use self::warnings::busy;
use self::{
    cells::{Members, across, cells},
    columns::columns,
    figures::Figures,
};
use crate::record::{Record, Role};

/// Derives everything from the raw results.
pub fn analyse(record: &Record) -> Analysis {
    let figures: Vec<Figures> = (0..record.rows.len()).map(|row| Figures::of(record, row)).collect();
    let columns = columns(record);
    let names: Vec<&str> = record.rows.iter().fold(Vec::new(), |mut names, row| {
        if !names.contains(&row.group.as_str()) {
            names.push(&row.group);
        }
        names
    });
    let mut groups = Vec::new();
    let mut cells_of_rows = vec![Vec::new(); record.rows.len()];
    for name in names {
        let rows: Vec<usize> = (0..record.rows.len()).filter(|row| record.rows[*row].group == name).collect();
        let reference = rows.iter().copied().find(|row| record.rows[*row].role == Role::Reference).unwrap_or(rows[0]);
        let members = Members { rows: &rows, reference };
        for (row, cells) in rows.iter().zip(cells(record, &figures, &columns, members)) {
            cells_of_rows[*row] = cells;
        }
        let (name, verdicts) = (name.to_owned(), Vec::new());
        groups.push(Group { name, rows, reference, verdicts, recommendation: None, gain: None });
    }
    if groups.len() > 1 {
        across(&figures, &columns, groups[0].reference, &mut cells_of_rows);
    }
    let rows: Vec<RowAnalysis> = cells_of_rows
        .into_iter()
        .enumerate()
        .map(|(row, cells)| RowAnalysis {
            label: record.rows[row].label.clone(),
            group: record.rows[row].group.clone(),
            role: record.rows[row].role,
            check: record.rows[row].check.clone(),
            cells,
            marks: marks::of(record, row, &figures[row].failures),
            failures: figures[row].failures,
            troubles: figures[row].troubles.clone(),
            share_of_ceiling: None,
            against: None,
            cost: None,
            kept: kept::of(record, row),
        })
        .collect();
    let mut analysis =
        Analysis { groups, rows, columns, warnings: warnings::of(record), method: warnings::method(record) };
    cost::fill(record, &mut analysis);
    for group in 0..analysis.groups.len() {
        without::compare(record, &mut analysis, group);
        verdicts::decide(record, &mut analysis, group);
        analysis.groups[group].gain = gain::of(record, &analysis, &analysis.groups[group]);
        analysis.groups[group].recommendation = recommendation::of(record, &analysis, group);
    }
    analysis
}
