//! The worlds in which ramps are simulated: what is true of the candidate, and what happens around it.

/// What is true in a simulation. Candidate and control are the same program, unless a field says otherwise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct World {
    pub(crate) name: &'static str,
    pub(crate) requests_a_second: f64,
    /// The part of the requests that is copied.
    pub(crate) copied: f64,
    /// Whether each request comes from a new client; otherwise `clients` clients send them, by Zipf's law.
    pub(crate) has_new_clients: bool,
    pub(crate) clients: usize,
    /// The part of control's answers that are 5xx, and the part that does not come in time.
    pub(crate) errors: f64,
    pub(crate) unanswered: f64,
    /// The part of the requests whose clients leave at once, whoever answers; and the part of the candidate's requests
    /// that it never answers, so that their clients leave after half a second.
    pub(crate) left: f64,
    pub(crate) hangs: f64,
    /// How many times as many bad answers the candidate gives.
    pub(crate) ratio: f64,
    /// The part of all answers that is odd: different when asked again.
    pub(crate) noise: f64,
    /// The part of odd answers on one of the routes.
    pub(crate) noise_of_one: f64,
    /// The part of the requests that the candidate always answers differently.
    pub(crate) wrong: f64,
    /// How often both sides are asked again before a difference counts as confirmed; with 0, none ever does.
    pub(crate) asked_again: u32,
    /// The part of the comparisons in which equal processes differ because each remembers its own answer, and for how
    /// many seconds at most they keep differing.
    pub(crate) remembered: (f64, f64),
    /// The number of different requests.
    pub(crate) pages: u64,
    /// Flags that each process polls for itself every 30 s: the part of the answers that a flag changes, and the
    /// average number of seconds between changes.
    pub(crate) flags: Option<(f64, f64)>,
    /// What an attacker with twenty public addresses sends, who knows the sides and takes a new key for each request.
    pub(crate) attack: Option<Attack>,
    /// Whether each client has a public address of its own.
    pub(crate) is_public: bool,
    /// Whether `GET /list` is a POST instead that is declared safe.
    pub(crate) has_safe_posts: bool,
    /// The number of networks from which all clients come; with 0, each client has its own address, public or not.
    pub(crate) offices: u64,
    /// Whether there is a second control process.
    pub(crate) has_twin: bool,
    /// How many times as long the candidate's answers take: all of them, and the slowest 3 %.
    pub(crate) slower: f64,
    pub(crate) slower_tail: f64,
    /// The load rises and falls ninefold, and failures come in bursts.
    pub(crate) drifts: bool,
    /// One client in a hundred gets a 5xx for every tenth request, from either side.
    pub(crate) has_bad_clients: bool,
    /// Every process stands still for 0.3 s a minute.
    pub(crate) stalls: bool,
    /// Answers take longer the busier a process is. It is fully busy at 60 % of all requests.
    pub(crate) is_loaded: bool,
    /// The candidate is slower only from this weight on, in per cent.
    pub(crate) slower_from: u16,
    /// Candidate and twin start cold: for about a minute of traffic they take four times as long.
    pub(crate) is_cold: bool,
    /// How the candidate breaks down, ten minutes after it reached the last step.
    pub(crate) breaks: Option<Breaks>,
}

/// What an attacker sends to the candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attack {
    /// Requests that fail at every server, and requests whose clients leave early.
    Failing,
    /// Requests that the candidate answers differently.
    Odd,
}

/// What happens to all answers of the candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Breaks {
    Errors,
    /// No answer comes in time.
    Hangs,
    /// Each answer takes 8 s.
    Slow,
}

pub(crate) const SAME: World = World {
    name: "the same program twice",
    requests_a_second: 1000.0,
    copied: 0.2,
    has_new_clients: false,
    clients: 10_000,
    errors: 0.001,
    unanswered: 0.0002,
    left: 0.001,
    hangs: 0.0,
    ratio: 1.0,
    noise: 0.001,
    noise_of_one: 0.001,
    wrong: 0.0,
    asked_again: tierup_rollout::evidence::CONFIRMATIONS,
    remembered: (0.0, 0.0),
    pages: 1000,
    flags: None,
    attack: None,
    is_public: false,
    has_safe_posts: false,
    offices: 0,
    has_twin: true,
    slower: 1.0,
    slower_tail: 1.0,
    drifts: false,
    has_bad_clients: false,
    stalls: false,
    is_loaded: false,
    slower_from: 0,
    is_cold: false,
    breaks: None,
};

/// Worlds in which a rollback is a false alarm.
pub(crate) const INNOCENT: [World; 18] = [
    SAME,
    World { name: "drifting load, bursts of failures", drifts: true, ..SAME },
    World { name: "sticky Zipf keys, 1 % of them 10 % bad", has_bad_clients: true, ..SAME },
    World { name: "each process stalls 0.3 s a minute", stalls: true, ..SAME },
    World { name: "sticky Zipf keys, and answers that take longer under load", is_loaded: true, ..SAME },
    World { name: "a cold start of 60 s", is_cold: true, ..SAME },
    World { name: "1.2 times the failures (tolerated: 1.25)", ratio: 1.2, ..SAME },
    World { name: "on one route 10 % of the answers are odd", noise_of_one: 0.1, ..SAME },
    World { name: "on one route 50 % of the answers are odd", noise_of_one: 0.5, ..SAME },
    World { name: "a cache of 30 s in each process", remembered: (0.004, 30.0), ..SAME },
    World { name: "a cache of 5 min in each process", remembered: (0.004, 300.0), ..SAME },
    World { name: "a cache of 30 s, safe POST", remembered: (0.004, 30.0), has_safe_posts: true, ..SAME },
    World { name: "flags, half of the answers, safe POST", flags: Some((0.5, 300.0)), has_safe_posts: true, ..SAME },
    World { name: "five offices", offices: 5, ..SAME },
    World { name: "replicas that are behind by 2 s", remembered: (0.004, 2.0), ..SAME },
    World { name: "flags polled every 30 s, half of the answers, every 5 min", flags: Some((0.5, 300.0)), ..SAME },
    World { name: "flags polled every 30 s, 1 % of the answers, every 5 min", flags: Some((0.01, 300.0)), ..SAME },
    World {
        name: "all of these at once",
        drifts: true,
        has_bad_clients: true,
        stalls: true,
        is_loaded: true,
        is_cold: true,
        ratio: 1.2,
        noise_of_one: 0.1,
        ..SAME
    },
];

