//! The names that have a meaning in Elixir, in OTP, or in the generated application.

/// Keywords, which cannot be names, and special forms, which no module can define.
pub(super) const KEYWORDS: &[&str] = &[
    "true", "false", "nil", "when", "and", "or", "not", "in", "fn", "do", "end", "catch", "rescue", "after", "else",
    "alias", "case", "cond", "for", "import", "quote", "receive", "require", "super", "try", "unquote",
    "unquote_splicing", "with", "__aliases__", "__block__", "__CALLER__", "__DIR__", "__ENV__", "__MODULE__",
    "__STACKTRACE__",
];

/// Names that the module of the functions defines or uses itself.
pub(super) const FUNCTIONS: &[&str] = &[
    "__info__", "__struct__", "module_info", "behaviour_info", "def", "defp", "defmodule", "defmacro", "bind",
    "check_health", "metrics", "ready", "tier",
];

/// Modules below the package's own.
pub(super) const TYPES: &[&str] = &[
    "CallError", "CallTimeoutError", "HealthError", "MixProject", "PanicError", "Tierup", "TransportError",
    "Unavailable",
];

/// Applications of OTP and Elixir, and those of build tools.
pub(super) const APPLICATIONS: &[&str] = &[
    "asn1", "common_test", "compiler", "crypto", "debugger", "dialyzer", "diameter", "edoc", "eldap", "elixir", "eex",
    "erl_docgen", "erl_interface", "erlang", "erts", "et", "eunit", "ex_unit", "ftp", "hex", "iex", "inets",
    "jinterface", "kernel", "logger", "megaco", "mix", "mnesia", "observer", "odbc", "os_mon", "parsetools",
    "public_key", "rebar", "reltool", "runtime_tools", "sasl", "snmp", "ssh", "ssl", "stdlib", "syntax_tools", "tftp",
    "tools", "wx", "xmerl",
];

/// Modules of Elixir.
pub(super) const MODULES: &[&str] = &[
    "Access", "Agent", "Application", "ArgumentError", "ArithmeticError", "Atom", "Base", "Behaviour", "Bitwise",
    "Calendar", "Code", "Collectable", "Config", "Date", "DateTime", "Dict", "DynamicSupervisor", "EEx", "Enum",
    "Enumerable", "ErlangError", "ExUnit", "Exception", "File", "Float", "Function", "GenEvent", "GenServer",
    "HashDict", "HashSet", "Hex", "IEx", "IO", "Inspect", "Integer", "JSON", "Kernel", "KeyError", "Keyword", "List",
    "Logger", "Macro", "Map", "MapSet", "MatchError", "Mix", "Module", "NaiveDateTime", "Node", "OptionParser",
    "PartitionSupervisor", "Path", "Port", "Process", "Protocol", "Range", "Record", "Regex", "Registry",
    "RuntimeError", "Set", "Stream", "String", "StringIO", "Supervisor", "System", "SystemLimitError", "Task", "Time",
    "Tuple", "UndefinedFunctionError", "URI", "Version",
];
