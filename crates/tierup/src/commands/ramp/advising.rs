//! `tierup ramp --advise`: another program owns the weights, such as Argo Rollouts or Flagger, and asks over HTTP whether
//! it may take its next step. In: its requests. Out: what the judge advises.

use std::{
    fs,
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use clap::Args;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tierup_project::shown;
use tierup_ramp::{Advice, Command, Reply, State, Status, ask};
use tierup_rollout::{Phase, Weights};
use tierup_runner::Observer as _;
use tierup_shadow::page_server::{Asked, Page, PageServer};

use crate::{
    console::Console,
    failure::{Failure, Result},
};

/// How long a client may take to send its request, and to read the answer.
const PATIENCE: Duration = Duration::from_secs(2);

const PLACES: &str = "GET /v1/decision, /argo/advance, /argo/rollback; POST /flagger/advance, /flagger/rollback";

#[derive(Args)]
pub(super) struct AdviceFlags {
    /// Another program owns the weights: only answer it, at --listen, whether it may take its next step
    #[arg(long, requires = "listen", conflicts_with_all = ["show_config", "row", "file"])]
    pub(super) advise: bool,
    /// With --advise: the address at which to answer
    #[arg(long, value_name = "ADDRESS", requires = "advise")]
    listen: Option<SocketAddr>,
    /// With --advise: the file with the token that a caller must send, as `Authorization: Bearer TOKEN` or as the password in
    /// its URL; required unless the address is a loopback one
    #[arg(long, value_name = "FILE", requires = "advise")]
    token_file: Option<PathBuf>,
}

/// Answers until it is dropped.
pub(super) struct Adviser {
    _server: PageServer,
    /// Why the candidate must go, if no judge can say so.
    condemned: Arc<OnceLock<String>>,
}

impl Adviser {
    /// Advises to roll back from now on.
    pub(super) fn condemn(&self, why: String) {
        // The first reason stays.
        let _ = self.condemned.set(why);
    }
}

/// `None` without `--advise`.
pub(super) fn start(flags: &AdviceFlags, state: &State, console: &Console) -> Result<Option<Adviser>> {
    let Some(address) = flags.listen else { return Ok(None) };
    let token = match &flags.token_file {
        Some(file) => {
            let text = fs::read_to_string(file)
                .map_err(|error| Failure::because(format!("cannot read `{}`", shown(file)), error))?;
            let token = text.trim().to_owned();
            if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(Failure::usage(format!("`{}` is not one token of letters, digits and signs", shown(file))));
            }
            Some(token)
        }
        None if address.ip().is_loopback() => None,
        None => {
            return Err(Failure::usage(format!("others can reach {address}, so callers must send a token"))
                .hint("--token-file names a file with one, e.g. of `openssl rand -hex 16`"));
        }
    };
    let listener =
        TcpListener::bind(address).map_err(|error| Failure::because(format!("cannot listen on {address}"), error))?;
    let (state, condemned) = (state.clone(), Arc::<OnceLock<String>>::default());
    let why = Arc::clone(&condemned);
    let page = move |asked: &Asked<'_>| answer(asked, token.as_deref(), |command| reply(&state, command, why.get()));
    let server = PageServer::answering(listener, page, PATIENCE)
        .map_err(|error| Failure::because("cannot start a thread", error))?;
    console.note(&format!("advice: http://{}/v1/decision", server.address()));
    Ok(Some(Adviser { _server: server, condemned }))
}

/// The judge's reply, or why there is none.
fn reply(state: &State, command: Command, condemned: Option<&String>) -> std::result::Result<Reply, String> {
    if let Some(why) = condemned {
        let (ramp, advice) = (String::new(), Some(Advice::RollBack));
        let (phase, weights, words) = (Phase::RolledBack, Weights::CONTROL_ONLY, vec![why.clone()]);
        let status = Status { ramp, phase, weights, elapsed: 0, proxies: 0, words, trouble: None, advice };
        return Ok(Reply { refused: (command == Command::Advance).then(|| why.clone()), status });
    }
    let reply = ask(state, command).map_err(|error| error.to_string())?;
    reply.ok_or_else(|| "the judge has not begun: it waits for `tierup shadow`".to_owned())
}

