// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** The program of tier 1. It is in this package's jar, and is put where it can run. */
final class Program {
    static final boolean IS_POSIX = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    private static final Path SETSID = Path.of("/usr/bin/setsid");
    /** The exit code of the program if it is started without a valid call. */
    private static final int REFUSED = 3;

    private final String name;
    private final Path file;
    /** Keeps the program's file open if the file has no name any longer; otherwise null. */
    private final FileChannel held;

    Program(String name, Path file, FileChannel held) {
        this.name = name;
        this.file = file;
        this.held = held;
    }

    static Program open(String name) {
        try {
            return Packed.first("program", name + "-", ".exe", file -> {
                boolean isKept = false;
                try {
                    Program program = unnamed(name, file);
                    if (program == null) {
                        program = named(name, file);
                        isKept = true;
                    }
                    return program;
                } finally {
                    if (!isKept) {
                        Files.deleteIfExists(file);
                    }
                }
            });
        } catch (IOException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE,
                    "cannot place the program of " + name + " where it could run: " + Failure.words(e), e);
        }
    }

    private static Program named(String name, Path file) throws IOException {
        Program program = new Program(name, file, null);
        try {
            program.tryOut();
        } catch (IOException e) {
            throw new IOException("it does not run from " + file.getParent() + ", the java.io.tmpdir ("
                    + Failure.words(e) + "); if that folder does not allow executing programs, choose another: -Djava.io.tmpdir=...", e);
        }
        file.toFile().deleteOnExit();
        return program;
    }

    /**
     * The program in a file without a name, so that no file is left, however this process ends: Linux can run a file by
     * an open descriptor of this process. {@code null} if that fails.
     */
    private static Program unnamed(String name, Path file) throws IOException {
        Path descriptors = Path.of("/proc/" + ProcessHandle.current().pid() + "/fd");
        if (!Files.isDirectory(descriptors)) {
            return null;
        }
        FileChannel held = FileChannel.open(file, StandardOpenOption.READ);
        Program program = null;
        try (DirectoryStream<Path> all = Files.newDirectoryStream(descriptors)) {
            for (Path descriptor : all) {
                if (leadsTo(descriptor, file)) {
                    program = new Program(name, descriptor, held);
                }
            }
            if (program != null) {
                program.tryOut();
                return program;
            }
        } catch (IOException e) {
            // The program is then run by its name.
        }
        held.close();
        return null;
    }

    private static boolean leadsTo(Path descriptor, Path file) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file.toRealPath());
        } catch (IOException e) {
            // The descriptor was closed in the meantime.
            return false;
        }
    }

    /** Fails if the program cannot run. Without a call, it exits with an error and calls no function. */
    private void tryOut() throws IOException {
        Process process = new ProcessBuilder(file.toString(), "--tierup-call")
                .redirectErrorStream(true).redirectOutput(Redirect.DISCARD).start();
        int code = Threads.joined(process.onExit()).exitValue();
        if (code != REFUSED) {
            throw new IOException("exit code " + code);
        }
    }

    String name() {
        return name;
    }

    /** The message with this program's name in place of its path. */
    String named(String words) {
        return words.replace(file.toString(), name);
    }

    /** Starts the program. It inherits standard error, so no thread has to forward its messages. */
    Process start(String... arguments) {
        List<String> line = new ArrayList<>();
        // Ctrl-C in a terminal must reach only the server, which still needs the answers of running calls.
        if (Files.isExecutable(SETSID)) {
            line.add(SETSID.toString());
        }
        line.add(file.toString());
        line.addAll(List.of(arguments));
        try {
            return new ProcessBuilder(line).redirectError(Redirect.INHERIT).start();
        } catch (IOException e) {
            throw new Failure(Failure.Kind.TRANSPORT, name + " could not be started: " + Failure.words(e), e);
        }
    }

    /** The failure of a process that ended without an answer. */
    Failure ending(Process process) {
        String how = "";
        if (!process.isAlive()) {
            int code = process.exitValue();
            // Codes above 128 stand for signals, as in shells.
            how = code > 128 ? ": killed by signal " + (code - 128) : ": exit code " + code;
        }
        return new Failure(Failure.Kind.TRANSPORT, name + " ended without an answer" + how);
    }

    void close() {
        try {
            if (held == null) {
                Files.deleteIfExists(file);
            } else {
                held.close();
            }
        } catch (IOException e) {
            // The file is removed when this process ends.
        }
    }
}
