//! The requests for servers: the project's own, kept ones, and hostile variations of the project's.

use std::collections::HashSet;

use rand::{SeedableRng as _, seq::SliceRandom as _};
use rand_chacha::ChaCha8Rng;
use tierup_parity::{Framing, Limits, Methods, hostile};
use tierup_requests::Request;
use tierup_subject::{Ask, Behaviour};

use crate::cut::cut;

/// One request, and how to send it.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// For people: the request's name, or how it was made hostile.
    pub(crate) what: String,
    pub(crate) origin: Origin,
    pub(crate) request: Request,
    pub(crate) framing: Framing,
    /// What the service behind the server does meanwhile.
    pub(crate) behaviour: Behaviour,
}

/// The origin of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The requests file.
    File,
    /// `corpus/requests`.
    Kept,
    Hostile,
    /// A request of the file, sent while the service behind the server fails.
    Failing,
}

/// The rules for making hostile requests.
pub(crate) struct Hostility {
    /// The approximate maximum of hostile requests. Kinds of requests share it equally.
    pub(crate) most: usize,
    pub(crate) limits: Limits,
    pub(crate) methods: Methods,
    pub(crate) seed: u64,
    /// Whether there is a service behind the server that may fail.
    pub(crate) has_downstream: bool,
    /// Hostile requests whose description starts so are skipped, by `skip` in tierup.toml.
    pub(crate) skip: Vec<String>,
}

impl Origin {
    /// Whether it is neither in the requests file nor in the corpus. A server may leave such a question unanswered.
    pub(crate) fn is_made_up(self) -> bool {
        matches!(self, Origin::Hostile | Origin::Failing)
    }
}

impl Hostility {
    fn skips(&self, question: &Question) -> bool {
        self.skip.iter().any(|skip| question.what.starts_with(skip))
    }
}

/// While there are fewer hostile requests than this, further requests of the same kinds are varied too.
const ENOUGH: usize = 250;

impl Question {
    pub(crate) fn good(request: Request, origin: Origin) -> Question {
        let what = request.name.clone();
        Question { what, origin, request, framing: Framing::Length, behaviour: Behaviour::Answers }
    }

    /// `POST /items`, and on a second line how it was made hostile: `body: cut in the middle`.
    pub(crate) fn words(&self) -> String {
        const MOST: usize = 100;
        let line = format!("{} {}", self.request.method, self.request.target);
        let line = cut(&line, MOST);
        let is_plain = !self.origin.is_made_up() && self.behaviour == Behaviour::Answers;
        if is_plain { line } else { format!("{line}\n{}", self.what) }
    }

    /// The question as a session takes it.
    pub(crate) fn ask(&self) -> Ask<'_> {
        /// A smaller request fits into the buffers of a connection and is sent whole.
        const LARGE: usize = 64 << 10;
        Ask {
            request: &self.request,
            framing: self.framing,
            behaviour: self.behaviour,
            may_break_off: self.origin != Origin::File && self.size() > LARGE,
            may_go_unanswered: self.origin.is_made_up(),
        }
    }

    /// The size of the request, in bytes.
    pub(crate) fn size(&self) -> usize {
        let headers: usize = self.request.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        self.request.target.len() + headers + self.request.body.len()
    }
}

/// Hostile variations of one request per kind, and of more requests if these are few. If the service behind the server
/// may fail, also each of those requests while it does.
pub(crate) fn hostile_questions(good: &[Request], hostility: &Hostility) -> Vec<Question> {
    let mut random = ChaCha8Rng::seed_from_u64(hostility.seed);
    let mut kinds = HashSet::new();
    let (first, others): (Vec<&Request>, Vec<&Request>) = good.iter().partition(|request| kinds.insert(kind(request)));
    // At least one of each kind, as long as `most` allows: CI asks for 40, and a server may have more routes.
    let share = (hostility.most / first.len().max(1)).max(1);
    let (mut all, mut left): (Vec<Question>, usize) = (Vec::new(), hostility.most);
    for (number, request) in first.iter().chain(&others).enumerate() {
        let is_first = number < first.len();
        if !is_first && all.len() >= ENOUGH.min(hostility.most) {
            break;
        }
        let mut made: Vec<Question> = hostile(request, hostility.limits, hostility.methods)
            .into_iter()
            .map(|hostile| Question {
                what: hostile.what,
                origin: Origin::Hostile,
                request: hostile.request,
                framing: hostile.framing,
                behaviour: Behaviour::Answers,
            })
            .collect();
        made.retain(|question| !hostility.skips(question));
        let share = share.min(left);
        if made.len() > share {
            // Chosen at random, but kept in order.
            let mut chosen: Vec<usize> = (0..made.len()).collect();
            chosen.shuffle(&mut random);
            chosen.truncate(share);
            chosen.sort_unstable();
            let mut chosen = chosen.into_iter().peekable();
            let mut index = 0;
            made.retain(|_| {
                index += 1;
                chosen.next_if_eq(&(index - 1)).is_some()
            });
        }
        left -= made.len();
        all.extend(made);
        // This request keeps its credentials, and a check must not repeat a `DELETE`.
        if hostility.has_downstream && is_first && request.method != "DELETE" {
            all.extend(failing(request).into_iter().filter(|question| !hostility.skips(question)));
        }
    }
    all
}

