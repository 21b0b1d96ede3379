//! Files that other code requires by these names. A gem of such a name would hide the file, or be hidden by it.

/// Files that `require` finds in every Ruby, or in most servers.
pub(super) const STANDARD_FILES: &[&str] = &[
    "abbrev", "base64", "benchmark", "bigdecimal", "bundler", "cgi", "continuation", "coverage", "csv", "date",
    "date_core", "delegate", "did_you_mean", "digest", "drb", "enc", "erb", "error_highlight", "etc", "expect",
    "fcntl", "fiddle", "fileutils", "find", "forwardable", "getoptlong", "io", "ipaddr", "irb", "json", "kconv",
    "logger", "minitest", "mkmf", "monitor", "mutex_m", "net", "nkf", "objspace", "observer", "open3", "open_uri",
    "openssl", "optionparser", "optparse", "ostruct", "pathname", "pp", "prettyprint", "pstore", "psych", "pty",
    "puma", "racc", "rack", "rails", "rake", "random", "rbconfig", "rdoc", "readline", "reline", "resolv",
    "resolv_replace", "rinda", "ripper", "rubygems", "securerandom", "set", "shellwords", "sinatra", "singleton",
    "socket", "stringio", "strscan", "syslog", "tempfile", "time", "timeout", "tmpdir", "tsort", "un",
    "unicode_normalize", "uri", "weakref", "yaml", "zlib",
];
