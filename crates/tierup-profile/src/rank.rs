//! The hot functions of the user's own code, and where the rest of the CPU goes. In: a [`Profile`]. Out: a [`Ranking`],
//! whose self shares sum to one.

mod counting;
mod known;
mod observed;
mod ownership;
mod sums;

use std::collections::BTreeMap;

use tierup_codegen::KnownCost;

use crate::{
    bound::Rewrite,
    profile::{Frame, FrameId, Kind, Profile, Unit},
    share::Share,
    weights::{Weights, Whole},
};
use counting::Counting;
pub use observed::{CallCost, Observed};
use sums::Sums;

/// A function that spends more than this part of its time in input and output is no candidate.
const MOST_IO: f64 = 0.02;
/// A function that has this part of its caller's owned share is all that the caller does.
const ALL: f64 = 0.9;

/// Where the CPU went.
#[derive(Debug, Clone)]
pub struct Ranking {
    /// The user's own functions, by owned share; only the first candidate is before those that wrap it.
    pub functions: Vec<Function>,
    /// Everything else, by self share.
    pub rest: Vec<Rest>,
    /// How much was sampled, without idle time, in [`unit`](Ranking::unit).
    pub sampled: f64,
    pub unit: Unit,
    /// Time in which threads waited.
    pub idle: f64,
    /// What the shares are of, in [`unit`](Ranking::unit).
    pub whole: f64,
    pub of: Whole,
    /// On how many blocks the intervals rest.
    pub blocks: usize,
    pub host: Option<String>,
    /// Known costs of libraries that are large here, with their shares.
    pub known: Vec<(KnownCost, f64)>,
    /// What a call of Rust costs, where calls were counted.
    pub call_cost: Option<CallCost>,
}

/// A function of the user's own code.
#[derive(Debug, Clone)]
pub struct Function {
    pub id: FrameId,
    pub frame: Frame,
    /// It ran itself.
    pub itself: Share,
    /// It was on the stack.
    pub total: Share,
    /// It was on the stack, or a package ran that only it reaches.
    pub owned: Share,
    /// The packages that only it reaches.
    pub packages: Vec<String>,
    /// Why it cannot be moved as it is, where that is known.
    pub hindrance: Option<Hindrance>,
    /// What single requests showed of it, if it was watched and called.
    pub observed: Option<Observed>,
    /// What is assumed of its rewrite.
    pub rewrite: Rewrite,
}

/// Why a function is no candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Hindrance {
    /// It reads or writes files or sockets, in this part of its time; the function that does.
    Io { share: f64, through: String },
    /// It is where the program or a module begins.
    Entry,
    /// What it is given or answers cannot cross to Rust, for these reasons.
    CannotCross(Vec<String>),
    /// It is called so often for each request that the calls of Rust would cost more than it takes now.
    Crossings { calls: f64 },
}

/// CPU outside the user's own functions.
#[derive(Debug, Clone)]
pub struct Rest {
    pub what: What,
    pub share: Share,
}

/// Whose it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    Package(String),
    Kind(Kind),
    /// Work that the kernel has counted and the sensor does not sample: what it is.
    Unsampled(String),
    /// The processes took it, and the sensor did not see it: threads that it does not know, for instance.
    Unseen,
}

