//! The look of a series in every drawing: a colour from a palette for colour-blind readers, and a dash once all colours
//! are used. In: names, and each series' role. Out: a look for each.

use crate::printable;

/// A series' look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// The name within its group.
    pub name: String,
    /// The name among all series.
    pub label: String,
    /// The CSS class that shows and hides it: `row-3`.
    pub class: String,
    /// The CSS that sets its colour and dash.
    pub style: String,
}

/// A series to draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series<'a> {
    pub name: &'a str,
    pub label: &'a str,
    pub standing: Standing,
}

/// A series' role among the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// All other series are compared with it.
    Reference,
    /// It bounds the others, but is no choice.
    Bound,
    Other,
}

/// The number of hues in the page's style sheet, `--hue-1` and so on. They are those of Okabe and Ito, "Color Universal
/// Design" (2008), without black, which marks the reference, and yellow, which is unreadable on white.
const HUES: usize = 6;

const DASHES: [&str; 4] = ["none", "6 3", "2 2", "8 3 2 3"];

/// The looks of all series, in their order.
pub fn looks<'a>(all: impl Iterator<Item = Series<'a>>) -> Vec<Look> {
    let mut used = 0;
    let look = |(index, series): (usize, Series<'_>)| {
        let (colour, dash) = match series.standing {
            Standing::Reference => ("var(--ink)".to_owned(), DASHES[0]),
            Standing::Bound => ("var(--faint)".to_owned(), DASHES[1]),
            Standing::Other => {
                let (hue, dash) = (used % HUES + 1, DASHES[used / HUES % DASHES.len()]);
                used += 1;
                (format!("var(--hue-{hue})"), dash)
            }
        };
        Look {
            name: printable::line(series.name),
            label: printable::line(series.label),
            class: format!("row-{index}"),
            style: format!("--colour:{colour};--dash:{dash}"),
        }
    };
    all.enumerate().map(look).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_many_series_look_different() {
        let other = |name| Series { name, label: name, standing: Standing::Other };
        let all = looks(std::iter::repeat_n("x", 24).map(other));
        for (index, look) in all.iter().enumerate() {
            assert!(all[..index].iter().all(|before| before.style != look.style), "{look:?}");
        }
    }

    #[test]
    fn a_reference_and_a_bound_use_no_hue() {
        let series = |standing| Series { name: "x", label: "x", standing };
        let all = looks([Standing::Reference, Standing::Bound, Standing::Other].map(series).into_iter());
        let styles: Vec<&str> = all.iter().map(|look| look.style.as_str()).collect();
        let expected = [
            "--colour:var(--ink);--dash:none", "--colour:var(--faint);--dash:6 3", "--colour:var(--hue-1);--dash:none",
        ];
        assert_eq!(styles, expected);
    }
}
