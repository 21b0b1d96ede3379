//! The answers of tier 0 that a check keeps between its runs, as long as only Rust files change. In: calls with their
//! answers. Out: the answers to the same calls.

use std::collections::BTreeMap;

use tierup_codegen::abi;
use tierup_model::Interface;

use super::Control;

/// The calls that answers belong to: the function's number, and its encoded arguments.
type Calls = Vec<(usize, Vec<u8>)>;

/// The control's answers, which a check that watches files keeps between its runs.
#[derive(Default)]
pub struct KeptControls {
    /// The hash of the interface that the answers belong to.
    interface: u64,
    /// The calls with their answers, by host.
    hosts: BTreeMap<&'static str, (Calls, Control)>,
}

impl KeptControls {
    /// Forgets the answers of another interface.
    pub fn belong_to(&mut self, interface: &Interface) {
        let hash = abi::hash(interface);
        if self.interface != hash {
            *self = KeptControls { interface: hash, ..KeptControls::default() };
        }
    }

    /// Whether there are answers of a host, so that its package was built.
    pub fn has(&self, host: &str) -> bool {
        self.hosts.contains_key(host)
    }

    pub(super) fn of(&self, host: &str, calls: &Calls) -> Option<&Control> {
        self.hosts.get(host).filter(|(of, _)| of == calls).map(|(_, control)| control)
    }

    pub(super) fn keep(&mut self, host: &'static str, calls: Calls, control: Control) {
        self.hosts.insert(host, (calls, control));
    }
}
