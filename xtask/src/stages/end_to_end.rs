//! The way of a user from an empty folder: `new`, `build`, `serve` at every tier, stopped with requests in flight; and
//! the profiler of each host. Then ramps through the proxy, to the end and back, and one with random kills.

use crate::{
    cargo::{is_long, mostly_waiting, separate_test, without_figures},
    step::Report,
    tools,
};

pub(crate) fn run(report: &mut Report) {
    if tools::of_all_hosts(report) {
        report.step("from nothing to a served tier", &without_figures(mostly_waiting(separate_test("end_to_end"))));
        report.step("the profiler of each host", &without_figures(mostly_waiting(separate_test("sensors"))));
    }
    report.step("ramps, up and back", &mostly_waiting(separate_test("rollout")));
    let mut chaos = separate_test("chaos");
    let events = if is_long() { "100" } else { "12" };
    chaos.arguments.extend(["--", "--events", events].map(str::to_owned));
    report.step("a ramp whose parts are killed", &chaos);
}
