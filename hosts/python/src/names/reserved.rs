//! Words with a meaning in Python, in the package, or in code that shares a scope with it.

/// Words that cannot be names, including `__debug__`.
pub(super) const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "__debug__",
];

/// Functions and types that Python has everywhere.
pub(super) const BUILTINS: &[&str] = &[
    "abs", "aiter", "all", "anext", "any", "ascii", "bin", "bool", "breakpoint", "bytearray", "bytes", "callable",
    "chr", "classmethod", "compile", "complex", "delattr", "dict", "dir", "divmod", "enumerate", "eval", "exec",
    "filter", "float", "format", "frozenset", "getattr", "globals", "hasattr", "hash", "help", "hex", "id", "input",
    "int", "isinstance", "issubclass", "iter", "len", "list", "locals", "map", "max", "memoryview", "min", "next",
    "object", "oct", "open", "ord", "pow", "print", "property", "range", "repr", "reversed", "round", "set", "setattr",
    "slice", "sorted", "staticmethod", "str", "sum", "super", "tuple", "type", "vars", "zip",
];

/// The names that the package and its bindings define, and the types in their declarations.
pub(super) const EXPORTS: &[&str] = &[
    "Any", "Binding", "CallError", "CallTimeoutError", "Functions", "HealthError", "Mapping", "Metrics", "NamedTuple",
    "Optional", "PanicError", "Sequence", "TransportError", "Unavailable", "Union", "bind", "bool", "bytearray",
    "bytes", "check_health", "close", "dict", "float", "int", "list", "memoryview", "metrics", "ready", "str", "tier",
    "_functions", "_interface", "_native", "_tierup", "_tierup_call", "_tierup_calls", "_tierup_chosen",
    "_tierup_counters", "_tierup_default", "_tierup_is_open", "_tierup_lock", "_tierup_variant", "_types",
];

/// Names that a dataclass itself uses.
pub(super) const FIELDS: &[&str] = &["field", "dataclass", "_"];

/// Classes that the package's own code uses, and Python's exceptions.
pub(super) const CLASSES: &[&str] = &[
    "Any", "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "Binding", "BlockingIOError",
    "BrokenPipeError", "BufferError", "CallError", "CallTimeoutError", "ChildProcessError", "ConnectionError",
    "EOFError", "Ellipsis", "Enum", "Exception", "FileExistsError", "FileNotFoundError", "Functions", "HealthError",
    "IOError", "ImportError", "IndexError", "InterruptedError", "KeyError", "KeyboardInterrupt", "LookupError",
    "Mapping", "MemoryError", "Metrics", "NameError", "NamedTuple", "NotImplemented", "NotImplementedError", "OSError",
    "Optional", "OverflowError", "PanicError", "PermissionError", "RuntimeError", "Sequence", "StopIteration",
    "SyntaxError", "SystemExit", "TimeoutError", "TransportError", "TypeError", "Unavailable", "UnicodeError", "Union",
    "ValueError", "Warning", "annotations", "bool", "builtins", "bytearray", "bytes", "dataclass", "dict", "enum",
    "float", "int", "list", "memoryview", "object", "str", "tuple", "type",
];
