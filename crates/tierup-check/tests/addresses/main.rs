//! Compares two test servers by the library: which headers are compared, and which requests are sent.
#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod answers;
mod headers;
mod sent;
mod server;

use tierup_check::{Check, OfAddresses};
use tierup_parity::Methods;
use tierup_project::CheckSettings;
use tierup_report::{
    Exporter as _, Text,
    text::{Colour, Style},
};
use tierup_runner::Quiet;
use tierup_subject::Standing;

/// Whether the servers are alike, and the report. By default, they get one request and nothing hostile.
fn check(control: &str, candidate: &str, with: impl FnOnce(&mut Check, &mut CheckSettings)) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let (standing, target) = Standing::at(control).unwrap();
    let mut settings = CheckSettings::default();
    let mut check = Check {
        only: None,
        cases: 0,
        hostile: 0,
        methods: Methods::Safe,
        seed: 1,
        show: 5,
        requests: None,
        case: None,
        command: String::new(),
    };
    with(&mut check, &mut settings);
    let servers = OfAddresses {
        control: ("CONTROL".to_owned(), standing),
        candidate: ("CANDIDATE".to_owned(), Standing::at(candidate).unwrap().0),
        target,
        settings,
        folder: folder.path().to_owned(),
        cases: folder.path().join("cases"),
        again: "tierup check".to_owned(),
    };
    let report = check.addresses(&servers, &mut Quiet).unwrap();
    (report.is_clean(), Text(Style { width: None, colour: Colour::Plain }).export(&report))
}
