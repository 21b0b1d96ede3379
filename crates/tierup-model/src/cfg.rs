//! `#[cfg(…)]`: items that only tests see are left out. Everything else is taken as present, because the features and
//! targets are not known here (`rustc` is the referee).

use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

/// Whether these attributes leave an item out of every build that is not a test.
pub(crate) fn is_only_for_tests(attributes: &[Attribute]) -> bool {
    predicates(attributes).any(|predicate| judge(&predicate) == Judgement::Never)
}

/// Whether an item might be left out of some builds.
pub(crate) fn is_conditional(attributes: &[Attribute]) -> bool {
    predicates(attributes).next().is_some()
}

fn predicates(attributes: &[Attribute]) -> impl Iterator<Item = Meta> {
    attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
        .filter_map(|attribute| attribute.parse_args::<Meta>().ok())
}

/// The value of a predicate outside of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Judgement {
    Never,
    Unknown,
    Always,
}

fn judge(predicate: &Meta) -> Judgement {
    let Meta::List(list) = predicate else {
        let is_test = predicate.path().is_ident("test");
        return if is_test { Judgement::Never } else { Judgement::Unknown };
    };
    let Ok(parts) = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else {
        return Judgement::Unknown;
    };
    let parts = parts.iter().map(judge);
    match list.path.get_ident().map(ToString::to_string).as_deref() {
        Some("all") => parts.min().unwrap_or(Judgement::Always),
        Some("any") => parts.max().unwrap_or(Judgement::Never),
        Some("not") => match parts.min() {
            Some(Judgement::Never) => Judgement::Always,
            Some(Judgement::Always) => Judgement::Never,
            _ => Judgement::Unknown,
        },
        _ => Judgement::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_left_out(predicate: &str) -> bool {
        let item: syn::ItemStruct = syn::parse_str(&format!("#[cfg({predicate})] struct S;")).unwrap();
        is_only_for_tests(&item.attrs)
    }

    #[test]
    fn only_what_needs_a_test_is_left_out() {
        let left_out = ["test", "all(test, unix)", "not(not(test))", "any()", "any(test, all(unix, test))"];
        let kept = ["not(test)", "any(test, unix)", "unix", "feature = \"test\"", "not(all(test, unix))", "?"];
        assert_eq!(left_out.map(is_left_out), [true; 5]);
        assert_eq!(kept.map(is_left_out), [false; 6]);
    }
}