/// Ranks the functions of a profile.
pub fn rank(profile: &Profile) -> Ranking {
    let weights = Weights::of(profile);
    let mut own: BTreeMap<FrameId, Times> = BTreeMap::new();
    let mut rest: BTreeMap<What, Sums> = BTreeMap::new();
    let blocks = weights.whole.len();
    let ownership = ownership::of(profile, &weights);
    let mut counting = Counting::of(profile);
    for (stack, times) in &weights.stacks {
        let frames = profile.root_first(*stack);
        let kind = |id: FrameId| profile.frame_of(id).kind;
        if let Some(leaf) = frames.last() {
            match kind(*leaf) {
                kind if kind.is_own() => own.entry(*leaf).or_insert_with(|| Times::new(blocks)).itself.add(times),
                _ => rest.entry(what(profile.frame_of(*leaf))).or_insert_with(|| Sums::new(blocks)).add(times),
            }
        }
        let mut is_first = counting.on(*stack);
        // What the runtime keeps in a file for itself is no input or output of its callers.
        let until = frames.iter().position(|id| kind(*id) == Kind::Cache).unwrap_or(frames.len());
        let io = frames[..until].iter().rposition(|id| kind(*id) == Kind::Io);
        for (number, id) in frames.iter().enumerate().filter(|(_, id)| kind(**id).is_own()) {
            let found = own.entry(*id).or_insert_with(|| Times::new(blocks));
            // A function that calls itself is on a stack several times.
            if !is_first(*id) {
                continue;
            }
            found.total.add(times);
            if let Some(io) = io.filter(|io| *io > number) {
                *found.io.entry(frames[io]).or_default() += times.iter().sum::<f64>();
            }
        }
        for id in ownership.of_lost(profile, &frames) {
            let found = own.entry(id).or_insert_with(|| Times::new(blocks));
            found.lost.add(times);
            // Also above the package, as where a client's socket has data for it.
            if let Some(io) = io {
                *found.io.entry(frames[io]).or_default() += times.iter().sum::<f64>();
            }
        }
    }
    if weights.unseen.iter().sum::<f64>() > 0.0 {
        rest.entry(What::Unseen).or_insert_with(|| Sums::new(blocks)).add(&weights.unseen);
    }
    let mut functions: Vec<Function> =
        own.into_iter().map(|(id, times)| function(profile, id, &times, &weights, &ownership)).collect();
    functions.sort_by(|one, other| {
        let key = |function: &Function| [function.owned.value, function.total.value, function.itself.value];
        key(other).partial_cmp(&key(one)).unwrap_or(std::cmp::Ordering::Equal)
    });
    unwrap_first(profile, &weights, &mut functions);
    let mut rest: Vec<Rest> =
        rest.into_iter().map(|(what, sums)| Rest { what, share: sums.share(&weights.whole) }).collect();
    rest.sort_by(|one, other| other.share.value.total_cmp(&one.share.value));
    Ranking {
        functions,
        rest,
        sampled: sampled(profile, &weights),
        unit: profile.unit,
        idle: weights.idle,
        whole: weights.whole.iter().sum(),
        of: weights.of,
        blocks: weights.whole.iter().filter(|whole| **whole > 0.0).count(),
        host: profile.host.clone(),
        known: known::of(profile, &weights),
        call_cost: None,
    }
}

/// The time that the sensor has sampled.
fn sampled(profile: &Profile, weights: &Weights) -> f64 {
    let is_sampled = |stack| profile.frame_of(profile.parts(stack).1).kind != Kind::Unsampled;
    weights.stacks.iter().filter(|(stack, _)| is_sampled(*stack)).flat_map(|(_, times)| times).sum()
}

/// Puts the innermost function in front of the first candidate, where that one only wraps it: a handler that does little
/// but call the hot function is not what to rewrite.
fn unwrap_first(profile: &Profile, weights: &Weights, functions: &mut [Function]) {
    let is_candidate = |function: &Function| function.hindrance.is_none();
    let Some(first) = functions.iter().position(is_candidate) else { return };
    let outer = &functions[first];
    let mut beneath: BTreeMap<FrameId, Beneath> = BTreeMap::new();
    let whole: f64 = weights.whole.iter().sum();
    let mut counting = Counting::of(profile);
    for (stack, times) in &weights.stacks {
        let frames = profile.root_first(*stack);
        let mut is_first = counting.on(*stack);
        let mut place = None;
        for (number, id) in frames.iter().enumerate().filter(|(_, id)| is_first(**id)) {
            let Some(place) = place else {
                place = (*id == outer.id).then_some(number);
                continue;
            };
            let share = times.iter().sum::<f64>() / whole;
            let beneath = beneath.entry(*id).or_default();
            beneath.share += share;
            beneath.depth += share * (number - place) as f64;
        }
    }
    let wrapped = functions.iter().enumerate().skip(first + 1).filter_map(|(place, inner)| {
        let beneath = beneath.get(&inner.id)?;
        let is_all = inner.owned.value >= ALL * outer.owned.value && beneath.share >= ALL * inner.total.value;
        (is_candidate(inner) && is_all).then_some((place, beneath.depth / beneath.share))
    });
    if let Some((innermost, _)) = wrapped.max_by(|one, other| one.1.total_cmp(&other.1)) {
        functions[first..=innermost].rotate_right(1);
    }
}

