//! The witness of Java servers: a JVM agent. When the JVM loads their classes, it makes the watched methods count their
//! calls, and note them if that is asked for. Types are read from the source (`declared`).

use std::path::Path;

use tierup_codegen::{Command, Files, SOCKET, Watch, Watched, Witness, source::fill};

use super::{fetch, options};
use crate::source::literal;

/// The file that JAVA_TOOL_OPTIONS names.
const AGENT: &str = "witness.jar";
/// The version of ASM, which changes class files. It reads those of JDK 27 and older.
const ASM: &str = "9.10.1";
/// The folder in which the compiler puts classes.
const CLASSES: &str = "classes";
/// The class that the JVM calls. The agent's file contains no other.
const CALLED: &str = "local/tierup/witness/Witness.class";

/// # Errors
/// If the private folder's path has characters that JAVA_TOOL_OPTIONS cannot express, such as spaces.
pub(crate) fn witness(watch: &Watch<'_>) -> Result<Witness, String> {
    let agent = watch.private.join(AGENT).display().to_string();
    // The JVM passes the text after `=` to the agent.
    if agent.contains(|c: char| c.is_whitespace() || ['"', '\'', '='].contains(&c)) {
        return Err(format!("JAVA_TOOL_OPTIONS cannot name `{agent}`: set TMPDIR to a folder of letters and digits"));
    }
    let asm = format!("asm-{ASM}.jar");
    let sources = sources(watch, &asm);
    let mut compile = vec!["--release", "11", "-classpath", &asm, "-d", CLASSES];
    compile.extend(sources.iter().map(|(name, _)| name));
    let preparation = vec![
        fetch(&format!("org.ow2.asm:asm:{ASM}")),
        Command::new("javac", compile),
        Command::new("jar", ["cfm", AGENT, "manifest.txt", "-C", CLASSES, CALLED]),
    ];
    Ok(Witness {
        files: sources.with("manifest.txt", include_str!("../../templates/witness/manifest.txt")),
        preparation,
        environment: vec![options(&format!("-javaagent:{agent}"))],
        in_the_build: false,
        types: None,
        calls: watch.calls,
        hint: "the server must run on a JDK of version 16 or newer, and take JAVA_TOOL_OPTIONS from its environment"
            .to_owned(),
    })
}

fn sources(watch: &Watch<'_>, asm: &str) -> Files {
    let text = |path: &Path| literal(&path.display().to_string());
    let functions: Vec<_> = watch.functions.iter().map(watched).collect();
    let agent =
        fill(include_str!("../../templates/witness/Agent.java"), &[("socket", &text(&watch.private.join(SOCKET)))]);
    let called = fill(
        include_str!("../../templates/witness/Witness.java"),
        &[("asm", &literal(asm)), ("folder", &text(watch.private))],
    );
    let watched = fill(
        include_str!("../../templates/witness/Watched.java"),
        &[("calls", &watch.calls.to_string()), ("functions", &format!("{{{}}}", functions.join(", ")))],
    );
    let calls = fill(include_str!("../../templates/witness/Calls.java"), &[("key", &literal(watch.key))]);
    Files::new()
        .with("Agent.java", agent)
        .with("Calls.java", calls)
        .with("Counters.java", include_str!("../../templates/witness/Counters.java"))
        .with("Counting.java", include_str!("../../templates/witness/Counting.java"))
        .with("Holder.java", include_str!("../../templates/witness/Holder.java"))
        .with("Watched.java", watched)
        .with("Witness.java", called)
}

/// The class and method of a function: stacks have `shop/Cart.sum`, and those of `perf` have `shop.Cart.sum`.
fn watched(function: &Watched) -> String {
    let (class, name) = function.qualified_name.rsplit_once('.').unwrap_or(("", &function.name));
    let class = class.replace('.', "/");
    format!("new Watched({}, {}, {})", literal(&class), literal(name), function.line.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watching(private: &str, qualified_name: &str) -> Result<Witness, String> {
        let function = Watched {
            file: String::new(),
            name: "sum".to_owned(),
            qualified_name: qualified_name.to_owned(),
            line: None,
            fields: Vec::new(),
        };
        witness(&Watch { private: Path::new(private), key: "", functions: &[function], calls: false })
    }

    #[test]
    fn a_watched_method_is_given_by_class_and_name() {
        for (qualified_name, class, name) in [
            ("shop/Cart.sum", "shop/Cart", "sum"),
            ("shop.Cart$Line.sum", "shop/Cart$Line", "sum"),
            ("Server.lambda$main$0", "Server", "lambda$main$0"),
            ("shop/Cart.<init>", "shop/Cart", "<init>"),
            ("sum", "", "sum"),
        ] {
            let files = watching("/p", qualified_name).unwrap().files;
            let text = String::from_utf8(files.get("Watched.java").unwrap().to_vec()).unwrap();
            let expected = format!("Watched[] ALL = {{new Watched(\"{class}\", \"{name}\", 0)}};");
            assert!(text.contains(&expected), "{text}");
        }
    }

    #[test]
    fn the_agent_is_added_to_the_users_own_options() {
        let witness = watching("/p", "Cart.sum").unwrap();
        assert_eq!(witness.environment[0].beside(Some("-Xmx1g")), "-Xmx1g -javaagent:/p/witness.jar");
        for (name, content) in witness.files.iter() {
            assert!(!String::from_utf8_lossy(content).contains("{{"), "{name}");
        }
        for folder in ["/a b", "/a=b", "/a'b"] {
            assert!(watching(folder, "Cart.sum").unwrap_err().contains("TMPDIR"));
        }
    }
}
