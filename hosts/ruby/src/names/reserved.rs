//! Words with a meaning in Ruby, in the package, or in code that shares a scope with it.

/// Words that cannot be names of variables.
pub(super) const KEYWORDS: &[&str] = &[
    "BEGIN", "END", "__ENCODING__", "__FILE__", "__LINE__", "alias", "and", "begin", "break", "case", "class", "def",
    "defined", "do", "else", "elsif", "end", "ensure", "false", "for", "if", "in", "module", "next", "nil", "not",
    "or", "redo", "rescue", "retry", "return", "self", "super", "then", "true", "undef", "unless", "until", "when",
    "while", "yield",
];

/// Methods of every object and every module.
pub(super) const METHODS: &[&str] = &[
    "__id__", "__send__", "alias_method", "ancestors", "attr", "attr_accessor", "attr_reader", "attr_writer",
    "autoload", "class", "class_eval", "class_exec", "class_variable_get", "class_variable_set", "class_variables",
    "clone", "const_get", "const_missing", "const_set", "const_source_location", "constants", "define_method",
    "define_singleton_method", "deprecate_constant", "display", "dup", "enum_for", "extend", "freeze", "hash",
    "include", "included_modules", "inspect", "instance_eval", "instance_exec", "instance_method", "instance_methods",
    "instance_variable_get", "instance_variable_names", "instance_variable_set", "instance_variables", "itself",
    "method", "methods", "module_eval", "module_exec", "name", "object_id", "prepend", "pretty_print",
    "private_class_method", "private_constant", "private_instance_methods", "private_methods",
    "protected_instance_methods", "protected_methods", "public_class_method", "public_constant",
    "public_instance_method", "public_instance_methods", "public_method", "public_methods", "public_send", "refine",
    "remove_class_variable", "remove_instance_variable", "remove_method", "send", "singleton_class",
    "singleton_method", "singleton_methods", "taint", "tap", "then", "to_enum", "to_h", "to_json", "to_s", "trust",
    "undef_method", "untaint", "untrust", "yield_self",
];

/// Methods that Ruby itself calls if an object has them.
pub(super) const HOOKS: &[&str] = &[
    "append_features", "binding", "block_given", "coerce", "const_added", "each", "encode_with", "exception",
    "extend_object", "extended", "included", "inherited", "init_with", "initialize", "initialize_clone",
    "initialize_copy", "initialize_dup", "marshal_dump", "marshal_load", "method_added", "method_missing",
    "method_removed", "method_undefined", "prepend_features", "prepended", "respond_to_missing",
    "singleton_method_added", "singleton_method_removed", "singleton_method_undefined", "to_a", "to_ary", "to_hash",
    "to_io", "to_path", "to_proc", "to_str", "to_sym", "using", "yaml_tag",
];

/// The methods of every package and every binding.
pub(super) const OWN_METHODS: &[&str] = &["check_health", "close", "metrics", "ready", "tier", "with"];

/// Constants of every package.
pub(super) const OWN_TYPES: &[&str] = &[
    "Binding", "CallError", "CallTimeoutError", "Error", "Functions", "HealthError", "PanicError", "Tierup",
    "TransportError", "Unavailable",
];

/// Constants that Ruby or most servers define.
pub(super) const CONSTANTS: &[&str] = &[
    "ARGF", "ARGV", "ArgumentError", "Array", "BasicObject", "Bignum", "Binding", "Bundler", "Class",
    "ClosedQueueError", "Comparable", "Complex", "ConditionVariable", "Data", "DidYouMean", "Dir", "ENV", "EOFError",
    "Encoding", "EncodingError", "Enumerable", "Enumerator", "Errno", "ErrorHighlight", "Exception", "FalseClass",
    "Fiber", "FiberError", "File", "FileTest", "Fixnum", "Float", "FloatDomainError", "FrozenError", "GC", "Gem",
    "Hash", "IO", "IOError", "IndexError", "Integer", "Interrupt", "Kernel", "KeyError", "LoadError", "LocalJumpError",
    "Marshal", "MatchData", "Math", "Method", "Minitest", "Module", "Monitor", "MonitorMixin", "Mutex", "NameError",
    "NilClass", "NoMatchingPatternError", "NoMatchingPatternKeyError", "NoMemoryError", "NoMethodError",
    "NotImplementedError", "Numeric", "Object", "ObjectSpace", "Proc", "Process", "Puma", "Queue", "Rack", "Ractor",
    "Rails", "Random", "Range", "RangeError", "Rational", "RbConfig", "Refinement", "Regexp", "RegexpError", "RubyVM",
    "RuntimeError", "STDERR", "STDIN", "STDOUT", "ScriptError", "SecurityError", "Set", "Signal", "SignalException",
    "Sinatra", "SizedQueue", "StandardError", "StopIteration", "String", "Struct", "Symbol", "SyntaxError",
    "SystemCallError", "SystemExit", "SystemStackError", "Thread", "ThreadError", "ThreadGroup", "Time", "TracePoint",
    "TrueClass", "TypeError", "UnboundMethod", "UncaughtThrowError", "UnicodeNormalize", "Warning",
    "ZeroDivisionError",
];
