//! The monthly cost of rows at the user's peak, in every report.

use expect_test::{Expect, expect};
use tierup_bench::{
    analysis::{Analysis, analyse},
    record::{Cost, Record, Role, Slice},
    report::{html, markdown, text},
};
use tierup_report::text::{Colour, Style};

use crate::sample::{self, server};

fn prices() -> Cost {
    Cost {
        peak: 2000.0,
        vcpu_hour: 0.04,
        gib_hour: 0.005,
        currency: "EUR".into(),
        utilisation: 0.6,
        pod_vcpus: 1.0,
        pod_gib: 0.25,
        least_pods: 2,
    }
}

/// The sample's ladder, in which one row fails and two rows take more memory than a pod has.
fn run() -> (Record, Analysis) {
    let (mut record, _) = sample::run(&sample::servers(), 5);
    record.settings.cost = Some(prices());
    let analysis = analyse(&record);
    (record, analysis)
}

fn part(report: &str, from: &str, to: &str) -> String {
    let lines = report.lines().skip_while(|line| !line.starts_with(from));
    lines.take_while(|line| !line.starts_with(to)).map(|line| format!("{}\n", line.trim_end())).collect()
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(text);
}

#[test]
fn text_has_a_table_and_the_formula() {
    let (record, analysis) = run();
    let report = text::render(&record, &analysis, Style { width: Some(100), colour: Colour::Plain });
    check(
        &part(&report, "At your peak", "5 blocks"),
        expect![[r#"
            At your peak of 2,000 req/s
                                      vCPUs                    pods     a month, EUR
                                  60 % used   1 vCPU, 0.25 GiB each         all pods
            ────────────────────────────────────────────────────────────────────────
            0             6.25 [6.16, 6.34]                      14              422
            0:free     0.121 [0.119, 0.122]                       4              120
            1:spawn       8.05 [7.94, 8.16]                9 [8, 9]   271 [241, 271]
            2:core     0.325 [0.321, 0.330]                       4              120
            3:native   0.231 [0.228, 0.234]                       4              120
            4:server                      –                       –                –

            At least 2 servers. One server takes the memory of 2 pods: 0, 0:free, 2:core, 3:native.
        "#]],
    );
    check(
        &part(&report, "Money: ", "1,000 distinct"),
        expect![[r#"
        Money: vCPUs = 2,000 requests a second at the peak × CPU per request ÷ 60 % utilisation; whole pods
        of 1 vCPU and 0.25 GiB, each server in as many as hold its memory as measured, 2 servers at least;
        0.04 EUR an hour a vCPU and 0.005 EUR a GiB, 730 hours a month. A vCPU is taken to be as fast as a
        processor of this machine. A server that left processors idle in the closed loop is taken to use at
        most as many vCPUs as it did there, or one.
    "#]],
    );
    check(
        &part(&report, "=> ", "x "),
        expect![[r#"
            => Take 2:core: a request costs 98 us of CPU instead of 1,870: 19 times less; 19 times the
               throughput of 0; a function that cost nothing would give 52. At 2,000 req/s, your peak, it needs
               0.20 cores instead of 3.75; each step is taken to cost 0.05 cores (`step_cores`). At your peak:
               120 EUR a month instead of 422 EUR. The next step, 3:native, would save 0.056 cores, less than 2
               % of all, with 1.02 times less memory.

        "#]],
    );
}

#[test]
fn markdown_has_a_table() {
    let (record, analysis) = run();
    check(
        &part(&markdown::render(&record, &analysis), "## At your peak", "## What"),
        expect![[r#"
            ## At your peak of 2,000 req/s

            |  | vCPUs<br><sub>60 % used</sub> | pods<br><sub>1 vCPU, 0.25 GiB each</sub> | a month, EUR<br><sub>all pods</sub> |
            | :-- | --: | --: | --: |
            | `0` | 6.25 [6.16, 6.34] | 14 | 422 |
            | `0:free` | 0.121 [0.119, 0.122] | 4 | 120 |
            | `1:spawn` | 8.05 [7.94, 8.16] | 9 [8, 9] | 271 [241, 271] |
            | `2:core` | 0.325 [0.321, 0.330] | 4 | 120 |
            | `3:native` | 0.231 [0.228, 0.234] | 4 | 120 |
            | `4:server` | – | – | – |

            At least 2 servers. One server takes the memory of 2 pods: 0, 0:free, 2:core, 3:native.

        "#]],
    );
}

#[test]
fn html_has_a_table() {
    let (record, analysis) = run();
    let texts = crate::page::read(&html::render(&record, &analysis));
    let table = texts.split("At your peak of 2,000 req/s\n").nth(1).unwrap();
    check(
        &part(table, "row", "Compared with"),
        expect![[r#"
            row
            vCPUs
            60 % used
            pods
            1 vCPU, 0.25 GiB each
            a month, EUR
            all pods
            0
            6.25 [6.16, 6.34]
            14
            422
            0:free
            0.121 [0.119, 0.122]
            4
            120
            1:spawn
            8.05 [7.94, 8.16]
            9 [8, 9]
            271 [241, 271]
            2:core
            0.325 [0.321, 0.330]
            4
            120
            3:native
            0.231 [0.228, 0.234]
            4
            120
            4:server
            –
            –
            –
            At least 2 servers. One server takes the memory of 2 pods: 0, 0:free, 2:core, 3:native.
        "#]],
    );
}

#[test]
fn json_has_the_figures_of_each_row_and_is_read_back() {
    let (record, analysis) = run();
    let json = serde_json::to_value(&analysis).unwrap();
    check(
        &serde_json::to_string_pretty(&json["rows"][4]["cost"]).unwrap(),
        expect![[r#"
        {
          "month": {
            "interval": [
              120.45,
              120.45
            ],
            "value": 120.45
          },
          "pods": {
            "interval": [
              4.0,
              4.0
            ],
            "value": 4.0
          },
          "pods_a_server": 2,
          "vcpus": {
            "interval": [
              0.22808389856143943,
              0.2344646843551986
            ],
            "value": 0.23125228492430303
          }
        }"#]],
    );
    assert!(json["rows"][5].get("cost").is_none(), "it failed");
    let read: Record = serde_json::from_str(&serde_json::to_string(&record).unwrap()).unwrap();
    assert_eq!(read.settings.cost, Some(prices()));
}

/// The sample with pods of four vCPUs, some of which a row's server may not use.
fn in_large_pods() -> Record {
    let (mut record, _) = sample::run(&sample::servers(), 5);
    record.settings.cost = Some(Cost { pod_vcpus: 4.0, pod_gib: 4.0, least_pods: 1, peak: 40_000.0, ..prices() });
    record
}

fn change(record: &mut Record, row: usize, change: impl Fn(&mut Slice)) {
    record.blocks.iter_mut().flat_map(|block| &mut block.rows[row].closed).for_each(change);
}

fn pods(record: &Record, row: usize) -> Option<f64> {
    analyse(record).rows[row].cost.map(|cost| cost.pods.value)
}

/// The sample's servers use one processor of two.
#[test]
fn vcpus_that_a_server_does_not_use_do_not_reduce_its_pods() {
    let record = in_large_pods();
    // It needs 125 vCPUs.
    assert_eq!(pods(&record, 0), Some(125.0));
    // It needs 4.6 vCPUs.
    assert_eq!(pods(&record, 4), Some(5.0));
}

/// If two servers have one thread each, the faster one must not gain vCPUs because it kept the load generator busy.
#[test]
fn a_row_whose_limit_did_not_show_has_the_limit_of_the_reference() {
    let mut record = in_large_pods();
    change(&mut record, 4, |slice| slice.generator_busiest = 1.0);
    assert_eq!(pods(&record, 4), Some(5.0));
    let mut record = in_large_pods();
    // All processors were busy, although the generator did not use most of them.
    change(&mut record, 4, |slice| slice.generator_cpu = 1.8e6);
    assert_eq!(pods(&record, 4), Some(5.0));
    // The reference's limit is not known either.
    change(&mut record, 0, |slice| slice.generator_busiest = 1.0);
    assert_eq!(pods(&record, 4), Some(2.0));
}

/// A server that uses all processors may use more on a larger machine.
#[test]
fn the_measuring_machine_is_not_a_limit_of_the_server() {
    let mut record = in_large_pods();
    change(&mut record, 0, |slice| slice.server_cpu = Some(3.6e6));
    // Twice the CPU gives this many whole pods.
    assert_eq!(pods(&record, 0), Some(60.0));
    // A server that was kept on one processor may use more elsewhere, too.
    let mut record = in_large_pods();
    record.settings.server_processors = Some("0".into());
    assert_eq!(pods(&record, 0), Some(32.0));
}

/// The rows are those of `tierup ceiling`.
#[test]
fn a_ceiling_says_what_a_rewrite_can_save_at_most() {
    let rows = [
        server("0", Role::Reference, [500.0, 10.0, 512.0, 50.0]),
        server("0:free", Role::Ceiling, [5000.0, 1.0, 512.0, 50.0]),
    ];
    let (mut record, _) = sample::run(&rows, 5);
    record.settings.cost = Some(prices());
    check(
        &analyse(&record).groups[0].recommendation.clone().unwrap(),
        expect![
            "A function that cost nothing would give 10 times the throughput of 0 [10, 10] at this load: the rest of the time goes into the server around it. At your peak: at least 60.23 EUR a month instead of 211 EUR."
        ],
    );
}

#[test]
fn without_prices_there_is_no_money() {
    let (record, _) = sample::run(&sample::servers(), 5);
    let analysis = analyse(&record);
    let report = text::render(&record, &analysis, Style { width: Some(100), colour: Colour::Plain });
    assert!(!report.contains("At your peak") && !report.contains("Money"), "{report}");
    assert!(!markdown::render(&record, &analysis).contains("At your peak"));
    assert!(!html::render(&record, &analysis).contains("At your peak"));
}