/// Where a function is beneath another: in this share of everything, and how many calls deeper times that share.
#[derive(Debug, Clone, Copy, Default)]
struct Beneath {
    share: f64,
    depth: f64,
}

impl Ranking {
    /// The functions that could be moved, the hottest first.
    pub fn candidates(&self) -> impl Iterator<Item = &Function> {
        self.functions.iter().filter(|function| function.hindrance.is_none())
    }

    /// The share of everything that has no name.
    pub fn unnamed(&self) -> f64 {
        let unnamed = self.rest.iter().filter(|rest| rest.what == What::Kind(Kind::Unnamed));
        unnamed.map(|rest| rest.share.value).sum()
    }

    /// Whether rules of a host told the user's own code from the rest.
    pub fn knows_others(&self) -> bool {
        let of_others = |what: &What| matches!(what, What::Package(_) | What::Kind(Kind::Runtime | Kind::Io));
        self.rest.iter().any(|rest| of_others(&rest.what))
    }
}

/// Time of one function.
struct Times {
    itself: Sums,
    total: Sums,
    /// In packages that only it reaches, on stacks that have lost it.
    lost: Sums,
    /// In input and output beneath it, by the innermost such frame.
    io: BTreeMap<FrameId, f64>,
}

impl Times {
    fn new(blocks: usize) -> Times {
        let none = || Sums::new(blocks);
        Times { itself: none(), total: none(), lost: none(), io: BTreeMap::new() }
    }
}

fn function(
    profile: &Profile,
    id: FrameId,
    times: &Times,
    weights: &Weights,
    ownership: &ownership::Ownership,
) -> Function {
    let mut owned = times.total.clone();
    owned.add(times.lost.blocks());
    let frame = profile.frame_of(id);
    let hindrance = if frame.kind == Kind::Entry { Some(Hindrance::Entry) } else { io(profile, times, owned.sum()) };
    Function {
        id,
        frame: frame.clone(),
        itself: times.itself.share(&weights.whole),
        total: times.total.share(&weights.whole),
        owned: owned.share(&weights.whole),
        packages: ownership.packages(id),
        hindrance,
        observed: None,
        rewrite: Rewrite::default(),
    }
}

/// Input and output beneath a function, where it is more than a little.
fn io(profile: &Profile, times: &Times, owned: f64) -> Option<Hindrance> {
    let share = times.io.values().sum::<f64>() / owned;
    let (through, _) = times.io.iter().max_by(|one, other| one.1.total_cmp(other.1)).filter(|_| share > MOST_IO)?;
    let Frame { function, file, .. } = profile.frame_of(*through);
    let place = if file.is_empty() { String::new() } else { format!(" ({file})") };
    Some(Hindrance::Io { share, through: format!("{function}{place}") })
}

fn what(frame: &Frame) -> What {
    match frame.kind {
        Kind::Package => What::Package(frame.package.clone()),
        Kind::Cache => What::Kind(Kind::Runtime),
        Kind::Unsampled => What::Unsampled(frame.function.clone()),
        kind => What::Kind(kind),
    }
}

#[cfg(test)]
mod tests {
    use tierup_codegen::{FrameRule, PackageEnds, Pattern};

