//! Classifies the frames of Node's stacks by the owner of their code. Out: rules for `tierup profile`.

use tierup_codegen::{FrameKind as Kind, FramePart, FrameRule, KnownCost, Owner, PackageEnds, Pattern};

/// Only `perf` shows this function: V8's profiler counts V8's own functions to their callers.
pub(crate) const COSTS: &[KnownCost] = &[KnownCost {
    function: Pattern::Contains("JSObject::SetPrototype"),
    what: "something changes the prototypes of objects at run time, as Express does with each request and response, and \
           what V8 has optimised for them is slower from then on; node:http alone does not",
    source: "https://github.com/expressjs/express/issues/5998",
}];

/// A library in Node that works off the main thread, so that its callbacks have no caller, as for packages.
const fn library(prefix: &'static str, name: &'static str) -> FrameRule {
    FrameRule { part: FramePart::File, pattern: Pattern::Starts(prefix), owner: Owner::Named(name) }
}

/// Rules for the functions and URLs of V8's profiler.
pub(crate) const FRAMES: &[FrameRule] = &[
    FrameRule::function(Pattern::Is("(idle)"), Kind::Idle),
    FrameRule::function(Pattern::Is("(garbage collector)"), Kind::Collector),
    // C++ code of V8, Node and libuv, and the kernel's work for it.
    FrameRule::function(Pattern::Is("(program)"), Kind::Native),
    // For `perf`: V8's threads run beside the main thread, and the names of their functions tell the purpose.
    FrameRule::function(Pattern::Starts("v8::internal::Scaveng"), Kind::Collector),
    FrameRule::function(Pattern::Contains("v8::internal::MarkCompact"), Kind::Collector),
    FrameRule::function(Pattern::Contains("v8::internal::Concurrent"), Kind::Collector),
    FrameRule::function(Pattern::Contains("v8::internal::Sweeper"), Kind::Collector),
    FrameRule::function(Pattern::Contains("v8::internal::Heap::"), Kind::Collector),
    FrameRule::function(Pattern::Contains("MarkingVisitor"), Kind::Collector),
    FrameRule::function(Pattern::Starts("v8::internal::compiler::"), Kind::Jit),
    FrameRule::function(Pattern::Starts("v8::internal::baseline::"), Kind::Jit),
    FrameRule::function(Pattern::Starts("v8::internal::maglev::"), Kind::Jit),
    FrameRule::function(Pattern::Starts("v8::internal::interpreter::Bytecode"), Kind::Jit),
    FrameRule::function(Pattern::Starts("v8::internal::Parser"), Kind::Jit),
    FrameRule::function(Pattern::Starts("Builtins_"), Kind::Runtime),
    FrameRule::NATIVE,
    library("node:zlib", "node:zlib"),
    library("node:crypto", "node:crypto"),
    library("node:internal/crypto", "node:crypto"),
    FrameRule::file(Pattern::Starts("node:net"), Kind::Io),
    FrameRule::file(Pattern::Starts("node:dgram"), Kind::Io),
    FrameRule::file(Pattern::Starts("node:dns"), Kind::Io),
    FrameRule::file(Pattern::Starts("node:tls"), Kind::Io),
    FrameRule::file(Pattern::Starts("node:_tls"), Kind::Io),
    FrameRule::file(Pattern::Starts("node:_http_outgoing"), Kind::Io),
    FrameRule::file(Pattern::Starts("node:_http_client"), Kind::Io),
    FrameRule::file(Pattern::Starts("node:internal/stream_base_commons"), Kind::Io),
    FrameRule::file(Pattern::Starts("node:child_process"), Kind::Io),
    FrameRule::file(Pattern::Starts("node:internal/child_process"), Kind::Io),
    FrameRule::file(Pattern::Starts("node:fs"), Kind::Io),
    FrameRule::file(Pattern::Starts("node:internal/fs"), Kind::Io),
    FrameRule::file(Pattern::Starts("node:"), Kind::Runtime),
    FrameRule::GENERATED,
    FrameRule::packages("/node_modules/", PackageEnds::Scoped),
    FrameRule::file(Pattern::Starts("wasm:"), Kind::Native),
    FrameRule::function(Pattern::Starts("wasm-function["), Kind::Native),
    // The top level of a module.
    FrameRule::function(Pattern::Is("(anonymous, line 1)"), Kind::Entry),
    // Built-in functions and regular expressions have no URL.
    FrameRule::file(Pattern::Is(""), Kind::Runtime),
];
