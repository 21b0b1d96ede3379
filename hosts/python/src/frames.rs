//! Whose code the frames of Python's stacks are. In: nothing. Out: rules for `tierup profile`.

use tierup_codegen::{FrameKind as Kind, FrameRule, PackageEnds, Pattern};

/// For functions and full paths of files, as py-spy writes them with `--full-filenames`.
pub(crate) const FRAMES: &[FrameRule] = &[
    // How py-spy's `--subprocesses` names the processes, at the root of their stacks.
    FrameRule::function(Pattern::Starts("process "), Kind::Runtime),
    FrameRule::GENERATED,
    // Of the package that is committed, whose folder a profile of a running server does not tell.
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
