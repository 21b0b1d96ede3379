//! The sensor of servers on the BEAM: a process among the server's own, which asks the others for their stacks.
//!
//! `ERL_AFLAGS` starts it before the server's own code. In: the run's private folder. Out: the sensor.

use std::path::Path;

use tierup_codegen::{Allocations, Command, Files, ProfileFormat, SOCKET, SampledTime, Sampling, Sensor, Variable};

const AGENT: &str = "tierup_profile.erl";
/// Timers of the BEAM tick in milliseconds.
const MICROSECONDS: u32 = 5000;

pub(crate) fn sensor(private: &Path) -> Sensor {
    let socket = private.join(SOCKET).display().to_string();
    let agent = include_str!("../templates/profile/tierup_profile.erl")
        .replace("{{socket}}", &format!("\"{}\"", escaped(&socket)))
        .replace("{{microseconds}}", &MICROSECONDS.to_string());
    let agent_without_ending = private.join(AGENT.trim_end_matches(".erl")).display().to_string();
    let flags =
        Variable { name: "ERL_AFLAGS", value: started(&agent_without_ending), joined_by: Some(" "), asked_by: None };
    Sensor {
        title: "a sampler in the BEAM",
        files: Files::new().with(AGENT, agent),
        preparation: vec![Command::new("erlc", [AGENT])],
        environment: vec![flags],
        in_the_build: false,
        sampling: Sampling::Agent,
        format: ProfileFormat::Collapsed { microseconds: MICROSECONDS },
        time: SampledTime::ClockOfPart { rest: None },
        unsampled: &[],
        allocations: Allocations::Uncounted,
        misses: "ports, the BEAM's own threads, and what a NIF does: a process shows its stack where it could make way for another",
        hint: "the server must run on Erlang/OTP 25 or newer, as a BEAM that reads ERL_AFLAGS".to_owned(),
    }
}

/// The flag that loads the agent and starts it. A release loads no module by its name (embedded mode), and a server whose flags
/// name one that cannot be loaded ends: so this names the file, and an error is none of the server's. `erl` knows no quotes
/// within quotes: the path is a list of numbers.
fn started(path: &str) -> String {
    let path = path.chars().map(|char| u32::from(char).to_string()).collect::<Vec<_>>().join(",");
    format!("-eval \"try {{module, _}} = code:load_abs([{path}]), tierup_profile:start() catch _:_ -> ok end\"")
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
        let path = "/a b/it's \"c\"/tierup_profile".bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",");
        let flags = &sensor.environment[0].value;
        assert!(flags.contains(&format!("code:load_abs([{path}])")), "{flags}");
        assert_eq!((flags.matches('"').count(), flags.contains('\'')), (2, false), "{flags}");
        let agent = String::from_utf8(sensor.files.get(AGENT).unwrap().to_vec()).unwrap();
        assert!(agent.contains(r#"-define(SOCKET, "/a b/it's \"c\"/agents")."#), "{agent}");
        assert!(agent.contains("-define(INTERVAL, 5000).") && !agent.contains("{{"), "{agent}");
    }
}
