//! Starts tierup's code in a BEAM before the server's own, through `ERL_AFLAGS`: for the sensor (`profile`) and the
//! witness (`witness`).

use std::path::Path;

use tierup_codegen::{Command, Files, SOCKET, Variable, source::fill_shared};

/// A file's name and text.
pub(crate) type Module = (&'static str, &'static str);

/// Modules of all agents: one obeys tierup, the other writes frames.
const SHARED: [Module; 2] = [
    ("tierup_agent.erl", include_str!("../templates/agent/tierup_agent.erl")),
    ("tierup_frames.erl", include_str!("../templates/agent/tierup_frames.erl")),
];

/// The modules of an agent. The last one starts it.
pub(crate) struct Agent(pub(crate) &'static [Module]);

impl Agent {
    fn modules(&self) -> impl Iterator<Item = &'static Module> {
        SHARED.iter().chain(self.0)
    }

    /// The modules' files, from their templates with these values and the socket's path.
    pub(crate) fn files(&self, private: &Path, values: &[(&str, &str)]) -> Files {
        let socket = text(&private.join(SOCKET).display().to_string());
        let values = [values, &[("socket", &socket)]].concat();
        self.modules().fold(Files::new(), |files, (file, source)| files.with(*file, fill_shared(source, &values)))
    }

    pub(crate) fn compiled(&self) -> Command {
        // `-pa .` finds modules that others need when they are compiled.
        Command::new("erlc", ["-pa", "."].into_iter().chain(self.modules().map(|(file, _)| *file)))
    }

    /// The flag that loads the agent and calls a function of its last module. A release (embedded mode) loads no module
    /// by its name, and a BEAM exits if its flags name a module that cannot be loaded. So the flag names files, and
    /// catches errors. `erl` knows no quotes within quotes, so the folder's path is a list of numbers.
    pub(crate) fn started(&self, private: &Path, function: &str) -> String {
        let folder = format!("{}/", private.display());
        let folder = folder.chars().map(|char| u32::from(char).to_string()).collect::<Vec<_>>().join(",");
        let modules: Vec<_> = self.modules().map(|(file, _)| file.trim_end_matches(".erl")).collect();
        let last = modules.last().copied().unwrap_or_default();
        format!(
            "-eval \"try [{{module, _}} = code:load_abs([{folder}] ++ atom_to_list(M)) || M <- [{}]], \
             {last}:{function}() catch _:_ -> ok end\"",
            modules.join(",")
        )
    }
}

/// The variable from which the BEAM takes flags.
pub(crate) fn flags(value: String) -> Variable {
    Variable { name: "ERL_AFLAGS", value, joined_by: Some(" "), asked_by: None }
}

/// An Erlang string literal.
pub(crate) fn text(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\""))
}

/// An Erlang binary literal.
pub(crate) fn binary(content: &str) -> String {
    format!("<<{}/utf8>>", text(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_is_one_word_and_one_string() {
        let private = Path::new("/a b/it's \"c\"");
        let agent = Agent(&[("tierup_last.erl", "-define(SOCKET, {{socket}}). -define(KEY, {{key}}).")]);
        let path = "/a b/it's \"c\"/".bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",");
        let flags = flags(agent.started(private, "work")).value;
        assert!(flags.contains(&format!("code:load_abs([{path}] ++ ")), "{flags}");
        assert!(flags.contains("tierup_last]], tierup_last:work()"), "{flags}");
        assert_eq!((flags.matches('"').count(), flags.contains('\'')), (2, false), "{flags}");
        let files = agent.files(private, &[("key", &binary("k"))]);
        let last = String::from_utf8(files.get("tierup_last.erl").unwrap().to_vec()).unwrap();
        assert_eq!(last, r#"-define(SOCKET, "/a b/it's \"c\"/agents"). -define(KEY, <<"k"/utf8>>)."#);
    }
}
