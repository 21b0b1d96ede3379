//! The sensors of servers on the BEAM: a process among the server's own, which asks the others for their stacks, and `perf`.
//!
//! `ERL_AFLAGS` starts that process before the server's own code. In: the run's private folder. Out: a sensor.

use std::path::Path;

use tierup_codegen::{
    Allocations, Code, Command, Files, MODULES, PID, ProfileFormat, SOCKET, SampledTime, Sampling, Sensor, SymbolNames,
    Symbols, Variable, perf,
};

/// The agent's modules, the one that starts it last.
const MODULES_OF_AGENT: [(&str, &str); 4] = [
    ("tierup_frames.erl", include_str!("../templates/profile/tierup_frames.erl")),
    ("tierup_stacks.erl", include_str!("../templates/profile/tierup_stacks.erl")),
    ("tierup_time.erl", include_str!("../templates/profile/tierup_time.erl")),
    ("tierup_profile.erl", include_str!("../templates/profile/tierup_profile.erl")),
];
/// Timers of the BEAM tick in milliseconds.
const MICROSECONDS: u32 = 5000;

pub(crate) fn sensor(private: &Path) -> Sensor {
    Sensor {
        title: "a sampler in the BEAM",
        files: agent(private),
        preparation: vec![compiled()],
        environment: vec![flags(started(private, "sample"))],
        in_the_build: false,
        sampling: Sampling::Agent,
        format: ProfileFormat::Collapsed { microseconds: MICROSECONDS },
        time: SampledTime::ClockOfPart { rest: None },
        unsampled: &[],
        allocations: Allocations::Uncounted,
        misses: "threads that NIFs start, and where a process was before it made way for another or waited: it shows its stack there",
        hint: "the server must run on Erlang/OTP 25 or newer, as a BEAM that reads ERL_AFLAGS".to_owned(),
    }
}

/// `perf`, which also sees NIFs, the BEAM itself and the kernel. The BEAM's compiler writes down the names of its functions, and the
/// agent where their modules' sources are.
pub(crate) fn native(private: &Path) -> Sensor {
    let symbols = Symbols { code: Code::Compiled, prefixes: &["$"], names: SymbolNames::OfModule, writes_map: None };
    Sensor {
        files: agent(private),
        preparation: vec![compiled()],
        misses: "who called a function of the BEAM's own or a NIF: these run on a stack of their own",
        // With `map` and nothing else: of `true`, the BEAM writes its code to a file, too.
        ..perf(symbols, vec![flags(format!("+JPperf map {}", started(private, "name_modules")))])
    }
}

fn agent(private: &Path) -> Files {
    let text = |path: &Path| format!("\"{}\"", escaped(&path.display().to_string()));
    let filled = |source: &str| {
        source
            .replace("{{socket}}", &text(&private.join(SOCKET)))
            .replace("{{modules}}", &text(&private.join(MODULES.replace(PID, ""))))
            .replace("{{microseconds}}", &MICROSECONDS.to_string())
    };
    let modules = MODULES_OF_AGENT.iter();
    modules.fold(Files::new(), |files, (file, source)| files.with(*file, filled(source)))
}

fn compiled() -> Command {
    Command::new("erlc", MODULES_OF_AGENT.map(|(file, _)| file))
}

fn flags(value: String) -> Variable {
    Variable { name: "ERL_AFLAGS", value, joined_by: Some(" "), asked_by: None }
}

/// The flag that loads the agent and starts a function of it. A release loads no module by its name (embedded mode), and a server whose flags
/// name one that cannot be loaded ends: so this names the files, and an error is none of the server's. `erl` knows no quotes
/// within quotes: the folder's path is a list of numbers.
fn started(private: &Path, function: &str) -> String {
    let folder = format!("{}/", private.display());
    let folder = folder.chars().map(|char| u32::from(char).to_string()).collect::<Vec<_>>().join(",");
    let modules = MODULES_OF_AGENT.map(|(file, _)| file.trim_end_matches(".erl")).join(",");
    format!(
        "-eval \"try [{{module, _}} = code:load_abs([{folder}] ++ atom_to_list(M)) || M <- [{modules}]], \
         tierup_profile:{function}() catch _:_ -> ok end\""
    )
}

/// A path between quotes, in Erlang.
fn escaped(path: &str) -> String {
    path.replace('\\', r"\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_is_one_word_and_one_string() {
        let sensor = sensor(Path::new("/a b/it's \"c\""));
        let path = "/a b/it's \"c\"/".bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",");
        let flags = &sensor.environment[0].value;
        assert!(flags.contains(&format!("code:load_abs([{path}] ++ ")), "{flags}");
        assert_eq!((flags.matches('"').count(), flags.contains('\'')), (2, false), "{flags}");
        let agent = String::from_utf8(sensor.files.get("tierup_profile.erl").unwrap().to_vec()).unwrap();
        assert!(agent.contains(r#"-define(SOCKET, "/a b/it's \"c\"/agents")."#), "{agent}");
        assert!(agent.contains(r#"-define(MODULES, "/a b/it's \"c\"/modules-")."#), "{agent}");
        assert!(agent.contains("-define(INTERVAL, 5000).") && !agent.contains("{{"), "{agent}");
    }
}
