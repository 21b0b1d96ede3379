//! Words that already have a meaning in JavaScript, in TypeScript, in every object, or in Node.

/// Words that cannot name a parameter, or a type.
pub(super) const RESERVED: &[&str] = &[
    "arguments", "as", "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default",
    "delete", "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "from", "function", "get",
    "if", "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "of", "package", "private",
    "protected", "public", "require", "return", "set", "static", "super", "switch", "this", "throw", "true", "try",
    "typeof", "undefined", "var", "void", "while", "with", "yield", "NaN", "Infinity", "globalThis",
];

/// The package's own exports, and names that others expect on a module: with a `then`, it would be a promise.
pub(super) const EXPORTS: &[&str] = &[
    "CallError", "CallTimeoutError", "PanicError", "TransportError", "__esModule", "__proto__", "checkHealth", "close",
    "default", "metrics", "module.exports", "ready", "then", "tier", "with",
];

/// Types that the declarations refer to, and TypeScript's own types.
pub(super) const TYPES: &[&str] = &[
    "Array", "ArrayBufferView", "Baseline", "BaselineOption", "Binding", "Buffer", "CallError", "CallTimeoutError",
    "Error", "Functions", "Map", "Metrics", "NodeJS", "Options", "PanicError", "Promise", "ReadonlyArray",
    "ReadonlyMap", "TransportError", "Uint8Array", "any", "asserts", "bigint", "boolean", "declare", "infer", "is",
    "keyof", "namespace", "never", "number", "object", "readonly", "string", "symbol", "type", "unique", "unknown",
];

/// Names that every object inherits, so that an object seems to have such a property.
pub(super) const INHERITED: &[&str] = &[
    "__defineGetter__", "__defineSetter__", "__lookupGetter__", "__lookupSetter__", "__proto__", "constructor",
    "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf",
];

/// Names of Node's own modules, which `require` would return instead of the package.
pub(super) const BUILT_IN_MODULES: &[&str] = &[
    "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants", "crypto", "dgram",
    "diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2", "https", "inspector", "module", "net",
    "os", "path", "perf_hooks", "process", "punycode", "querystring", "readline", "repl", "stream", "string_decoder",
    "sys", "timers", "tls", "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib",
    "node_modules",
];
