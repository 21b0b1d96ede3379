//! The rules of `[check]` for functions, in sentences. In: a policy. Out: what counts as the same answer.

use tierup_parity::{
    Comparator, DuplicateKeys, ErrorBodies, JsonRules, LineEnds, Numbers, Path, Policy, TextRules, Tolerance,
    TrailingSpace,
};
use tierup_report::markdown::code;

/// One sentence for each rule, as Markdown.
pub(super) fn rules(policy: &Policy) -> Vec<String> {
    let mut rules = match &policy.bodies {
        Comparator::Exact => {
            vec!["Values are compared exactly: texts and bytes byte by byte, floats by their bits.".to_owned()]
        }
        Comparator::Status => vec!["Only success and error are compared; the value itself does not count.".to_owned()],
        Comparator::Text(rules) => text(rules),
        Comparator::Json(rules) => json(rules),
        Comparator::Normalized(command) => vec![format!(
            "Values are compared after the command {} has rewritten them. It reads a value on standard input.",
            code(&command.join(" "))
        )],
    };
    rules.push(
        match policy.errors {
            ErrorBodies::Status => {
                "Where the present code fails, the port must return an error; its message does not count."
            }
            ErrorBodies::Exact => "Where the present code fails, the port must return an error with the same message.",
        }
        .to_owned(),
    );
    rules.push("A panic is neither a value nor an error: no input may cause one.".to_owned());
    rules
}

fn text(rules: &TextRules) -> Vec<String> {
    let mut all = vec!["Values are compared line by line.".to_owned()];
    if rules.line_ends == LineEnds::Any {
        all.push("`\\r\\n` equals `\\n`.".to_owned());
    }
    if rules.trailing_space == TrailingSpace::Ignored {
        all.push("Spaces at the end of a line, and blank lines at the end, do not count.".to_owned());
    }
    all
}

fn json(rules: &JsonRules) -> Vec<String> {
    let JsonRules { ignore, unordered, numbers, tolerance, tolerances, duplicate_keys } = rules;
    let paths = |paths: &[Path]| paths.iter().map(|path| code(&path.to_string())).collect::<Vec<_>>().join(", ");
    let mut all = vec!["Values are compared as JSON: the order of keys does not count.".to_owned()];
    if !ignore.is_empty() {
        all.push(format!("Not compared: {}.", paths(ignore)));
    }
    if !unordered.is_empty() {
        all.push(format!("Lists in any order: {}.", paths(unordered)));
    }
    all.push(match numbers {
        Numbers::Exact => "Numbers are compared as they are written: `1.0` is not `1`.".to_owned(),
        Numbers::Value => "Numbers are compared by their value: `1.0` equals `1`.".to_owned(),
    });
    let within = |tolerance: &Tolerance| {
        format!("may differ by {} or by {} of the larger one", tolerance.absolute, tolerance.relative)
    };
    all.extend(tolerance.iter().map(|tolerance| format!("Numbers with a point or an exponent {}.", within(tolerance))));
    let at = |(path, tolerance): &(Path, Tolerance)| {
        format!("Numbers at {} {}.", code(&path.to_string()), within(tolerance))
    };
    all.extend(tolerances.iter().map(at));
    if *duplicate_keys == DuplicateKeys::Last {
        all.push("Of a duplicate key, the last value counts.".to_owned());
    }
    all
}
