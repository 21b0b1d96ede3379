//! The hosts that this tierup knows: one line each.

use tierup_codegen::Host;

/// In the order of every table.
pub fn all() -> [&'static dyn Host; 3] {
    [tierup_host_node::node(), tierup_host_python::python(), tierup_host_go::go()]
}

/// A host by its name in `tierup.toml`.
pub fn find(name: &str) -> Option<&'static dyn Host> {
    all().into_iter().find(|host| host.name() == name)
}
