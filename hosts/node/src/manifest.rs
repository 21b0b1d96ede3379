//! An existing server's `package.json`, as far as `tierup init` needs it.

use serde_json::Value;
use tierup_codegen::ServerFolder;

/// The manifest's content; empty if there is none or it cannot be read.
pub(crate) struct Manifest(Value);

impl Manifest {
    pub(crate) fn read(folder: &dyn ServerFolder) -> Manifest {
        Manifest::parse(&folder.read("package.json").unwrap_or_default())
    }

    /// The manifest of a package below the server's folder.
    pub(crate) fn read_in(folder: &dyn ServerFolder, home: &str) -> Manifest {
        let place = if home.is_empty() { String::new() } else { format!("{home}/") };
        Manifest::parse(&folder.read(&format!("{place}package.json")).unwrap_or_default())
    }

    pub(crate) fn parse(text: &str) -> Manifest {
        Manifest(serde_json::from_str(text).unwrap_or_default())
    }

    pub(crate) fn has_script(&self, name: &str) -> bool {
        self.0["scripts"][name].is_string()
    }

    /// Whether `.js` files are ES modules.
    pub(crate) fn is_module(&self) -> bool {
        self.0["type"] == "module"
    }

    /// The command of `npm start`, if it is Node with plain arguments. Shell scripts are not parsed, and npm would not
    /// forward signals to the server.
    pub(crate) fn start(&self) -> Option<Vec<String>> {
        let script = self.0["scripts"]["start"].as_str()?;
        let plain = |c: char| c.is_ascii_alphanumeric() || " -_./=:,@".contains(c);
        let words: Vec<String> = script.split_whitespace().map(str::to_owned).collect();
        (words.len() > 1 && words[0] == "node" && script.chars().all(plain)).then_some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_start_scripts_are_used() {
        let start = |script: &str| {
            let text = serde_json::json!({ "scripts": { "start": script } }).to_string();
            Manifest::parse(&text).start().map(|words| words.join("|"))
        };
        assert_eq!(
            start("node --enable-source-maps src/server.js").as_deref(),
            Some("node|--enable-source-maps|src/server.js")
        );
        for script in ["node", "next start", "NODE_ENV=x node a.js", "node a.js && node b.js", "node \"a b.js\""] {
            assert_eq!(start(script), None, "{script}");
        }
        assert_eq!(Manifest::parse("{ broken").start(), None);
    }
}
