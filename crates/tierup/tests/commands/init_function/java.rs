//! Java: types by the method's declaration.

use expect_test::expect;

use super::{makes, refuses};
use crate::write;

const LABELS: &str = "package shop;\n\nimport java.util.List;\n\npublic final class Labels {\n    \
    /** What stands on a box. */\n    public static byte[] label(String userName, List<Long> counts) throws Exception {\n        \
    return new byte[0];\n    }\n\n    String shout(Object word) {\n        return word.toString();\n    }\n\n    \
    static void put(Object word) {}\n}\n";

/// No server starts: the source has the types, and a function with a list gets no golden call.
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
        prepare = ["mvn", "--batch-mode", "--quiet", "--file", "tierup/hot/java/with-server", "package"]
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

const SERVER: &str = r#"import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

public final class Server {
    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(System.getenv("PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/", exchange -> {
            String[] query = exchange.getRequestURI().getQuery().split("&");
            String text;
            try {
                text = new String(repeated(query[0], Long.parseLong(query[1].substring(2)), true), StandardCharsets.UTF_8);
            } catch (IllegalArgumentException error) {
                text = "none";
            }
            byte[] answer = (text + shout(query[0].substring(2))).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
    }

    static byte[] repeated(String name, long count, boolean isPlain) {
        if (count < 0) {
            throw new IllegalArgumentException("count");
        }
        return name.repeat((int) count).getBytes(StandardCharsets.UTF_8);
    }

    private static String shout(String text) {
        if (text.isEmpty()) {
            throw new IllegalStateException("no text");
        }
        return text.toUpperCase();
    }
}
"#;

/// Also for a private method. A method whose argument is in no request has no golden call.
#[test]
fn the_golden_call_is_one_that_was_noted() {
    let world = tempfile::tempdir().unwrap();
    write(
        world.path(),
        &[("Server.java", SERVER), ("requests.http", "GET /?t=gr%C3%BCn&n=2\n"), ("temporary/empty", "")],
    );
    let arguments = |function: &'static str| {
        ["--function", function, "--command", "java -cp out Server", "--prepare", "javac -d out Server.java"]
    };
    makes(
        world.path(),
        &arguments("Server.java:shout"),
        expect![[r#"
            export = ["shout"]
            [host.java]
            prepare = ["javac", "-d", "out", "Server.java"]
            start = ["java", "-cp", "out", "Server"]
            [host.java.baseline]
            "0" = "Server::shout"
            [health]
            call = "shout"
            arguments = ["grün"]
            sha256 = "d334fa69b11bd6723b37f256e86f944427fc57f9dbf923a8290a37c7234e5a61"
            -- hot/src/lib.rs
            /// What `shout` in Server.java:32 does.
            /// The types are those of its declaration.
            pub fn shout(text: &str) -> Result<String, String> {
            }
        "#]],
    );
    makes(
        world.path(),
        &arguments("Server.java:repeated"),
        expect![[r#"
            export = ["repeated"]
            [host.java]
            prepare = ["javac", "-d", "out", "Server.java"]
            start = ["java", "-cp", "out", "Server"]
            [host.java.baseline]
            "0" = "Server::repeated"
            -- hot/src/lib.rs
            /// What `repeated` in Server.java:25 does.
            /// The types are those of its declaration.
            pub fn repeated(name: &str, count: i64, is_plain: bool) -> Result<Vec<u8>, String> {
            }
        "#]],
    );
}