fn answer(
    asked: &Asked<'_>,
    token: Option<&str>,
    judge: impl Fn(Command) -> std::result::Result<Reply, String>,
) -> Page {
    if matches!((asked.method, asked.path), ("GET" | "HEAD", "/livez")) {
        return Page::health(Ok(()));
    }
    if token.is_some_and(|token| !is_sent(token, asked.authorization)) {
        return Page::words("401 Unauthorized", "the token is missing or wrong");
    }
    let command = match (asked.method, asked.path) {
        ("GET", "/argo/advance") | ("POST", "/flagger/advance") => Command::Advance,
        ("GET", "/argo/rollback" | "/v1/decision") | ("POST", "/flagger/rollback") => Command::Status,
        _ => return Page::words("404 Not Found", PLACES),
    };
    let Reply { refused, status } = match judge(command) {
        Ok(reply) => reply,
        Err(why) => return Page::health(Err(&why)),
    };
    let advice = match (command, &refused) {
        (Command::Advance, None) => Advice::Advance,
        (Command::Advance, Some(_)) if status.advice == Some(Advice::Advance) => Advice::Hold,
        _ => status.advice.unwrap_or(Advice::Hold),
    };
    let reasons: Vec<String> = refused.into_iter().chain(status.trouble).chain(status.words).collect();
    let is_asked_for = match asked.path {
        "/flagger/advance" => Some(advice == Advice::Advance),
        "/flagger/rollback" => Some(advice == Advice::RollBack),
        _ => None,
    };
    match is_asked_for {
        Some(true) => Page::words("200 OK", &reasons.join("\n")),
        Some(false) => Page::words("403 Forbidden", &reasons.join("\n")),
        None => Page::json(json!({ "ramp": status.ramp, "decision": advice, "reasons": reasons }).to_string()),
    }
}

/// Whether the token is the bearer's, or the password of Basic authentication (RFC 7617), which clients make of a URL's.
fn is_sent(token: &str, authorization: Option<&str>) -> bool {
    let (scheme, value) = authorization.and_then(|value| value.split_once(' ')).unwrap_or_default();
    let sent = match scheme.to_ascii_lowercase().as_str() {
        "bearer" => value.trim().as_bytes().to_vec(),
        "basic" => {
            let both = STANDARD.decode(value.trim()).unwrap_or_default();
            both.splitn(2, |byte| *byte == b':').nth(1).unwrap_or_default().to_vec()
        }
        _ => return false,
    };
    // Comparing hashes takes the same time whatever was sent.
    Sha256::digest(sent) == Sha256::digest(token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(advice: Advice, refused: Option<&str>) -> std::result::Result<Reply, String> {
        let status = Status {
            ramp: "3f2a9c01".into(),
            phase: Phase::Shadow,
            weights: Weights::CONTROL_ONLY,
            elapsed: 1,
            proxies: 1,
            words: vec!["why".into()],
            trouble: None,
            advice: Some(advice),
        };
        Ok(Reply { refused: refused.map(str::to_owned), status })
    }

    #[test]
    fn engines_get_what_makes_them_advance_hold_and_roll_back() {
        let all = [
            // What the judge advises, whether it lets the owner of the weights advance; the answers to that owner.
            (Advice::Advance, true, ["advance", "advance", "200", "403"]),
            // Another caller has just taken this advance.
            (Advice::Advance, false, ["advance", "hold", "403", "403"]),
            (Advice::Hold, false, ["hold", "hold", "403", "403"]),
            (Advice::RollBack, false, ["roll back", "roll back", "403", "200"]),
        ];
        for (advice, is_taken, expected) in all {
            let asked = |method, path| {
                let refused = |command| (command == Command::Advance && !is_taken).then_some("no");
                answer(&Asked { method, path, authorization: None }, None, |command| judge(advice, refused(command)))
            };
            let decision = |path| {
                let (status, body) = (asked("GET", path).status, asked("GET", path).body);
                let json: serde_json::Value = serde_json::from_str(&body).unwrap();
                assert!(status == "200 OK" && json["reasons"].as_array().is_some_and(|all| !all.is_empty()), "{body}");
                json["decision"].as_str().unwrap().to_owned()
            };
            let status = |path| asked("POST", path).status[..3].to_owned();
            let found = [
                decision("/argo/rollback"),
                decision("/argo/advance"),
                status("/flagger/advance"),
                status("/flagger/rollback"),
            ];
            assert_eq!(found, expected, "{advice}");
            assert_eq!(decision("/v1/decision"), found[0]);
            assert_eq!(asked("GET", "/flagger/advance").status, "404 Not Found");
        }
        let asked = Asked { method: "POST", path: "/flagger/advance", authorization: None };
        let silent = answer(&asked, None, |_| Err("the judge does not answer".to_owned()));
        assert_eq!(silent.status, "503 Service Unavailable");
    }

    #[test]
    fn a_caller_needs_the_token() {
        for (sent, expected) in [
            (None, "401 Unauthorized"),
            (Some("Bearer other"), "401 Unauthorized"),
            (Some("Bearer "), "401 Unauthorized"),
            (Some("Bearer secret"), "200 OK"),
            // `tierup:secret`
            (Some("Basic dGllcnVwOnNlY3JldA=="), "200 OK"),
            (Some("Basic c2VjcmV0"), "401 Unauthorized"),
        ] {
            let asked = Asked { method: "GET", path: "/v1/decision", authorization: sent };
            let page = answer(&asked, Some("secret"), |_| judge(Advice::Hold, None));
            assert_eq!(page.status, expected, "{sent:?}");
        }
    }
}