    use super::*;
    use crate::{Naming, Reading};

    const RULES: &[FrameRule] = &[
        FrameRule::file(Pattern::Starts("node:cache"), Kind::Cache),
        FrameRule::file(Pattern::Starts("node:net"), Kind::Io),
        FrameRule::file(Pattern::Starts("node:"), Kind::Runtime),
        FrameRule::packages("/node_modules/", PackageEnds::Scoped),
    ];

    /// `own:f` is the user's, `rt:f` the runtime's, `io:f` writes to a socket, any other `p:f` is of package p.
    pub(super) fn profile(lines: &[(&str, u32)]) -> Profile {
        let text: String = lines
            .iter()
            .map(|(stack, count)| {
                let frames = stack.split(' ').map(|frame| match frame.split_once(':').unwrap() {
                    ("own", name) => format!("{name} (/srv/app.js:1)"),
                    ("rt", name) => format!("{name} (node:timers:1)"),
                    ("cache", name) => format!("{name} (node:cache:1)"),
                    ("io", name) => format!("{name} (node:net:1)"),
                    (package, name) => format!("{name} (/srv/node_modules/{package}/index.js:1)"),
                });
                format!("{} {count}\n", frames.collect::<Vec<_>>().join(";"))
            })
            .collect();
        let reading = Reading { naming: Naming { rules: RULES, own: &[] }, ..Reading::default() };
        crate::read(text.as_bytes(), &reading).unwrap()
    }

    fn row(ranking: &Ranking, name: &str) -> (f64, f64, f64, String) {
        let found = ranking.functions.iter().find(|function| function.frame.function == name).unwrap();
        let percent = |share: Share| (share.value * 1000.0).round() / 10.0;
        (percent(found.itself), percent(found.total), percent(found.owned), found.packages.join(" "))
    }

    #[test]
    fn a_function_owns_the_packages_that_only_it_reaches() {
        let profile = profile(&[
            ("rt:listen express:route own:handler own:hot qr:create", 10),
            ("rt:listen express:route own:handler express:send io:write", 10),
            // A continuation has lost its caller.
            ("rt:tick png:pack qr:encode", 30),
            ("rt:tick qr:encode rt:deflate", 20),
            // The framework, before it reaches the user's code: nobody's.
            ("rt:listen express:route", 20),
            // A package that the hot function has not been seen to reach: nobody's.
            ("rt:tick png:pack", 10),
        ]);
        let ranking = rank(&profile);
        assert_eq!(row(&ranking, "hot"), (0.0, 10.0, 60.0, "qr".into()));
        // The package's callers own it as well, but not the framework that calls them.
        assert_eq!(row(&ranking, "handler"), (0.0, 20.0, 70.0, "qr".into()));
        let io = |name: &str| ranking.functions.iter().find(|f| f.frame.function == name).unwrap().hindrance.clone();
        assert_eq!(io("hot"), None);
        let Some(Hindrance::Io { share, through }) = io("handler") else { panic!() };
        assert!((share - 10.0 / 70.0).abs() < 1e-9 && through == "write (node:net)");
        assert_eq!(ranking.candidates().next().unwrap().frame.function, "hot");
    }

    #[test]
    fn a_handler_that_only_wraps_the_hot_function_comes_after_it() {
        let first = |lines: &[(&str, u32)]| {
            let ranking = rank(&profile(lines));
            let names: Vec<String> = ranking.candidates().map(|found| found.frame.function.clone()).collect();
            names.join(" ")
        };
        let wrapped = ("own:main own:handler own:hot qr:create", 96);
        assert_eq!(first(&[wrapped, ("own:main own:handler", 2), ("own:main", 2)]), "hot main handler");
        assert_eq!(first(&[wrapped, ("own:handler", 12)]), "handler main hot", "it has work of its own");
        assert_eq!(first(&[("own:main own:handler own:hot", 96)]), "hot main handler");
        // Another hot function is not beneath the first.
        assert_eq!(first(&[("own:one own:helper", 50), ("own:one", 8), ("own:two", 57)]), "one two helper");
    }

