//! Words that have a meaning in Java or in the package.

/// <https://docs.oracle.com/javase/specs/jls/se25/html/jls-3.html#jls-3.9>, with literals and contextual keywords.
pub(super) const KEYWORDS: &[&str] = &[
    "_", "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue",
    "default", "do", "double", "else", "enum", "exports", "extends", "false", "final", "finally", "float", "for",
    "goto", "if", "implements", "import", "instanceof", "int", "interface", "long", "module", "native", "new", "null",
    "open", "opens", "package", "permits", "private", "protected", "provides", "public", "record", "requires",
    "return", "sealed", "short", "static", "strictfp", "super", "switch", "synchronized", "this", "throw", "throws",
    "to", "transient", "transitive", "true", "try", "uses", "var", "void", "volatile", "when", "while", "with",
    "yield",
];

/// The methods of every object. A declaration of the same name overrides it, or is an error.
pub(super) const OBJECT: &[&str] =
    &["clone", "equals", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"];

/// The methods that every binding has besides the functions.
pub(super) const METHODS: &[&str] = &["checkHealth", "close", "load", "metrics", "missing", "own", "ready", "tier"];

/// The local names that a generated method uses.
pub(super) const LOCALS: &[&str] = &["crossing", "e", "from", "own", "side", "to"];

/// The types of every package, and the Java types that its files use by their short names.
pub(super) const TYPES: &[&str] = &[
    "Answer", "Arrays", "AtomicBoolean", "AutoCloseable", "BiConsumer", "Binding", "Boolean", "Built", "Byte",
    "ByteBuffer", "CallException", "CallTimeoutException", "Character", "Class", "Double", "Enum", "Error",
    "Exception", "Failure", "Float", "Function", "FunctionalInterface", "Functions", "HealthException", "HexFormat",
    "IllegalArgumentException", "IllegalStateException", "Integer", "InterruptedException", "Kept", "LinkedHashMap",
    "List", "Long", "LongAdder", "Map", "Math", "MessageDigest", "Metrics", "Module", "NoSuchAlgorithmException",
    "Object", "Objects", "Optional", "Options", "Override", "PanicException", "Pattern", "Reader", "Record",
    "Recorder", "Refusal", "Runnable", "RuntimeException", "RustException", "Short", "StandardCharsets", "String",
    "StringBuilder", "Supplier", "SuppressWarnings", "System", "Thread", "Throwable", "TransportException",
    "UnavailableException", "Unreadable", "Values", "Variant", "Variants", "Void", "Writer",
];
