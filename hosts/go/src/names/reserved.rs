//! Words that have a meaning in Go or in the package.

/// <https://go.dev/ref/spec#Keywords>
pub(super) const KEYWORDS: &[&str] = &[
    "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go",
    "goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type",
    "var",
];

/// <https://go.dev/ref/spec#Predeclared_identifiers>: declaring one shadows Go's own.
pub(super) const PREDECLARED: &[&str] = &[
    "any", "append", "bool", "byte", "cap", "clear", "close", "comparable", "complex", "complex128", "complex64",
    "copy", "delete", "error", "false", "float32", "float64", "imag", "int", "int16", "int32", "int64", "int8", "iota",
    "len", "make", "max", "min", "new", "nil", "panic", "print", "println", "real", "recover", "rune", "string",
    "true", "uint", "uint16", "uint32", "uint64", "uint8", "uintptr",
];

/// The local names that a generated method uses.
pub(super) const LOCALS: &[&str] = &["binding", "crossing", "wire"];

/// The names that every package exports.
pub(super) const EXPORTS: &[&str] = &[
    "ArgumentError", "Bind", "Binding", "CallError", "CallTimeoutError", "Functions", "HealthError", "Metrics",
    "Options", "PanicError", "Some", "TransportError", "UnavailableError",
];

/// The methods that every binding has besides the functions.
pub(super) const METHODS: &[&str] = &["CheckHealth", "Close", "Metrics", "Ready", "Tier", "TierupInvoke"];

/// Names that a package cannot have: a program's `main`, and names to which Go gives a special meaning.
pub(super) const NO_PACKAGES: &[&str] = &["internal", "main", "init", "vendor", "testdata"];
