//! Rules for `tierup profile`: the owners of the code in the BEAM's stacks.

use tierup_codegen::{FrameKind as Kind, FrameRule, PackageEnds, Pattern};

/// A library that comes with Erlang or Elixir.
const fn library(place: &'static str) -> FrameRule {
    FrameRule::file(Pattern::Starts(place), Kind::Runtime)
}

/// Rules for functions and files in the form in which the sensor's agent writes them.
pub(crate) const FRAMES: &[FrameRule] = &[
    FrameRule::function(Pattern::Is("(garbage collector)"), Kind::Collector),
    FrameRule::function(Pattern::Starts("erts_garbage_collect"), Kind::Collector),
    FrameRule::function(Pattern::Is("(waiting)"), Kind::Idle),
    FrameRule::function(Pattern::Is("(a process that owns a socket)"), Kind::Io),
    // For `perf`: the BEAM itself, and the system's libraries.
    FrameRule::NATIVE,
    FrameRule::GENERATED,
    FrameRule::function(Pattern::Starts("prim_inet."), Kind::Io),
    FrameRule::function(Pattern::Starts("prim_socket."), Kind::Io),
    FrameRule::function(Pattern::Starts("prim_file."), Kind::Io),
    FrameRule::function(Pattern::Starts("gen_tcp."), Kind::Io),
    FrameRule::function(Pattern::Starts("gen_udp."), Kind::Io),
    FrameRule::function(Pattern::Starts("inet."), Kind::Io),
    FrameRule::function(Pattern::Starts("gen_sctp."), Kind::Io),
    FrameRule::function(Pattern::Starts("socket."), Kind::Io),
    FrameRule::function(Pattern::Starts("ssl."), Kind::Io),
    FrameRule::function(Pattern::Starts("file."), Kind::Io),
    // Clients that come with Erlang, and modules that call other programs.
    FrameRule::function(Pattern::Starts("httpc."), Kind::Io),
    FrameRule::function(Pattern::Starts("httpc_"), Kind::Io),
    FrameRule::function(Pattern::Starts("os.cmd/"), Kind::Io),
    FrameRule::function(Pattern::Starts("System.cmd/"), Kind::Io),
    FrameRule::function(Pattern::Starts("System.do_port/"), Kind::Io),
    FrameRule::function(Pattern::Starts("erlang.port_"), Kind::Io),
    library("library:erts/"),
    library("library:kernel/"),
    library("library:stdlib/"),
    library("library:compiler/"),
    library("library:crypto/"),
    library("library:ssl/"),
    library("library:public_key/"),
    library("library:asn1/"),
    library("library:inets/"),
    library("library:sasl/"),
    library("library:elixir/"),
    library("library:logger/"),
    library("library:mix/"),
    library("library:eex/"),
    library("library:iex/"),
    FrameRule::packages("library:", PackageEnds::Module),
    FrameRule::packages("/deps/", PackageEnds::Module),
    FrameRule::packages("/_build/default/lib/", PackageEnds::Module),
];

/// Whether a function is a closure: `Shop.-price/2-fun-0-/1` is a `fun`, or Elixir's `for`, in `price/2`.
pub(crate) fn is_closure(function: &str) -> bool {
    function.rsplit_once(".-").is_some_and(|(_, name)| name.contains("-/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closures_are_recognized_by_the_compilers_names() {
        assert!(is_closure("Shop.-price/2-fun-0-/1") && is_closure(":shop.-price/2-lc$^0/1-0-/1"));
        assert!(!is_closure("Shop.price/2") && !is_closure("Shop.-/1"));
    }
}
