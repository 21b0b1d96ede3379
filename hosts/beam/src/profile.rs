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
    let flags = Variable {
        name: "ERL_AFLAGS",
        value: format!("-pa \"{}\" -s tierup_profile", escaped(&private.display().to_string())),
        joined_by: Some(" "),
        asked_by: None,
    };
    Sensor {
        title: "a sampler in the BEAM",
        files: Files::new().with(AGENT, agent),
        preparation: vec![Command::new("erlc", [AGENT])],
        environment: vec![flags],
        in_the_build: false,
        sampling: Sampling::Agent,
        format: ProfileFormat::Collapsed { microseconds: MICROSECONDS },
        time: SampledTime::ClockOfPart,
        allocations: Allocations::Uncounted,
        misses: "ports, the BEAM's own threads, and what a NIF does: a process shows its stack where it could make way for another",
        hint: "the server must run on Erlang/OTP 25 or newer, as a BEAM that reads ERL_AFLAGS".to_owned(),
    }
}

/// A path between quotes, in Erlang and for `erl`.
fn escaped(path: &str) -> String {
    path.replace('\\', r"\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_path_is_one_word_and_one_string() {
        let sensor = sensor(Path::new("/a b/it's \"c\""));
        assert_eq!(sensor.environment[0].value, r#"-pa "/a b/it's \"c\"" -s tierup_profile"#);
        let agent = String::from_utf8(sensor.files.get(AGENT).unwrap().to_vec()).unwrap();
        assert!(agent.contains(r#"-define(SOCKET, "/a b/it's \"c\"/agents")."#), "{agent}");
        assert!(agent.contains("-define(INTERVAL, 5000).") && !agent.contains("{{"), "{agent}");
    }
}
