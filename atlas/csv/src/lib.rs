//! A CSV file in, a sum for each key out.

use std::collections::BTreeMap;

use csv::{ReaderBuilder, StringRecord};

/// Adds up the column `amount` for each value of the column `city`.
///
/// The first line names the columns. Fields may be quoted, and hold commas and line ends then. Amounts are whole numbers; the sums stay
/// below 2^53. A text that is not CSV with both columns has no sums, and rows without an amount are left out.
pub fn totals(csv: &str) -> BTreeMap<String, f64> {
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(csv.as_bytes());
    let header = reader.headers().cloned().unwrap_or_default();
    let column = |name: &str| header.iter().position(|title| title == name);
    let (Some(city), Some(amount)) = (column("city"), column("amount")) else { return BTreeMap::new() };
    let mut totals = BTreeMap::new();
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).is_ok_and(|is_record| is_record) {
        let (Some(city), Some(Ok(amount))) = (record.get(city), record.get(amount).map(str::parse::<i64>)) else {
            continue;
        };
        match totals.get_mut(city) {
            Some(total) => *total += amount as f64,
            None => drop(totals.insert(city.to_owned(), amount as f64)),
        }
    }
    totals
}
