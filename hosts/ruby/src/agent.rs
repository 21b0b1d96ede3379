//! Makes Ruby load tierup's code into every process of a server, before the server's own, with `RUBYOPT=-r`. The sensor
//! (`profile`) and the witness (`witness`) use it.

use std::path::Path;

use tierup_codegen::{Files, SOCKET, Variable, source::fill};

use crate::source::literal;

/// The file that Ruby loads first.
pub(crate) const PRELOAD: &str = "preload.rb";

/// The variable that makes Ruby load it.
///
/// # Errors
/// If RUBYOPT cannot name a file in this folder.
pub(crate) fn variable(private: &Path) -> Result<Variable, String> {
    let preload = private.join(PRELOAD).display().to_string();
    if preload.contains(char::is_whitespace) {
        return Err(format!("RUBYOPT cannot name `{preload}`, as it has a space: set TMPDIR to a folder without one"));
    }
    Ok(Variable { name: "RUBYOPT", value: format!("-r{preload}"), joined_by: Some(" "), asked_by: None })
}

/// The preloaded file, from its template and values, and the file that carries out tierup's commands.
pub(crate) fn files(preload: &str, values: &[(&str, &str)], private: &Path) -> Files {
    let socket = literal(&private.join(SOCKET).display().to_string());
    let values = [values, &[("socket", &socket)]].concat();
    Files::new().with("agent.rb", include_str!("../templates/agent/agent.rb")).with(PRELOAD, fill(preload, &values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_quoted_in_ruby_and_has_no_space_in_rubyopt() {
        let private = Path::new("/a/it's#{x}\"");
        assert_eq!(variable(private).unwrap().value, "-r/a/it's#{x}\"/preload.rb");
        let files = files("work({{socket}})", &[], private);
        let preload = String::from_utf8(files.get(PRELOAD).unwrap().to_vec()).unwrap();
        assert_eq!(preload, format!("work({})", literal("/a/it's#{x}\"/agents")));
        assert!(variable(Path::new("/a b")).unwrap_err().contains("TMPDIR"));
    }
}
