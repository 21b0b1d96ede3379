//! Prepares one difference between servers for the report: masked, and with the command that repeats it.

use tierup_codegen::quoted;
use tierup_diagnostic::Result;
use tierup_parity::{Observation, Seen, compare, diff};
use tierup_project::shown;

use crate::{
    asked::LabelledServer,
    case,
    comparison::Comparison,
    counterexample::{Counterexample, Pair},
    found::{Found, Grouped},
    questions::Origin,
    report::{Detail, Mismatch},
    servers::Servers,
    shown_value::Hiding,
    without_secrets,
};

impl Servers<'_> {
    /// `number` names the file of the case.
    pub(crate) fn mismatch(
        &self,
        group: &Grouped,
        number: usize,
        (control, found, others): (&[Observation], &[Found], &[LabelledServer]),
        noisy: &[bool],
        comparison: &Comparison,
    ) -> Result<Mismatch> {
        let question = &self.questions[group.index];
        let row = group.rows[0];
        let file = case::write_request(&self.cases, &number.to_string(), question)?;
        let what = match file {
            Some(file) => format!("--case {}", quoted(&shown(&file))),
            None => self.everything.clone(),
        };
        let words = [&self.again, &others[row].again, &what].map(String::as_str);
        let again = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let (mine, theirs) = (&control[group.index], &found[row].seen[group.index]);
        let policy = comparison.policy(Some(&question.request.target));
        let masked = without_secrets::both(mine, theirs, self.secrets);
        let detail = match &masked {
            Some((mine, theirs)) => {
                without_secrets::detail(&group.detail, &compare(mine, theirs, &policy), self.secrets)
            }
            None => group.detail.clone(),
        };
        let (mine, theirs) = masked.as_ref().map_or((mine, theirs), |(mine, theirs)| (mine, theirs));
        let pair = Pair { expected: mine, got: theirs, first_difference: detail.first() };
        let counterexample = Counterexample::of_request(question, pair, &Hiding::known(self.secrets));
        Ok(Mismatch {
            counterexample,
            rows: group.rows.iter().map(|row| found[*row].label.clone()).collect(),
            alike: group.alike,
            input: question.words(),
            size: question.size(),
            origin: match question.origin {
                Origin::File => format!("request `{}`", question.what),
                Origin::Kept => "kept in corpus/requests".to_owned(),
                Origin::Hostile => "hostile request".to_owned(),
                Origin::Failing => "request of the file, while the downstream fails".to_owned(),
            },
            detail,
            diff: side_by_side(mine, theirs, &group.detail, comparison),
            again,
            is_noise: noisy[group.index],
        })
    }
}

/// The diff of both bodies. If the statuses differ, it shows the servers' error messages.
fn side_by_side(mine: &Observation, theirs: &Observation, detail: &Detail, comparison: &Comparison) -> String {
    if matches!(detail, Detail::Error(_)) {
        return String::new();
    }
    match (&mine.seen, &theirs.seen) {
        (Seen::Answer(mine), Seen::Answer(theirs)) => diff(&mine.body, &theirs.body, &comparison.policy(None).bodies),
        _ => String::new(),
    }
}
