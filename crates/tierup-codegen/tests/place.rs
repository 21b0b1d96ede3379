//! How the generated code names the place of a panic.

#![allow(dead_code, unreachable_pub, reason = "what is generated is a crate of its own")]

#[path = "../templates/calls/place.rs"]
mod place;

#[test]
fn places_do_not_reveal_folders_of_the_machine() {
    for (file, shown) in [
        ("/home/me/shop/hot/src/lib.rs", "hot/src/lib.rs"),
        ("/home/me/src/hot/src/text/lines.rs", "hot/src/text/lines.rs"),
        ("/home/me/.cargo/registry/src/index.crates.io-1949/serde-1.0.2/src/de.rs", "serde-1.0.2/src/de.rs"),
        ("/rustc/5980761/library/core/src/option.rs", "core/src/option.rs"),
        ("/home/me/hot/hot.rs", "hot/hot.rs"),
        (r"C:\Users\me\hot\src\lib.rs", r"hot\src\lib.rs"),
        ("calls/src/lib.rs", "calls/src/lib.rs"),
        ("/lib.rs", "/lib.rs"),
        ("é", "é"),
        ("", ""),
    ] {
        assert_eq!(place::shown(file), shown);
    }
}