/// Worlds in which somebody attacks the ramp: the attacker may make it wait, but neither end nor advance it.
pub(crate) const ATTACKED: [World; 4] = [
    World {
        name: "twenty public addresses with any number of keys, failing requests",
        attack: Some(Attack::Failing),
        ..SAME
    },
    World {
        name: "the same beside five offices, at 20 requests a second",
        attack: Some(Attack::Failing),
        offices: 5,
        clients: 300,
        requests_a_second: 20.0,
        ..SAME
    },
    World { name: "twenty public addresses with any number of keys, odd requests", attack: Some(Attack::Odd), ..SAME },
    World { name: "the same, odd requests without a twin", attack: Some(Attack::Odd), has_twin: false, ..SAME },
];

/// The world in which asking again only once holds equal candidates.
pub(crate) const ASKED_ONCE: World =
    World { name: "both are asked again once, not three times", asked_again: 1, ..SAME };

/// Worlds in which the candidate is worse and must be found.
pub(crate) const GUILTY: [World; 28] = [
    World { name: "0.1 % wrong answers", wrong: 0.001, copied: 0.01, ..SAME },
    World { name: "wrong to everybody, one request, no twin", wrong: 1.0, pages: 1, has_twin: false, ..SAME },
    World { name: "wrong to everybody, one request", wrong: 1.0, pages: 1, ..SAME },
    World { name: "0.1 % wrong, not confirmed", wrong: 0.001, asked_again: 0, ..SAME },
    World { name: "40 % have no answer, clients leave after 0.5 s", hangs: 0.4, ..SAME },
    World { name: "5xx rise from 0.01 to 0.11 %", errors: 0.0001, unanswered: 0.0, ratio: 11.0, ..SAME },
    World { name: "the same, public addresses", errors: 0.0001, unanswered: 0.0, ratio: 11.0, is_public: true, ..SAME },
    World { name: "1.5 times the failures, new clients", errors: 0.01, ratio: 1.5, has_new_clients: true, ..SAME },
    World { name: "the same among 10,000 clients", errors: 0.01, ratio: 1.5, ..SAME },
    World { name: "5 times the errors of 1 %, 300 clients", errors: 0.01, ratio: 5.0, clients: 300, ..SAME },
    World { name: "5 times the errors of 1 %, 3,000 clients", errors: 0.01, ratio: 5.0, clients: 3_000, ..SAME },
    World { name: "5 times the errors of 0.1 %, 300 clients", ratio: 5.0, clients: 300, ..SAME },
    World { name: "all answers take 20 % longer", slower: 1.2, ..SAME },
    World { name: "the slowest 3 % take 20 % longer", slower_tail: 1.2, ..SAME },
    World { name: "the slowest 3 %, at 100 requests a second", slower_tail: 1.2, requests_a_second: 100.0, ..SAME },
    World {
        name: "the slowest 3 %, with a cold start and stalls",
        slower_tail: 1.2,
        is_cold: true,
        stalls: true,
        ..SAME
    },
    World { name: "the slowest 3 %, and answers take longer under load", slower_tail: 1.2, is_loaded: true, ..SAME },
    World {
        name: "the slowest 3 %, under load, from the first client on",
        slower_tail: 1.2,
        is_loaded: true,
        slower_from: 1,
        ..SAME
    },
    World { name: "5xx to everybody, from 99 % on", breaks: Some(Breaks::Errors), ..SAME },
    World {
        name: "5xx to everybody, from 99 % on, at 100 requests a second",
        breaks: Some(Breaks::Errors),
        requests_a_second: 100.0,
        ..SAME
    },
    World {
        name: "5xx to everybody, from 99 % on, public addresses",
        breaks: Some(Breaks::Errors),
        is_public: true,
        ..SAME
    },
    World { name: "5xx to everybody, from 99 % on, five offices", breaks: Some(Breaks::Errors), offices: 5, ..SAME },
    World { name: "no answer to anybody, from 99 % on, five offices", breaks: Some(Breaks::Hangs), offices: 5, ..SAME },
    World { name: "no answer to anybody, from 99 % on", breaks: Some(Breaks::Hangs), ..SAME },
    World { name: "each answer takes 8 s, from 99 % on", breaks: Some(Breaks::Slow), ..SAME },
    World {
        name: "each answer takes 8 s, from 99 % on, public addresses",
        breaks: Some(Breaks::Slow),
        is_public: true,
        ..SAME
    },
    World { name: "all answers take three times as long, from 50 % on", slower: 3.0, slower_from: 50, ..SAME },
    World { name: "all answers take twenty times as long, from 99 % on", slower: 20.0, slower_from: 99, ..SAME },
];
