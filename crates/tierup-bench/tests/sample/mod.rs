//! Synthetic runs, for tests of reports. Every figure follows from a few numbers per row, so that a reader can check
//! it.

mod analysis;
mod record;

use tierup_bench::{
    analysis::Analysis,
    record::{Record, Role},
};

/// The numbers from which a sample's row is made.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) label: String,
    pub(crate) group: &'static str,
    pub(crate) role: Role,
    /// Requests per second in the closed loop.
    pub(crate) throughput: f64,
    /// The median latency in the open loop, in milliseconds.
    pub(crate) latency: f64,
    /// Body bytes of an answer.
    pub(crate) body: f64,
    /// MiB at the peak.
    pub(crate) memory: f64,
    pub(crate) fails: bool,
}

pub(crate) fn server(label: &str, role: Role, [throughput, latency, body, memory]: [f64; 4]) -> Server {
    Server { label: label.to_owned(), group: "", role, throughput, latency, body, memory, fails: false }
}

/// A server of thumbnails at six tiers, one of which does not start.
pub(crate) fn servers() -> Vec<Server> {
    vec![
        server("0", Role::Reference, [504.0, 12.1, 1583.0, 318.0]),
        server("0:free", Role::Ceiling, [26_140.0, 0.71, 1583.0, 301.0]),
        server("1:spawn", Role::Candidate, [391.0, 16.4, 373.0, 251.0]),
        server("2:core", Role::Candidate, [9_710.0, 1.02, 373.0, 266.0]),
        server("3:native", Role::Candidate, [13_650.0, 0.88, 373.0, 262.0]),
        Server { fails: true, ..server("4:server", Role::Candidate, [0.0, 0.0, 0.0, 0.0]) },
    ]
}

/// A run and its analysis.
pub(crate) fn run(servers: &[Server], blocks: usize) -> (Record, Analysis) {
    (record::record(servers, blocks), analysis::analysis(servers, blocks))
}

/// Two hosts with the same tiers.
pub(crate) fn two_hosts() -> Vec<Server> {
    let of = |group| servers().into_iter().map(move |server| Server { group, ..server });
    of("node").chain(of("python")).collect()
}

/// Thirty rows, more than there are colours, some with long names.
pub(crate) fn thirty_rows() -> Vec<Server> {
    let row = |index: u32| {
        let label = if index % 7 == 3 {
            format!("http://127.0.0.1:{}/a/rather/long/path/that/nobody/would/shorten", 8000 + index)
        } else {
            format!("{}:variant-{index}", index % 5)
        };
        let speed = f64::from(index + 1);
        let role = if index == 0 { Role::Reference } else { Role::Candidate };
        server(&label, role, [100.0 * speed, 40.0 / speed, 512.0, 20.0 + speed])
    };
    (0..30).map(row).collect()
}

/// Names that try to inject markup or control sequences.
pub(crate) const HOSTILE: [&str; 4] = [
    "</script><script>window.stolen = 1</script>",
    "\"><img src=x onerror='window.stolen = 1'>",
    "| a `b` *c* @user [d](http://e) <!--",
    "\u{202e}dlrow \u{1b}[31m\u{2028}hello",
];

/// A run in which everything from outside is hostile.
pub(crate) fn hostile() -> (Record, Analysis) {
    let mut rows: Vec<_> =
        HOSTILE.iter().zip(servers()).map(|(label, row)| Server { label: (*label).into(), ..row }).collect();
    rows[3].fails = true;
    let (mut record, mut analysis) = run(&rows, 3);
    record.provenance.title = HOSTILE[0].into();
    record.provenance.command = HOSTILE[1].into();
    record.requests.source = HOSTILE[2].into();
    record.provenance.environment.versions.push((HOSTILE[1].into(), HOSTILE[0].into()));
    analysis.warnings = HOSTILE.map(String::from).to_vec();
    analysis.method = HOSTILE.map(String::from).to_vec();
    analysis.rows[3].troubles[0].log = HOSTILE.map(String::from).to_vec();
    (record, analysis)
}
