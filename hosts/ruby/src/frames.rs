//! Rules for `tierup profile`: the owners of the code in Ruby's stacks.

use tierup_codegen::{FrameKind as Kind, FrameRule, PackageEnds, Pattern};

/// For functions and full paths of files, as stackprof has them. Functions written in C have the file `<cfunc>`.
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
    // Debian's packages of pure Ruby.
    FrameRule::packages("/vendor_ruby/", PackageEnds::Module),
    FrameRule::file(Pattern::Ends("/socket.rb"), Kind::Io),
    FrameRule::file(Pattern::Ends("/net/protocol.rb"), Kind::Io),
    FrameRule::file(Pattern::Ends("/net/http.rb"), Kind::Io),
    FrameRule::file(Pattern::Contains("/lib/ruby/"), Kind::Runtime),
    // The sensor has no file for some.
    FrameRule::file(Pattern::Is(""), Kind::Runtime),
    // They run once, when a file is loaded. Blocks in them do not: Sinatra's handlers are `block in <main>`.
    FrameRule::function(Pattern::Starts("<"), Kind::Entry),
];
