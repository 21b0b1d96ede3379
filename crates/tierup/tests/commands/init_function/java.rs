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
    makes(world.path(), &["--function", "src/main/java/shop/Labels.java:label"], expect![[""]]);
    refuses(world.path(), &["--function", "src/main/java/shop/Labels.java:shout"], expect![[""]]);
    refuses(world.path(), &["--function", "src/main/java/shop/Labels.java:put"], expect![[""]]);
}
