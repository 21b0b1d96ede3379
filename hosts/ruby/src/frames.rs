//! Rules for `tierup profile`: who owns the functions in Ruby stacks.

use tierup_codegen::{FrameKind as Kind, FrameRule, PackageEnds, Pattern};

/// Rules for functions and full paths of files, as stackprof reports them. C functions have the file `<cfunc>`.
pub(crate) const FRAMES: &[FrameRule] = &[
    FrameRule::function(Pattern::Is("(garbage collection)"), Kind::Collector),
    FrameRule::function(Pattern::Is("(marking)"), Kind::Collector),
    FrameRule::function(Pattern::Is("(sweeping)"), Kind::Collector),
    FrameRule::function(Pattern::Starts("IO#"), Kind::Io),
    FrameRule::function(Pattern::Starts("IO."), Kind::Io),
    FrameRule::function(Pattern::Is("File#initialize"), Kind::Io),
    FrameRule::function(Pattern::Is("File.stat"), Kind::Io),
    FrameRule::function(Pattern::Is("File.file?"), Kind::Io),
    FrameRule::function(Pattern::Is("File.exist?"), Kind::Io),
    FrameRule::function(Pattern::Starts("Dir."), Kind::Io),
    FrameRule::function(Pattern::Starts("BasicSocket#"), Kind::Io),
    FrameRule::function(Pattern::Starts("Socket#"), Kind::Io),
    FrameRule::function(Pattern::Starts("TCPSocket#"), Kind::Io),
    FrameRule::function(Pattern::Starts("TCPServer#"), Kind::Io),
    FrameRule::function(Pattern::Starts("UNIXSocket#"), Kind::Io),
    FrameRule::function(Pattern::Starts("UNIXServer#"), Kind::Io),
    FrameRule::function(Pattern::Is("Process.spawn"), Kind::Io),
    FrameRule::function(Pattern::Is("Kernel#`"), Kind::Io),
    FrameRule::GENERATED,
    FrameRule::file(Pattern::Starts("<"), Kind::Runtime),
    FrameRule::packages("/gems/", PackageEnds::Scoped),
    FrameRule::file(Pattern::Contains("/vendor_ruby/rubygems"), Kind::Runtime),
    FrameRule::file(Pattern::Contains("/vendor_ruby/bundler"), Kind::Runtime),
    // Debian's packages of pure Ruby gems.
    FrameRule::packages("/vendor_ruby/", PackageEnds::Module),
    FrameRule::file(Pattern::Ends("/socket.rb"), Kind::Io),
    FrameRule::file(Pattern::Ends("/net/protocol.rb"), Kind::Io),
    FrameRule::file(Pattern::Ends("/net/http.rb"), Kind::Io),
    FrameRule::file(Pattern::Contains("/lib/ruby/"), Kind::Runtime),
    // The sensor reports some functions without a file.
    FrameRule::file(Pattern::Is(""), Kind::Runtime),
    // These run once, when a file is loaded. Blocks in them may run often: Sinatra's handlers are `block in <main>`.
    FrameRule::function(Pattern::Starts("<"), Kind::Entry),
];