/// A good request while the service behind the server fails, in two ways.
fn failing(request: &Request) -> [Question; 2] {
    [(Behaviour::Fails, "it answers 503"), (Behaviour::Closes, "it closes the connection")].map(|(behaviour, what)| {
        Question { what: format!("downstream: {what}"), behaviour, ..Question::good(request.clone(), Origin::Failing) }
    })
}

/// The kind of a request. Requests of one kind differ only in values.
fn kind(request: &Request) -> String {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let mut names: Vec<&str> = query.split('&').map(|pair| pair.split('=').next().unwrap_or("")).collect();
    names.sort_unstable();
    let content_type = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let content_type = content_type.map_or("", |(_, value)| value);
    format!("{} {path} {names:?} {content_type} {}", request.method, request.body.is_empty())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use tierup_requests::{Context, Moment, Templates};

    use super::*;

    fn requests(text: &str) -> Vec<Request> {
        let templates = Templates::parse("requests.http", text).expect("the requests are sound");
        let context = Context::new(Moment { unix_milliseconds: 0, utc_offset_minutes: 0 });
        templates.expand(10, 0, &context).expect("there are no variables").requests
    }

    fn hostility(most: usize) -> Hostility {
        let (limits, methods) = (Limits::default(), Methods::Safe);
        Hostility { most, limits, methods, seed: 1, has_downstream: true, skip: vec!["method".into()] }
    }

    #[test]
    fn every_kind_gets_an_equal_share() {
        let good =
            requests("GET /a?b=1\n\n###\nGET /a?b=2\n\n###\nPOST /c\nContent-Type: application/json\n\n{\"d\":1}\n");
        let made = hostile_questions(&good, &hostility(60));
        let of = |path: &str| made.iter().filter(|question| question.request.target.starts_with(path)).count();
        // Some requests of `/c` leave its path, and two per kind are for a failing service.
        assert!(made.len() <= 64 && (28..=32).contains(&of("/c")), "{} and {}", made.len(), of("/c"));
        let all = hostile_questions(&good, &hostility(10_000));
        assert!(all.len() > 150, "{}", all.len());
        assert!(all.iter().all(|question| !question.what.starts_with("method")));
        let failing = all.iter().filter(|question| question.behaviour != Behaviour::Answers);
        expect!["4"].assert_eq(&failing.count().to_string());
    }

    #[test]
    fn every_kind_gets_a_hostile_request_while_there_are_any() {
        let routes: Vec<String> = (0..5).map(|route| format!("GET /{route}?b=1\n")).collect();
        let mut made = hostile_questions(&requests(&routes.join("\n###\n")), &hostility(3));
        made.retain(|question| question.origin == Origin::Hostile);
        assert_eq!(made.len(), 3, "{made:?}");
    }

    #[test]
    fn good_requests_while_the_service_fails_are_not_hostile() {
        let text = "GET /a\nAuthorization: Bearer literal\n\n###\nDELETE /b\n";
        let failing = |skip: &str| -> Vec<Question> {
            let hostility = Hostility { skip: vec![skip.into()], ..hostility(10_000) };
            let all = hostile_questions(&requests(text), &hostility).into_iter();
            all.filter(|question| question.behaviour != Behaviour::Answers).collect()
        };
        let made = failing("method");
        assert_eq!(made.len(), 2, "none is made of a DELETE: {made:?}");
        assert!(made.iter().all(|one| one.origin == Origin::Failing && one.request.headers.len() == 1), "{made:?}");
        assert_eq!(failing("downstream: it answers").len(), 1);
        assert_eq!(failing("downstream").len(), 0);
    }

    #[test]
    fn a_question_is_shown_on_one_or_two_lines() {
        let good = requests(&format!("GET /a?b={}\n", "x".repeat(200)));
        let mut question = Question::good(good[0].clone(), Origin::File);
        assert!(question.words().ends_with("x… (209 bytes)"), "{}", question.words());
        question.origin = Origin::Hostile;
        question.what = "query: `b` is missing".into();
        assert!(question.words().ends_with("\nquery: `b` is missing"));
    }
}
