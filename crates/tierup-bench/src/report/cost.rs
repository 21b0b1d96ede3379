//! The monthly cost of rows at the user's peak. In: an [`Analysis`] and the record's prices. Out: columns of texts, for
//! a table in any report; nothing if the user named no prices.

use std::collections::BTreeMap;

use tierup_report::{
    numbers,
    table::{Cell, Column},
};

use super::across::{Across, AcrossColumn};
use crate::{
    analysis::{Analysis, Ranged, RowCost},
    record::{Cost, Record, named},
};

/// The heading over the table: `At your peak of 2,000 req/s`.
fn head(cost: &Cost) -> String {
    format!("At your peak of {} req/s", numbers::rate(cost.peak))
}

/// The heading and the table.
pub(super) fn table(record: &Record, analysis: &Analysis) -> Option<(String, Across)> {
    let cost = record.settings.cost.as_ref()?;
    let rows: Vec<usize> = analysis.groups.iter().flat_map(|group| group.rows.iter().copied()).collect();
    let costs: Vec<Option<RowCost>> = rows.iter().map(|row| analysis.rows.get(*row)?.cost).collect();
    let column = |head: String, from: String, figure: fn(&RowCost) -> Ranged, write: fn(f64) -> String| AcrossColumn {
        column: Column {
            head,
            from,
            cells: costs
                .iter()
                .map(|cost| cost.as_ref().map_or_else(Cell::missing, |cost| Cell::new(ranged(figure(cost), write))))
                .collect(),
        },
        values: costs.iter().map(|cost| cost.as_ref().map(|cost| figure(cost).value)).collect(),
        of_first: false,
    };
    let size = format!("{} vCPU, {} GiB each", numbers::plain(cost.pod_vcpus), numbers::plain(cost.pod_gib));
    let used = format!("{} used", numbers::share(cost.utilisation));
    let columns = vec![
        column("vCPUs".to_owned(), used, |cost| cost.vcpus, numbers::significant),
        column("pods".to_owned(), size, |cost| cost.pods, numbers::count),
        column(format!("a month, {}", cost.currency), "all pods".to_owned(), |cost| cost.month, numbers::money),
    ];
    let labels = rows.iter().filter_map(|row| analysis.rows.get(*row)).map(|row| named(&row.group, &row.label));
    let note = note(analysis, &rows, &costs, cost);
    Some((head(cost), Across { labels: labels.collect(), columns, note }))
}

/// `12.3 [11.9, 12.8]`, without the interval if it has no width.
fn ranged(ranged: Ranged, write: fn(f64) -> String) -> String {
    let value = write(ranged.value);
    match ranged.interval.map(|(low, high)| (write(low), write(high))) {
        Some((low, high)) if low != value || high != value => format!("{value} [{low}, {high}]"),
        _ => value,
    }
}

/// The note that explains why there are more pods than CPU alone needs.
fn note(analysis: &Analysis, rows: &[usize], costs: &[Option<RowCost>], cost: &Cost) -> String {
    let mut larger: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (row, cost) in rows.iter().filter_map(|row| analysis.rows.get(*row)).zip(costs) {
        if let Some(cost) = cost.filter(|cost| cost.pods_a_server > 1) {
            larger.entry(cost.pods_a_server).or_default().push(named(&row.group, &row.label));
        }
    }
    let mut note = format!("At least {}.", numbers::counted(cost.least_pods as usize, "server"));
    for (pods, labels) in larger {
        note += &format!(" One server takes the memory of {pods} pods: {}.", labels.join(", "));
    }
    note
}
