//! Rules for `tierup profile`: who owns the functions in Python stacks.

use tierup_codegen::{FrameKind as Kind, FrameRule, PackageEnds, Pattern};

/// Rules for functions and full paths of files, as py-spy writes them with `--full-filenames`.
pub(crate) const FRAMES: &[FrameRule] = &[
    // py-spy's `--subprocesses` puts these names of processes at the root of their stacks.
    FrameRule::function(Pattern::Starts("process "), Kind::Runtime),
    FrameRule::GENERATED,
    // The committed package. The profile of a running server does not know its folder.
    FrameRule::generated("/_tierup/"),
    FrameRule::packages("/site-packages/", PackageEnds::Module),
    FrameRule::packages("/dist-packages/", PackageEnds::Module),
    FrameRule::file(Pattern::Starts("<frozen "), Kind::Runtime),
    FrameRule::file(Pattern::Ends("/socket.py"), Kind::Io),
    FrameRule::file(Pattern::Ends("/socketserver.py"), Kind::Io),
    FrameRule::file(Pattern::Ends("/ssl.py"), Kind::Io),
    FrameRule::file(Pattern::Ends("/selectors.py"), Kind::Io),
    FrameRule::file(Pattern::Ends("/subprocess.py"), Kind::Io),
    FrameRule::file(Pattern::Ends("/asyncio/selector_events.py"), Kind::Io),
    FrameRule::file(Pattern::Contains("/lib/python3"), Kind::Runtime),
    FrameRule::file(Pattern::Contains("/lib64/python3"), Kind::Runtime),
    FrameRule::file(Pattern::Ends(".so"), Kind::Native),
    FrameRule::file(Pattern::Contains(".so."), Kind::Native),
    FrameRule::function(Pattern::Is("<module>"), Kind::Entry),
];
