//! The control file of a rollout, with a checksum that fits: without it nothing behind the checksum would be reached.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sha2::{Digest as _, Sha256};
use tierup_rollout::{Control, Weights};

fuzz_target!(|lines: &str| {
    let digest: String = Sha256::digest(lines).iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let text = format!("{lines}checksum={digest}\n");
    let Ok(control) = Control::parse(&text) else { return };
    assert_eq!(Control::parse(&control.to_string()).as_ref(), Ok(&control));
    assert!(control.weights.twin <= control.weights.candidate.rest());
    assert_eq!(control.weights_at(control.heartbeat), control.weights);
    if control.is_stale(0) {
        assert_eq!(control.weights_at(0), Weights::CONTROL_ONLY);
    }
    assert!(Control::parse(&text[..text.len() - 1]).is_err(), "it was cut");
});
