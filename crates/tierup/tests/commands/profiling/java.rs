//! Java: a separate JVM counts the calls of methods.

use std::fs;

use super::{nothing_is_left, profile, texts};

const SERVER: &str = include_str!("Server.java");

#[test]
fn calls_of_methods_are_counted() {
    let folder = super::world();
    fs::write(folder.path().join("Server.java"), SERVER).unwrap();
    // The compiler's JVM gets the same options as the server's.
    let command = "javac -d classes Server.java && exec java -cp classes Server";
    let arguments = ["--command", command, "--host", "java", "--format", "json"];
    let output = profile(folder.path(), "6s", &arguments).output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{err}");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let functions = report["functions"].as_array().unwrap();
    let calls = |name: &str| {
        let function = functions.iter().find(|function| function["function"] == name);
        let function = function.unwrap_or_else(|| panic!("{name}: {out}"));
        function["calls_per_request"].as_f64()
    };
    assert_eq!(calls("Server.tax"), Some(1.0), "{out}");
    assert_eq!(calls("Server.weight"), Some(1.0), "{out}");
    // It is unknown which of the two overloads the row is.
    assert_eq!(calls("Server.size"), None, "{out}");
    assert_eq!(calls("Server$Line.compareTo"), Some(3.0), "{out}");
    assert_eq!(calls("Server.lambda$answer$1"), Some(2.0), "{out}");
    // The last server that starts is the watched one.
    let starts = fs::read_to_string(folder.path().join("starts")).unwrap();
    let starts: Vec<_> = starts.lines().collect();
    let (last, before) = starts.split_last().unwrap();
    assert!(*last == "true" && !before.is_empty() && !before.contains(&"true"), "{starts:?}");
    nothing_is_left(folder.path());
}
