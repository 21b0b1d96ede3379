//! What a decision does. The database, the journal and messages use the same text: `advance`, `to 25%`.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use tierup_rollout::Part;

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Action {
    Begin,
    Advance,
    /// The candidate may have all requests as soon as the operator consents.
    Ready,
    /// The operator gave the candidate all requests.
    Finish,
    RollBack,
    /// There is no evidence to judge by, so control answers all requests for now.
    Suspend,
    GoOn,
    Pause,
    Resume,
    /// The operator gave the candidate this weight.
    To(Part),
}

/// The text is not an [`Action`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no decision of a ramp")]
pub struct NoAction(String);

/// All actions except [`Action::To`].
const WORDS: [(Action, &str); 9] = [
    (Action::Begin, "begin"),
    (Action::Advance, "advance"),
    (Action::Ready, "ready"),
    (Action::Finish, "finish"),
    (Action::RollBack, "roll back"),
    (Action::Suspend, "suspend"),
    (Action::GoOn, "go on"),
    (Action::Pause, "pause"),
    (Action::Resume, "resume"),
];

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, WORDS.iter().find(|(action, _)| action == self)) {
            (Action::To(part), _) => write!(f, "to {part}"),
            (_, Some((_, words))) => f.write_str(words),
            (_, None) => unreachable!("each other action has its words"),
        }
    }
}

impl FromStr for Action {
    type Err = NoAction;

    fn from_str(text: &str) -> Result<Action, NoAction> {
        let to = || text.strip_prefix("to ")?.parse().ok().map(Action::To);
        let known = WORDS.iter().find(|(_, words)| *words == text).map(|(action, _)| *action);
        known.or_else(to).ok_or_else(|| NoAction(text.to_owned()))
    }
}

impl From<Action> for String {
    fn from(action: Action) -> String {
        action.to_string()
    }
}

impl TryFrom<String> for Action {
    type Error = NoAction;

    fn try_from(text: String) -> Result<Action, NoAction> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_is_read_as_it_is_written() {
        let part = "0.5%".parse().expect("a part");
        for action in WORDS.iter().map(|(action, _)| *action).chain([Action::To(part)]) {
            let text = serde_json::to_string(&action).expect("JSON");
            assert_eq!(serde_json::from_str::<Action>(&text).expect("an action"), action, "{text}");
        }
        assert!("rollback".parse::<Action>().is_err() && "to 5".parse::<Action>().is_err());
    }
}