    #[test]
    fn a_client_whose_continuations_do_the_input_and_output_is_no_candidate() {
        let client = profile(&[
            ("own:handler own:ask client:request", 10),
            ("io:read rt:emit client:answered", 10),
            ("rt:tick client:flush io:write", 5),
            ("rt:listen own:main", 20),
        ]);
        let ranking = rank(&client);
        let ask = ranking.functions.iter().find(|found| found.frame.function == "ask").unwrap();
        let Some(Hindrance::Io { share, .. }) = &ask.hindrance else { panic!("{ask:?}") };
        assert!((share - 15.0 / 25.0).abs() < 1e-9);
        assert_eq!(row(&ranking, "ask"), (0.0, 22.2, 55.6, "client".into()));
    }

    #[test]
    fn a_file_that_the_runtime_keeps_for_itself_is_no_input_and_output_of_the_function() {
        let cached = profile(&[("rt:listen own:hot rt:encode cache:open io:write", 10), ("rt:listen own:hot", 10)]);
        assert_eq!(rank(&cached).functions[0].hindrance, None);
        let own = profile(&[("rt:listen own:hot rt:encode io:write", 10), ("rt:listen own:hot", 10)]);
        assert!(matches!(rank(&own).functions[0].hindrance, Some(Hindrance::Io { .. })));
    }

    #[test]
    fn a_package_that_calls_back_is_owned_and_one_that_calls_the_caller_is_not() {
        let profile = profile(&[
            ("own:handler own:hot qr:create", 10),
            ("rt:tick qr:done own:callback rt:emit", 10),
            ("rt:tick qr:more", 10),
            ("rt:listen express:route own:main", 10),
            ("rt:tick own:main own:send express:send", 10),
            ("rt:listen express:route", 50),
        ]);
        let ranking = rank(&profile);
        assert_eq!(row(&ranking, "hot"), (0.0, 10.0, 20.0, "qr".into()));
        assert_eq!(row(&ranking, "send"), (0.0, 10.0, 10.0, String::new()));
    }

    #[test]
    fn a_package_that_middleware_uses_too_is_nobodys() {
        let reached = ("rt:listen express:route own:hot zlib:write", 10);
        let lost = ("rt:tick zlib:done", 10);
        let middleware = ("rt:listen express:route compression:end zlib:write", 5);
        assert_eq!(row(&rank(&profile(&[reached, lost])), "hot"), (0.0, 50.0, 100.0, "zlib".into()));
        let ranking = rank(&profile(&[reached, lost, middleware]));
        assert_eq!(row(&ranking, "hot"), (0.0, 40.0, 40.0, String::new()));
    }

    #[test]
    fn self_shares_sum_to_one_and_what_the_sensor_missed_is_a_row() {
        let mut profile = profile(&[("own:a own:b rt:c", 3), ("own:a own:a", 2), ("qr:x", 1)]);
        profile.unit = Unit::Seconds;
        profile.set_cpu(0, 8.0);
        let ranking = rank(&profile);
        assert_eq!((ranking.of, ranking.whole, ranking.sampled), (Whole::ProcessTree, 8.0, 6.0));
        assert_eq!(row(&ranking, "a"), (25.0, 62.5, 62.5, String::new()));
        let own: f64 = ranking.functions.iter().map(|function| function.itself.value).sum();
        let others: f64 = ranking.rest.iter().map(|rest| rest.share.value).sum();
        assert!((own + others - 1.0).abs() < 1e-12);
        assert!(ranking.rest.iter().any(|rest| rest.what == What::Unseen && rest.share.value == 0.25));

        profile.set_cpu(0, 4.0);
        assert_eq!(rank(&profile).of, Whole::SamplesOverCpu);
    }
}
