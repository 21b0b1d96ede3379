//! Rules for `tierup profile`: who owns the functions in PHP stacks.

use tierup_codegen::{FrameKind as Kind, FramePart, FrameRule, Owner, PackageEnds, Pattern};

/// Rules for functions such as `App\Cart::sum` and full paths of files.
pub(crate) const FRAMES: &[FrameRule] = &[
    FrameRule::GENERATED,
    // Composer: `vendor/bacon/bacon-qr-code`. Its own autoloader is not a package of the user's.
    FrameRule::file(Pattern::Contains("/vendor/composer/"), Kind::Runtime),
    FrameRule::file(Pattern::Ends("/vendor/autoload.php"), Kind::Runtime),
    FrameRule::packages("/vendor/", PackageEnds::Parts(2)),
    // Debian and PEAR.
    FrameRule::packages("/share/php/", PackageEnds::Module),
    FrameRule { part: FramePart::File, pattern: Pattern::Contains("/share/pear/"), owner: Owner::Named("pear") },
    FrameRule::function(Pattern::Is("{main}"), Kind::Entry),
];

/// `Shop\Cart::{closure}`; from PHP 8.4 on, `{closure:Shop\Cart::sum():12}`.
pub(crate) fn is_closure(function: &str) -> bool {
    function.contains("{closure")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closures_are_recognised_by_their_names() {
        assert!(
            is_closure("{closure}") && is_closure("Shop\\Cart::{closure}") && is_closure("{closure:Shop\\sum():12}")
        );
        assert!(!is_closure("Shop\\Cart::closure") && !is_closure("{main}"));
    }
}
