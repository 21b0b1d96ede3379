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

/// Names that a package cannot have: a program's `main`, `documentation`, whose files Go does not compile, and others to which Go
/// gives a special meaning.
pub(super) const NO_PACKAGES: &[&str] = &["documentation", "internal", "main", "init", "vendor", "testdata"];

/// Names that an import path cannot end with: folders that only their neighbours may import, and
/// [files that Windows cannot have](https://pkg.go.dev/golang.org/x/mod/module#CheckPath).
pub(super) const NO_PATHS: &[&str] = &[
    "internal", "vendor", "aux", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "con", "lpt1",
    "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "nul", "prn",
];
