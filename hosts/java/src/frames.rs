//! Rules for `tierup profile`: who owns the functions in Java stacks.

use tierup_codegen::{FrameKind as Kind, FramePart, FrameRule, KnownCost, Owner, PackageEnds, Pattern};

pub(crate) const COSTS: &[KnownCost] = &[KnownCost {
    function: Pattern::Starts("javax/imageio/stream/FileCacheImage"),
    what: "ImageIO caches images in a temporary file; `ImageIO.setUseCache(false)` keeps them in memory",
    source: "https://docs.oracle.com/javase/10/docs/api/javax/imageio/stream/FileCacheImageOutputStream.html",
}];

const fn starts(prefix: &'static str, kind: Kind) -> FrameRule {
    FrameRule::function(Pattern::Starts(prefix), kind)
}

/// A library whose packages begin with this prefix. Their first three parts name it.
const fn library(prefix: &'static str) -> FrameRule {
    FrameRule {
        part: FramePart::Function,
        pattern: Pattern::Starts(prefix),
        owner: Owner::Package { marker: "", ends: PackageEnds::Parts(3) },
    }
}

/// Rules for methods such as `com/example/Server.handle` and for the JVM's own functions, as async-profiler writes
/// them. Stacks have no files, so well-known libraries are recognised by name. All other code is the user's own.
pub(crate) const FRAMES: &[FrameRule] = &[
    // ImageIO writes an image to a temporary file before it writes to a stream.
    starts("javax/imageio/stream/FileCache", Kind::Cache),
    starts("java/net/", Kind::Io),
    starts("java/nio/channels/", Kind::Io),
    starts("java/io/File", Kind::Io),
    starts("java/io/RandomAccessFile", Kind::Io),
    starts("sun/nio/ch/", Kind::Io),
    starts("sun/nio/fs/", Kind::Io),
    starts("java/", Kind::Runtime),
    starts("javax/", Kind::Runtime),
    starts("jdk/", Kind::Runtime),
    starts("sun/", Kind::Runtime),
    starts("com/sun/", Kind::Runtime),
    starts("java.", Kind::Runtime),
    starts("javax.", Kind::Runtime),
    starts("jdk.", Kind::Runtime),
    starts("sun.", Kind::Runtime),
    starts("com.sun.", Kind::Runtime),
    starts("CompileBroker::", Kind::Jit),
    starts("CompilerThread", Kind::Jit),
    starts("Compile::", Kind::Jit),
    starts("C2Compiler::", Kind::Jit),
    starts("Compiler::", Kind::Jit),
    starts("Compilation::", Kind::Jit),
    starts("Phase", Kind::Jit),
    starts("JVMCI", Kind::Jit),
    starts("G1", Kind::Collector),
    starts("ParallelGC", Kind::Collector),
    starts("PSPromotion", Kind::Collector),
    starts("GangWorker::", Kind::Collector),
    starts("WorkerThread::", Kind::Collector),
    starts("ConcurrentGCThread::", Kind::Collector),
    starts("Shenandoah", Kind::Collector),
    starts("ZGC", Kind::Collector),
    starts("ZDriver::", Kind::Collector),
    starts("VM_G1", Kind::Collector),
    starts("VM_Parallel", Kind::Collector),
    // Functions of the JVM, which only `perf` reports.
    FrameRule::function(Pattern::Is("Interpreter"), Kind::Runtime),
    FrameRule::NATIVE,
    // Code that tierup generates: the package and its driver.
    FrameRule { part: FramePart::Function, pattern: Pattern::Starts("local/tierup/"), owner: Owner::Named(".tierup") },
    library("jakarta/"),
    library("org/apache/"),
    library("org/eclipse/"),
    library("org/springframework/"),
    library("org/slf4j/"),
    library("org/hibernate/"),
    library("org/jetbrains/"),
    library("com/fasterxml/"),
    library("tools/jackson/"),
    library("com/google/"),
    library("com/zaxxer/"),
    library("ch/qos/"),
    library("io/netty/"),
    library("io/undertow/"),
    library("io/vertx/"),
    library("io/quarkus/"),
    library("io/micronaut/"),
    library("io/helidon/"),
    library("io/javalin/"),
    library("reactor/"),
    library("kotlin/"),
    library("kotlinx/"),
    library("scala/"),
    library("akka/"),
    // The JVM generates these classes, with new names in each process. The user's code is in `lambda$main$0`.
    FrameRule::function(Pattern::Contains("$$Lambda"), Kind::Runtime),
    FrameRule::function(Pattern::Contains("::"), Kind::Native),
    // C functions, the JVM's stubs and shared objects. A method would have a class before its name.
    FrameRule::function(Pattern::Ends(".so"), Kind::Native),
    FrameRule::function(Pattern::Contains(".so."), Kind::Native),
    FrameRule::function(Pattern::Without("."), Kind::Native),
    FrameRule::function(Pattern::Ends(".main"), Kind::Entry),
];
