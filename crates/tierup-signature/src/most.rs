//! Leaves out calls with values of an unusual kind: a hostile `?text=a&text=b` gives a list where all others give text.
//! In: seen calls, and the requests. Out: the requests at fault, with the number of calls; and the other calls.

use crate::{
    kinds::{Kind, split},
    origin::{SentRequest, during},
    seen::{Left, Seen},
};

/// The calls whose values are of the usual kind. It exists only if a few calls had values of another kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Most {
    /// The calls without those few.
    pub seen: Seen,
    /// A sentence for each argument or answer: its kind, the request, and the number of calls.
    pub left_out: Vec<String>,
}

impl Most {
    /// `None` if each argument was of one kind, or if the other kinds have no times. `shown` prints a request.
    pub fn find(seen: &Seen, asked: &[SentRequest], shown: impl Fn(&SentRequest) -> String) -> Option<Most> {
        let mut most = Most { seen: seen.clone(), left_out: Vec::new() };
        let mut out = Vec::new();
        for (place, kinds) in seen.kinds.iter().enumerate() {
            let Some((shape, odd)) = split(kinds) else { continue };
            let parameter = &mut most.seen.parameters[place];
            parameter.shape = shape;
            most.left_out.push(sentence(&parameter.name, kinds, &odd, asked, &shown));
            out.extend(odd.iter().flat_map(|kind| kind.times.clone()));
        }
        if let Some((shape, odd)) = split(&seen.answer_kinds) {
            most.seen.answer = Some(shape);
            most.left_out.push(sentence("the answer", &seen.answer_kinds, &odd, asked, &shown));
            out.extend(odd.iter().flat_map(|kind| kind.times.clone()));
        }
        let stays = |at: f64| !out.contains(&at);
        most.seen.entered.retain(|entered| stays(entered.at));
        most.seen.left.retain(|Left { at, .. }| {
            during(asked, *at).is_none_or(|one| !out.iter().any(|at| during(asked, *at) == Some(one)))
        });
        (!most.left_out.is_empty()).then_some(most)
    }
}

/// For example "`text` was a list in 1 of 41 calls, first in `GET /slug?text&text`".
fn sentence(
    name: &str,
    kinds: &[Kind],
    odd: &[&Kind],
    asked: &[SentRequest],
    shown: &impl Fn(&SentRequest) -> String,
) -> String {
    let all: usize = kinds.iter().map(|kind| kind.times.len()).sum();
    let part = |kind: &&Kind| {
        let mut times = kind.times.clone();
        times.sort_by(f64::total_cmp);
        let request = times.into_iter().find_map(|at| during(asked, at));
        let request = request.map_or_else(String::new, |asked| format!(", first in {}", shown(asked)));
        format!("{} in {} of {all} calls{request}", kind.shape.words(), kind.times.len())
    };
    let name = if name.contains(' ') { name.to_owned() } else { format!("`{name}`") };
    format!("{name} was {}", odd.iter().map(part).collect::<Vec<_>>().join(", and "))
}

#[cfg(test)]
mod tests {
    use tierup_codegen::Spelling;

    use super::*;
    use crate::{library, seen, signature};

    fn asked(target: &str, began: f64) -> SentRequest {
        SentRequest { method: "GET".to_owned(), target: target.to_owned(), body: Vec::new(), began, ended: began + 9.0 }
    }

    fn most(written: &str) -> Option<Most> {
        let written = format!(r#"{{"functions":[{written}]}}"#).into_bytes();
        let seen = seen(&[written.clone(), written], 1).unwrap().remove(0);
        let asked = [asked("/?text=a", 100.0), asked("/?text=a&text=b", 110.0)];
        Most::find(&seen, &asked, |asked| format!("`{}`", asked.without_values()))
    }

    #[test]
    fn a_request_with_another_kind_is_named_and_left_out() {
        let written = r#"{
            "parameters": [{ "name": "text", "shapes": [{"is":"text"},{"is":"list","of":[{"is":"text"}]},{"is":"absent"}],
                "times": [[101,102],[111],[103]] }],
            "answers": [{"is":"text"}], "answer_times": [[102,103,104,112]],
            "entered": [{"at":101,"words":["x"]},{"at":102,"words":["x"]},{"at":103,"words":[null]},{"at":111,"words":[null]}],
            "left": [{"at":102,"sha256":"a"},{"at":112,"sha256":"b"}]
        }"#;
        let Most { seen, left_out } = most(written).unwrap();
        assert_eq!(left_out, ["`text` was a list in 2 of 8 calls, first in `GET /?text&text`"]);
        assert_eq!((seen.entered.len(), seen.left.len()), (6, 2));
        let signature = signature("shout", &seen, Spelling::CamelCase).unwrap();
        let library = library(&signature, "shout", "a.js:1");
        assert!(library.contains("pub fn shout(text: Option<&str>) -> Result<String, String> {"), "{library}");
    }

    #[test]
    fn an_answer_of_another_kind_is_left_out() {
        let written = r#"{
            "parameters": [],
            "answers": [{"is":"text"},{"is":"list","of":[{"is":"text"}]}], "answer_times": [[102,103],[112]],
            "entered": [{"at":101,"words":[]},{"at":111,"words":[]}],
            "left": [{"at":102,"sha256":"a"},{"at":112,"sha256":"b"}]
        }"#;
        let Most { seen, left_out } = most(written).unwrap();
        assert_eq!(left_out, ["the answer was a list in 2 of 6 calls, first in `GET /?text&text`"]);
        assert!(seen.left.iter().all(|left| left.sha256.as_deref() == Some("a")), "{:?}", seen.left);
    }

    #[test]
    fn values_that_fit_one_type_are_one_kind() {
        let numbers = r#"{ "parameters": [{ "name": "n", "shapes": [{"is":"float"},{"is":"whole","signed":true,"large":false}],
            "times": [[1],[2]] }] }"#;
        assert_eq!(most(numbers), None);
        // One witness wrote no times, and most values of the other cannot cross.
        let untimed = r#"{ "parameters": [{ "name": "n", "shapes": [{"is":"text"},{"is":"bool"}] }] }"#;
        assert_eq!(most(untimed), None);
        let refused = r#"{ "parameters": [{ "name": "n", "shapes": [{"is":"refused","why":"a function"},{"is":"bool"}],
            "times": [[1,2],[3]] }] }"#;
        assert_eq!(most(refused), None);
    }
}
