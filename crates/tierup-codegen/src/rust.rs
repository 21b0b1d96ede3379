//! Writing Rust: tokens to readable source, names to identifiers.

use proc_macro2::{Ident, Span, TokenStream};
use tierup_model::Interface;

/// The line that opens every generated Rust file.
pub fn header(what: &str) -> String {
    format!(
        "//! {what}\n//!\n//! Made by tierup from the signatures in your crate; changes here are lost at the next build.\n\n"
    )
}

/// The tokens as source text, formatted as a person would.
///
/// # Panics
/// If the tokens are not a Rust file: an error in a generator, found by its tests.
pub fn format(tokens: TokenStream) -> String {
    let file = syn::parse2(tokens).expect("generators write valid Rust");
    prettyplease::unparse(&file)
}

/// A name without `r#`, as an identifier; raw if Rust reserves the word.
pub fn identifier(name: &str) -> Ident {
    syn::parse_str::<Ident>(name).unwrap_or_else(|_| match name {
        // The four words that cannot be raw, and the wildcard.
        "self" | "Self" | "super" | "crate" | "_" => Ident::new(&format!("{name}_"), Span::call_site()),
        _ => Ident::new_raw(name, Span::call_site()),
    })
}

/// A path or type as the model spells it, as tokens.
///
/// # Panics
/// If the model's text is not a Rust type, which its tests rule out.
pub fn tokens(spelled: &str) -> TokenStream {
    spelled.parse().unwrap_or_else(|error| panic!("the model spelled `{spelled}`: {error}"))
}

/// The name of the crate that holds the calls, as its users write it in `use`.
pub const CALLS: &str = "tierup_calls";

/// A `[dependencies]` line for the user's crate.
pub fn dependency(interface: &Interface, folder: &std::path::Path) -> String {
    format!("{:?} = {{ path = {} }}", interface.package, in_toml(folder))
}

/// A folder as a TOML string, whose escapes differ from Rust's.
pub(crate) fn in_toml(folder: &std::path::Path) -> toml::Value {
    folder.display().to_string().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_names_a_folder_with_any_characters() {
        let interface = Interface { package: "slug".into(), ..Interface::default() };
        for folder in ["/a/slug", "/cafe\u{301}/\u{200d}x", r#"/it's "mine"/a\b"#, "/a\u{7f}\tb"] {
            let read: toml::Table = dependency(&interface, folder.as_ref()).parse().unwrap();
            assert_eq!(read["slug"]["path"].as_str(), Some(folder));
        }
    }
}
