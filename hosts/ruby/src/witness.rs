//! The witness of Ruby servers: a TracePoint. The VM reports to it the start and return of methods, in all threads.

use std::path::Path;

use tierup_codegen::{Spelling, Types, Watch, Watched, Witness};

use crate::{agent, source::literal};

/// # Errors
/// If RUBYOPT cannot name a file in the private folder.
pub(crate) fn witness(folder: &Path, watch: &Watch<'_>) -> Result<Witness, String> {
    let functions: Vec<_> = watch.functions.iter().map(watched).collect();
    let values = [("functions", &*format!("[{}]", functions.join(", "))), ("key", &literal(watch.key))];
    let files = agent::files(include_str!("../templates/witness/preload.rb"), &values, watch.private)
        .with("shapes.rb", include_str!("../templates/witness/shapes.rb"))
        .with("state.rb", include_str!("../templates/witness/state.rb"));
    Ok(Witness {
        files,
        preparation: Vec::new(),
        environment: vec![agent::variable(watch.private)?],
        in_the_build: false,
        types: Some(Types {
            spelling: Spelling::AsInRust,
            baselines: watch.functions.iter().map(|function| baseline(folder, &function.file)).collect(),
        }),
        calls: false,
        hint: "the server must run on Ruby 3.1 or newer, and take RUBYOPT from its environment".to_owned(),
    })
}

fn watched(function: &Watched) -> String {
    let line = function.line.map_or_else(|| "nil".to_owned(), |line| line.to_string());
    format!("[{}, {}.to_sym, {line}]", literal(&function.file), literal(&function.name))
}

/// The file as `require` finds it from the server's folder. The witness adds the module.
fn baseline(folder: &Path, file: &str) -> String {
    let path = Path::new(file);
    path.strip_prefix(folder).unwrap_or(path).with_extension("").display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_and_name_is_one_string() {
        let (file, name) = ("/srv/shop/lib/it's #{x}.rb".to_owned(), "price?".to_owned());
        let functions = [Watched { file, qualified_name: name.clone(), name, line: Some(7), fields: Vec::new() }];
        let watch = Watch { private: Path::new("/p"), key: "k", functions: &functions, calls: false };
        let witness = witness(Path::new("/srv/shop"), &watch).unwrap();
        assert_eq!(witness.types.unwrap().baselines, ["lib/it's #{x}"]);
        assert_eq!(witness.environment[0].beside(Some("-W0")), "-W0 -r/p/preload.rb");
        for (name, content) in witness.files.iter() {
            assert!(!String::from_utf8_lossy(content).contains("{{"), "{name}");
        }
        let preload = String::from_utf8(witness.files.get(agent::PRELOAD).unwrap().to_vec()).unwrap();
        let expected = r##"FUNCTIONS = [["/srv/shop/lib/it's \#{x}.rb", "price?".to_sym, 7]].freeze"##;
        assert!(preload.contains(expected), "{preload}");
    }
}
