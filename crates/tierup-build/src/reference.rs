//! The row that all others are compared with.

use tierup_codegen::{Host, Row};
use tierup_diagnostic::Failure;

/// Whether a row that is wanted is a tier of which the reference is a variant.
pub fn may_become(wanted: &Row, reference: &Row) -> bool {
    matches!((wanted, reference), (Row::Tier(tier), Row::Variant(variant)) if variant.tier() == *tier)
}

/// Whether a row is the reference. One that is named by its tier is whatever variant that tier is.
pub fn is(reference: &Row, row: &Row) -> bool {
    may_become(reference, row) || reference == row
}

/// Says that the reference is not among a host's rows.
pub fn missing(reference: &Row, host: &dyn Host, rows: &[Row]) -> Failure {
    let names: Vec<_> = rows.iter().map(Row::to_string).collect();
    let hint = match names.is_empty() {
        true => "`tierup hosts` says what each host can do".to_owned(),
        false => format!("the rows are: {}; --reference ROW names another one of them", names.join(", ")),
    };
    Failure::usage(format!("the reference {reference} is not among the rows of {}", host.title())).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tier_stands_for_its_variants() {
        let row = |text: &str| text.parse::<Row>().unwrap();
        assert!(is(&row("0"), &row("0")) && !is(&row("0"), &row("0:tuned")));
        assert!(is(&row("2"), &row("2")) && is(&row("2"), &row("2:core")) && !is(&row("2:core"), &row("2:bindgen")));
        assert!(may_become(&row("4"), &row("4:server")) && !may_become(&row("3"), &row("4:server")));
        assert!(!may_become(&row("2:core"), &row("2:bindgen")));
    }
}
