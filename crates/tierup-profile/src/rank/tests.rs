//! Rankings of profiles that have a few lines.

use tierup_codegen::{FrameRule, PackageEnds, Pattern};

use super::*;
use crate::{Naming, Reading};

const RULES: &[FrameRule] = &[
    FrameRule::file(Pattern::Starts("node:cache"), Kind::Cache),
    FrameRule::file(Pattern::Starts("node:net"), Kind::Io),
    FrameRule::file(Pattern::Starts("node:"), Kind::Runtime),
    FrameRule::packages("/node_modules/", PackageEnds::Scoped),
];

/// `own:f` is the user's, `rt:f` the runtime's, `io:f` writes to a socket, any other `p:f` belongs to package p.
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
    let reading = Reading { naming: Naming { rules: RULES, own: &[], maps: None }, ..Reading::default() };
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
        // The framework, before it calls the user's code, has no owner.
        ("rt:listen express:route", 20),
        // No stack shows the hot function above this package, so it has no owner.
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
    // The other hot function is not beneath the first.
    assert_eq!(first(&[("own:one own:helper", 50), ("own:one", 8), ("own:two", 57)]), "one two helper");
}

#[test]
fn a_client_whose_continuations_do_the_input_and_output_is_not_a_candidate() {
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
fn reading_a_cache_file_of_the_runtime_is_not_input_of_the_function() {
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
fn a_package_that_middleware_uses_too_has_no_owner() {
    let reached = ("rt:listen express:route own:hot zlib:write", 10);
    let lost = ("rt:tick zlib:done", 10);
    let middleware = ("rt:listen express:route compression:end zlib:write", 5);
    assert_eq!(row(&rank(&profile(&[reached, lost])), "hot"), (0.0, 50.0, 100.0, "zlib".into()));
    let ranking = rank(&profile(&[reached, lost, middleware]));
    assert_eq!(row(&ranking, "hot"), (0.0, 40.0, 40.0, String::new()));
}

#[test]
fn self_shares_sum_to_one_with_a_row_for_missed_cpu() {
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

#[test]
fn code_of_a_handler_may_be_worth_a_function_of_its_own() {
    let text = |own: u32| {
        let lines = [("rt:listen own:handler io:write", 20), ("rt:listen own:handler", own), ("rt:listen", 80 - own)];
        let ranking = rank(&profile(&lines));
        ranking.verdict().text(&ranking)
    };
    let told = "handler (srv/app.js:1) cannot move as it is, but 30.0 % of the CPU is its own code: put that into a function of its \
                own, and profile again.";
    assert_eq!(text(30)[1], told);
    assert!(text(3).iter().all(|line| !line.contains("its own code")));
}

#[test]
fn a_function_that_waits_for_a_service_is_not_a_candidate() {
    // Another thread does the input and output, so this one's CPU does not show it.
    let mut profile = profile(&[
        ("own:handler", 130),
        ("own:handler own:sum", 10),
        ("own:handler io:request rt:receive", 1),
        ("own:handler own:wait rt:receive", 1),
        ("own:sum", 50),
    ]);
    let waiting = profile.frame(crate::profile::Frame {
        function: "(waiting)".to_owned(),
        file: String::new(),
        line: 0,
        package: String::new(),
        kind: Kind::Idle,
    });
    let samples = profile.samples().to_vec();
    for sample in samples.iter().filter(|sample| sample.weight == 1.0) {
        let stack = profile.stack(Some(sample.stack), waiting);
        profile.add(crate::Sample { stack, weight: 58.0, ..*sample });
    }
    let ranking = rank(&profile);
    let of =
        |name: &str| ranking.functions.iter().find(|found| found.frame.function == name).unwrap().hindrance.clone();
    let Some(Hindrance::Waits { share, through }) = of("handler") else { panic!("{:?}", of("handler")) };
    assert!((share - 58.0 / (142.0 + 116.0)).abs() < 1e-9 && through == "request (node:net)", "{share} {through}");
    assert_eq!(
        (of("sum"), of("wait")),
        (None, None),
        "what waits for another of the user's own does no input and output"
    );
    assert_eq!(ranking.idle, 116.0);
    assert!((ranking.functions.iter().map(|found| found.itself.value).sum::<f64>() - 190.0 / 192.0).abs() < 1e-9);
}
