//! Where a group's gain comes from. In: a group and its analysis. Out: a drawing.

use tierup_report::{
    chart::{Bar, BarKind, Drawing, Waterfall},
    numbers,
};

use crate::analysis::{Analysis, Group, Part};

pub(in crate::report::html) fn gain(analysis: &Analysis, group: &Group) -> Option<Drawing> {
    let gain = group.gain.as_ref()?;
    let level = |row: usize, takes: f64, what: &str| Bar {
        name: format!("{}{what}", analysis.rows[row].label),
        value: format!("{} us", numbers::short(takes)),
        from: takes,
        to: 0.0,
        kind: BarKind::Level,
    };
    let mut bars = vec![level(group.reference, gain.reference, "")];
    bars.extend(gain.parts.iter().map(bar));
    bars.extend(gain.floor.map(|(row, takes)| level(row, takes, ": a function that costs nothing")));
    Waterfall { title: "CPU a request, us", words: &gain.sentence, bars }.draw()
}

fn bar(part: &Part) -> Bar {
    let kind = match part.saved {
        _ if part.is_no_difference() => BarKind::Open,
        saved if saved < 0.0 => BarKind::More,
        _ => BarKind::Less,
    };
    Bar { name: part.name.clone(), value: part.effect(), from: part.before, to: part.after, kind }
}
