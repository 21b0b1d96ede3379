//! Java: types by the method's declaration.

use expect_test::expect;

use super::{makes, refuses};
use crate::write;

const LABELS: &str = "package shop;\n\nimport java.util.List;\n\npublic final class Labels {\n    \
    /** What stands on a box. */\n    public static byte[] label(String userName, List<Long> counts) throws Exception {\n        \
    return new byte[0];\n    }\n\n    String shout(Object word) {\n        return word.toString();\n    }\n\n    \
    static void put(Object word) {}\n}\n";

/// Nothing is started: the source has the types.
#[test]
fn types_are_those_of_the_declaration() {
    let world = tempfile::tempdir().unwrap();
    write(
        world.path(),
        &[
            ("pom.xml", "<project/>\n"),
            ("src/main/java/shop/Labels.java", LABELS),
            ("requests.http", "GET /\n"),
            ("temporary/empty", ""),
        ],
    );
    makes(
        world.path(),
        &["--function", "src/main/java/shop/Labels.java:label"],
        expect![[r#"
        export = ["label"]
        [host.java]
        prepare = ["mvn", "--batch-mode", "--quiet", "--file", ".tierup/java/with-server", "package"]
        start = ["java", "-jar", "target/server.jar"]
        [host.java.baseline]
        "0" = "shop.Labels::label"
        -- hot/src/lib.rs
        /// What `label` in src/main/java/shop/Labels.java:7 does.
        /// The types are those of its declaration.
        pub fn label(user_name: &str, counts: &[i64]) -> Result<Vec<u8>, String> {
        }
    "#]],
    );
    refuses(
        world.path(),
        &["--function", "src/main/java/shop/Labels.java:shout"],
        expect![[r#"
        error: `shout` cannot move to Rust as it is: it is not static: make it a static method that is given what it needs
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
    refuses(
        world.path(),
        &["--function", "src/main/java/shop/Labels.java:put"],
        expect![[r#"
        error: `put` cannot move to Rust as it is: its argument `word` is of the type `Object`, which tierup does not read from Java's source; it answers nothing: what it does is elsewhere
        hint: name a function whose arguments and answer are text, bytes, numbers, lists, maps or records of these
    "#]],
    );
}
