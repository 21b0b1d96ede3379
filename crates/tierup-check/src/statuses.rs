//! The control's answers, counted by class of status: two servers that fail at everything agree, too.

use std::collections::BTreeMap;

use serde::Serialize;
use tierup_parity::{Observation, Seen};

use super::questions::{Origin, Question};

/// The control's answers to one kind of request.
#[derive(Debug, Clone, Serialize)]
pub struct Statuses {
    /// `from the requests file`, `kept`, `hostile`, `while the downstream fails`.
    pub requests: &'static str,
    /// Number of answers by class: `2xx`, and `no answer` where none came.
    pub classes: BTreeMap<String, usize>,
}

impl Origin {
    pub(crate) const ALL: [Origin; 4] = [Origin::File, Origin::Kept, Origin::Hostile, Origin::Failing];

    /// For counts.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Origin::File => "from the requests file",
            Origin::Kept => "kept",
            Origin::Hostile => "hostile",
            Origin::Failing => "while the downstream fails",
        }
    }
}

/// One entry for each kind of request that there is.
pub(crate) fn statuses(questions: &[Question], seen: &[Observation]) -> Vec<Statuses> {
    let of = |origin: Origin| {
        let mut classes = BTreeMap::new();
        for (_, one) in questions.iter().zip(seen).filter(|(question, _)| question.origin == origin) {
            *classes.entry(class(&one.seen)).or_default() += 1;
        }
        Statuses { requests: origin.kind(), classes }
    };
    Origin::ALL.into_iter().map(of).filter(|statuses| !statuses.classes.is_empty()).collect()
}

/// Whether requests of the file were answered, and each with an error: then rows agree about errors alone.
pub(crate) fn are_all_errors(questions: &[Question], seen: &[Observation]) -> bool {
    let of_file = || questions.iter().zip(seen).filter(|(question, _)| question.origin == Origin::File);
    let is_good = |seen: &Seen| matches!(seen, Seen::Answer(answer) if answer.status < 400);
    of_file().any(|(_, one)| matches!(one.seen, Seen::Answer(_))) && !of_file().any(|(_, one)| is_good(&one.seen))
}

fn class(seen: &Seen) -> String {
    match seen {
        Seen::Answer(answer) => format!("{}xx", answer.status / 100),
        Seen::Skipped(_) => "not sent".to_owned(),
        Seen::Nothing(_) | Seen::Call(_) => "no answer".to_owned(),
    }
}
