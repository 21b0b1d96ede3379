//! Tests that the page is well-formed, by the tokenizer of the HTML standard, and what it says without its drawings.

use expect_test::expect;
use tierup_bench::{
    analysis::analyse,
    report::{
        RunReport,
        html::{compare, render},
    },
};

use crate::{
    page::read,
    sample::{self, Server},
};

#[test]
fn a_run() {
    let (record, analysis) = sample::run(&sample::servers()[..3], 3);
    expect![[r#"
        thumbnails: which tier pays
        thumbnails
        2026-11-21 09:44 UTC · 3 rows, 3 blocks, 7 min 12 s · tierup 0.1.0
        AMD EPYC 7763 (may use 2 processors), Linux 6.1.0, node 20.20.2, rustc 1.95.0
        Another program kept 0.6 of 2 processors busy: figures may be too low.
        0:free is the ceiling: 51.9x.
        1:spawn does not pay: 0.78x the throughput.
        Show figures
        both
        absolute
        relative to the reference
        Figures
        row
        CPU per request
        us
        /proc, closed loop
        throughput
        req/s
        closed loop, 64 connections
        p99
        ms
        open loop, 350 req/s
        average response
        closed loop, 64 connections
        memory
        /proc, PSS at its peak
        average latency
        ms
        open loop, 350 req/s
        p50
        ms
        open loop, 350 req/s
        p95
        ms
        open loop, 350 req/s
        failures
        both loops
        of ceiling
        throughput
        0
        reference
        3,770
        1.00x
        the best
        504
        1.00x
        the best
        43.6
        1.00x
        the best
        1,583 B
        1.00x
        318 MiB
        1.00x
        14.5
        1.00x
        the best
        12.1
        1.00x
        the best
        25.4
        1.00x
        the best
        0
        2 %
        0:free
        ceiling
        72.7
        51.9x less
        ±2%
        26,100
        51.9x
        ±4%
        2.56
        17.0x less
        ±4%
        1,583 B
        1.00x
        301 MiB
        1.06x less
        ±4%
        0.852
        17.0x less
        ±4%
        0.710
        17.0x less
        ±4%
        1.49
        17.0x less
        ±4%
        0
        100 %
        1:spawn
        does not pay
        unsteady, cannot carry 350 req/s
        4,860
        1.29x
        ±2%
        391
        1.29x less
        ±4%
        59.0
        1.36x
        ±4%
        373 B
        4.24x less
        the best
        251 MiB
        1.27x less
        ±4%
        the best
        19.7
        1.36x
        ±4%
        16.4
        1.36x
        ±4%
        34.4
        1.36x
        ±4%
        0
        1 %
        1.00x is
        0
        , 2.00x less is half of it;
        ★
        is the best of its column, the ceiling left out. Click a heading to sort; point at a figure for its interval and its blocks.
        Compared with the reference
        A dot is the ratio, its line the interval. What lies wholly beyond the shaded band of 5 % around 1 is a difference that matters.
        Compare
        CPU per request
        throughput
        p99
        memory
        CPU per request
        /proc, closed loop
        [Ratio of CPU per request to the reference. 0:free: 51.9x less [50.8, 52.9]; 1:spawn: 1.29x [1.26, 1.31].]
        [Ratio of CPU per request to the reference. 0:free: 51.9x less [50.8, 52.9]; 1:spawn: 1.29x [1.26, 1.31].]
        throughput
        closed loop, 64 connections
        [Ratio of throughput to the reference. 0:free: 51.9x [49.9, 53.9]; 1:spawn: 1.29x less [1.24, 1.34].]
        [Ratio of throughput to the reference. 0:free: 51.9x [49.9, 53.9]; 1:spawn: 1.29x less [1.24, 1.34].]
        p99
        open loop, 350 req/s
        [Ratio of p99 to the reference. 0:free: 17.0x less [16.4, 17.7]; 1:spawn: 1.36x [1.30, 1.41].]
        [Ratio of p99 to the reference. 0:free: 17.0x less [16.4, 17.7]; 1:spawn: 1.36x [1.30, 1.41].]
        memory
        /proc, PSS at its peak
        [Ratio of memory to the reference. 0:free: 1.06x less [1.02, 1.10]; 1:spawn: 1.27x less [1.22, 1.32].]
        [Ratio of memory to the reference. 0:free: 1.06x less [1.02, 1.10]; 1:spawn: 1.27x less [1.22, 1.32].]
        What lies behind the figures
        Rows to show
        0
        0:free
        1:spawn
        Latency
        Open loop at 350 req/s, from the planned send time; every slice together. Lower is better.
        [Latency by percentile, open loop. 0: median 12.1 ms, 99 % within 43.9 ms; 0:free: median 0.711 ms, 99 % within 2.58 ms; 1:spawn: median 16.4 ms, 99 % within 59.5 ms.]
        [Latency by percentile, open loop. 0: median 12.1 ms, 99 % within 43.9 ms; 0:free: median 0.711 ms, 99 % within 2.58 ms; 1:spawn: median 16.4 ms, 99 % within 59.5 ms.]
        Throughput, slice by slice
        Closed loop, in order of time; each block has fresh servers. Level lines are steady servers.
        [Throughput of each slice in the order of time, over 3 blocks.]
        [Throughput of each slice in the order of time, over 3 blocks.]
        CPU per request, slice by slice
        Closed loop, in order of time; processor time of each server's whole process tree. Lower is better.
        [CPU per request of each slice in the order of time, over 3 blocks.]
        [CPU per request of each slice in the order of time, over 3 blocks.]
        Memory over time
        Resident memory of each server's whole process tree; it starts anew with each block.
        [Resident memory over 1.97 minutes; the most is 324 MiB.]
        [Resident memory over 1.97 minutes; the most is 324 MiB.]
        How it was measured
        Machine
        processor
        AMD EPYC 7763
        processors it may use
        2
        memory
        24.0 GiB
        kernel
        Linux 6.1.0
        node
        20.20.2
        rustc
        1.95.0
        other work before
        0.04 processors, 0.00 stolen, load 0.31
        other work after
        0.06 processors, 0.01 stolen, load 1.72
        Settings
        requests
        1,000 distinct from requests.http, 2 more only checked, because the reference refuses them
        blocks
        3
        closed loop
        64 connections
        open loop
        350 req/s, 70 % of what the reference carried
        slices
        2 s closed, 2 s open
        timeout
        10 s
        generating threads
        2
        servers run on
        not pinned
        generator runs on
        not pinned
        smallest change that counts
        5 %
        Answers
        0
        nothing to compare its answers with
        0:free
        1,000 answers equal to the reference's (pixels of the image)
        1:spawn
        1,000 answers equal to the reference's (pixels of the image)
        Processes and memory
        0
        1 process with 8 threads; PSS 127 MiB idle, 318 MiB at most, 286 MiB at the end; RSS 140 MiB idle, 350 MiB at most, 315 MiB at the end
        0:free
        1 process with 8 threads; PSS 120 MiB idle, 301 MiB at most, 271 MiB at the end; RSS 132 MiB idle, 331 MiB at most, 298 MiB at the end
        1:spawn
        1 process with 8 threads; PSS 100 MiB idle, 251 MiB at most, 226 MiB at the end; RSS 110 MiB idle, 276 MiB at most, 248 MiB at the end
        Method
        95 % intervals over blocks by Student's t, corrected for five comparisons.
        Every figure here is derived from
        report.json
        , which keeps the raw results of every slice.
        To repeat it:
        tierup bench thumbnails --tiers all"#]].assert_eq(&read(&render(&record, &analysis)));
}

#[test]
fn every_run_is_well_formed_and_has_only_numbers_to_draw() {
    let mut interrupted = sample::run(&sample::servers(), 1);
    interrupted.0.provenance.interrupted = true;
    let failed: Vec<_> = sample::servers().into_iter().map(|server| Server { fails: true, ..server }).collect();
    let runs = [
        sample::run(&[], 0),
        sample::run(&sample::servers()[..1], 2),
        sample::run(&failed, 2),
        sample::run(&sample::thirty_rows(), 3),
        sample::run(&sample::two_hosts(), 3),
        sample::hostile(),
        interrupted,
    ];
    for (record, analysis) in &runs {
        let page = render(record, analysis);
        read(&page);
        assert!(!page.contains("NaN") && !page.contains("\"inf"));
        // The only addresses are SVG's namespaces, which nothing fetches.
        let fetched = ["src=", "url(", "@import", "href=\"http"].map(|word| page.replace("&", "").contains(word));
        assert_eq!(fetched, [page.contains("src=x"), false, false, false]);
    }
    let all: Vec<_> = runs.iter().map(|(record, analysis)| RunReport::new(record, analysis)).collect();
    read(&compare(&all));
}

#[test]
fn every_analysis_of_a_record_can_be_laid_out() {
    for servers in [sample::servers(), sample::two_hosts(), sample::thirty_rows(), Vec::new()] {
        for blocks in [0, 1, 5] {
            let (record, _) = sample::run(&servers, blocks);
            let analysis = analyse(&record);
            let page = render(&record, &analysis);
            read(&page);
            assert!(!page.contains("NaN"), "{} rows, {blocks} blocks", servers.len());
        }
    }
}

#[test]
fn text_from_outside_stays_within_its_element() {
    let (record, analysis) = sample::hostile();
    for page in [render(&record, &analysis), compare(&[RunReport::new(&record, &analysis)])] {
        let text = read(&page);
        assert!(text.contains("</script><script>window.stolen = 1</script>"), "{text}");
        assert!(!page.contains("<script>window.stolen") && !page.contains("<img"));
        assert!(!page.contains(['\u{1b}', '\u{202e}', '\u{2028}']));
    }
}
