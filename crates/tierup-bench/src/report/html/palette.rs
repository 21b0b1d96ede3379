//! How a row looks in every drawing: a colour that colour-blind readers can tell from the others, and a dash where the
//! colours have been used up. In: the rows. Out: a look for each of them.

use crate::{analysis::Analysis, record::Role, report::printable};

/// A row as it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    /// Without its group.
    pub(super) name: String,
    /// With its group, where there are several.
    pub(super) label: String,
    /// The CSS class that shows and hides it: `row-3`.
    pub(super) class: String,
    /// The CSS that sets its colour and dash.
    pub(super) style: String,
}

/// The page's style sheet has this many hues, `--hue-1` and so on: those of Okabe and Ito, "Color Universal Design"
/// (2008), but for black, which is the reference's, and yellow, which nobody sees on white.
const HUES: usize = 6;

const DASHES: [&str; 4] = ["none", "6 3", "2 2", "8 3 2 3"];

pub(super) fn looks(analysis: &Analysis) -> Vec<Look> {
    let mut used = 0;
    let look = |(index, row): (usize, &crate::analysis::RowAnalysis)| {
        let (colour, dash) = match row.role {
            Role::Reference => ("var(--ink)".to_owned(), DASHES[0]),
            Role::Ceiling => ("var(--faint)".to_owned(), DASHES[1]),
            Role::Alternative | Role::Candidate => {
                let (hue, dash) = (used % HUES + 1, DASHES[used / HUES % DASHES.len()]);
                used += 1;
                (format!("var(--hue-{hue})"), dash)
            }
        };
        let group = if analysis.groups.len() > 1 { row.group.as_str() } else { "" };
        Look {
            name: printable::line(&row.label),
            label: printable::line(format!("{group} {}", row.label).trim()),
            class: format!("row-{index}"),
            style: format!("--colour:{colour};--dash:{dash}"),
        }
    };
    analysis.rows.iter().enumerate().map(look).collect()
}
