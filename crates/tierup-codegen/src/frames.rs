//! Whose code a frame of a stack is, as a host knows it: rules over the frame's function and file. Data only;
//! `tierup-profile` applies them. In: nothing. Out: [`FrameRule`]s, which a [`Host`](crate::Host) lists.

/// Whose code a frame is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FrameKind {
    /// The user's own code.
    Own,
    /// The user's own, where a program or a module begins: it runs once, so there is nothing to call from elsewhere.
    Entry,
    /// A package that the user's code depends on.
    Package,
    /// The host's runtime and standard library.
    Runtime,
    /// Input and output of the runtime: sockets, files, other programs.
    Io,
    /// The runtime, where it keeps its own data in a file: input and output below it are not its caller's.
    Cache,
    /// The runtime's garbage collector.
    Collector,
    /// The runtime's compiler.
    Jit,
    /// Native code without a name in the host's language.
    Native,
    /// The operating system's kernel.
    Kernel,
    /// The sensor saw the frame, but not its name.
    Unnamed,
    /// The thread waited. It is no CPU time, and no share counts it.
    Idle,
}

impl FrameKind {
    /// Whether it is the user's own code.
    pub const fn is_own(self) -> bool {
        matches!(self, FrameKind::Own | FrameKind::Entry)
    }
}

/// One rule. The first rule of a list that fits a frame decides; a frame that fits none is the user's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameRule {
    pub part: FramePart,
    pub pattern: Pattern,
    pub owner: Owner,
}

/// The part of a frame that a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FramePart {
    /// The function's name, with its package or class where the host's names have one.
    Function,
    /// The path of the source file, with `/` between its parts; empty where there is none.
    File,
}

/// When a rule fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    Is(&'static str),
    Starts(&'static str),
    Ends(&'static str),
    Contains(&'static str),
    Without(&'static str),
}

/// Whose code a frame is that fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Code of this kind, without a package.
    Kind(FrameKind),
    /// A package, named by what follows the last `marker` in the part that the rule looks at.
    Package { marker: &'static str, ends: PackageEnds },
    /// The package of this name.
    Named(&'static str),
}

/// Where a package's name ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PackageEnds {
    /// Before the next `/`; a name that begins with `@` has one `/` within it (npm).
    Scoped,
    /// Before the next `/`, without the ending of a module that is one file (Python).
    Module,
    /// Before the version, `@v1.2.3` (Go).
    Version,
    /// Before the file (vendored Go).
    Folder,
    /// Before the first `::`, without what stands before a path: `<hyper::Body as http_body::Body>::poll` (Rust).
    Crate,
    /// After as many parts between `/` or `.` (Java).
    Parts(u8),
}

impl FrameRule {
    /// For files of the package that tierup generates, which the user cannot move to Rust either.
    pub const GENERATED: FrameRule =
        FrameRule { part: FramePart::File, pattern: Pattern::Contains("/.tierup/"), owner: Owner::Named(".tierup") };

    /// For native code that was recorded beside that of the host's language. A reader of such stacks gives its functions
    /// files such as `native:libz.so.1`.
    pub const NATIVE: FrameRule = FrameRule::file(Pattern::Starts("native:"), FrameKind::Native);

    /// A rule over the function's name.
    pub const fn function(pattern: Pattern, kind: FrameKind) -> FrameRule {
        FrameRule { part: FramePart::Function, pattern, owner: Owner::Kind(kind) }
    }

    /// A rule over the file's path.
    pub const fn file(pattern: Pattern, kind: FrameKind) -> FrameRule {
        FrameRule { part: FramePart::File, pattern, owner: Owner::Kind(kind) }
    }

    /// A rule for files of packages, which stand below a folder of this name.
    pub const fn packages(marker: &'static str, ends: PackageEnds) -> FrameRule {
        FrameRule { part: FramePart::File, pattern: Pattern::Contains(marker), owner: Owner::Package { marker, ends } }
    }
}

/// A cost of a library that is known to surprise, and that profiles can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownCost {
    /// The functions: all frames that fit, with what they call.
    pub function: Pattern,
    /// What happens, and what to do instead.
    pub what: &'static str,
    /// Where it is described: a link.
    pub source: &'static str,
}
