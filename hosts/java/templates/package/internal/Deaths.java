// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Deaths of processes in a call of a rollout's candidate. Rust that overflows its stack ends the process, which can
 * then report nothing. So each process has a file that says whether it is in such a call. A new process finds the files
 * of those that have ended.
 */
final class Deaths {
    /** The name of a file: the process, the milliseconds when it began the file, a unique part, and the machine. */
    private static final Pattern NAME = Pattern.compile("(\\d{1,18})-(\\d{1,18})-[^-]*-(.*)");

    /** When this process could have its first file, in milliseconds, including other packages and class loaders. */
    private static final long BEGAN = Long.parseLong((String) System.getProperties()
            .computeIfAbsent("tierup.rollout.began", key -> Long.toString(System.currentTimeMillis())));

    /** The candidate's name and generation; a death counts against this name only. */
    final String name;
    private final Path folder;
    private final String machine;
    private Path path;

    private final ReentrantLock lock = new ReentrantLock();
    /** Interrupting a caller would close a channel, but not this. */
    private RandomAccessFile file;
    private int depth;

    Deaths(Path folder, String name, String machine) {
        this.folder = folder;
        this.name = name;
        this.machine = machine;
    }

    private static FileAttribute<?> only(String permissions) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
    }

    /** How many processes have died in a call of the candidate. Fails if that is unknown. {@code own}: this one's. */
    int count(Deaths own) throws IOException {
        if (ProcessHandle.of(ProcessHandle.current().pid()).isEmpty()) {
            throw new IOException("processes cannot be seen here: is there no /proc?");
        }
        Files.createDirectories(folder, only("rwx------"));
        int count = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.{call,died}")) {
            for (Path found : files) {
                if (own != null && found.equals(own.path)) {
                    continue;
                }
                try {
                    count += (found.toString().endsWith(".call") ? look(found) : isMine(text(found))) ? 1 : 0;
                } catch (NoSuchFileException e) {
                    // Another process that looks at the same time may have renamed or removed the file.
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return count;
    }

    private static String text(Path path) throws IOException {
        return new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
    }

    private boolean isMine(String text) {
        return text.endsWith(" " + name + "\n");
    }

    /** Whether a file shows that a process died in a call. Of several processes that look, only one reports it. */
    private boolean look(Path found) throws IOException {
        String stem = found.getFileName().toString().replaceFirst("\\.call$", "");
        Matcher parts = NAME.matcher(stem);
        if (!parts.matches() || !parts.group(3).equals(machine)
                || lives(Long.parseLong(parts.group(1)), Long.parseLong(parts.group(2)))) {
            return false;
        }
        String text = text(found);
        if (!text.startsWith("1")) {
            Files.delete(found);
            return false;
        }
        Files.move(found, found.resolveSibling(stem + ".died"));
        return isMine(text);
    }

    /** Whether the process of a file lives. In a container, a dead process may have had this one's number. */
    private static boolean lives(long process, long began) {
        return process == ProcessHandle.current().pid() ? began >= BEGAN : ProcessHandle.of(process).isPresent();
    }

    /** Makes this process's file. If that fails, a death would go unnoticed. */
    void begin() throws IOException {
        // The clock may have been set back.
        long now = Math.max(BEGAN, System.currentTimeMillis());
        path = folder.resolve(ProcessHandle.current().pid() + "-" + now + "-0x"
                + Long.toHexString(System.nanoTime()) + "-" + machine + ".call");
        Files.createFile(path, only("rw-------"));
        try {
            file = new RandomAccessFile(path.toFile(), "rw");
            file.write(("0 " + name + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            end();
            throw e;
        }
    }

    /** Whether the file was removed. */
    boolean isGone() {
        return !Files.exists(path);
    }

    /** Begins a call. It writes only the first of several concurrent calls. */
    void enter() {
        change(1, 1, '1');
    }

    /** Ends a call. It writes only the last of several concurrent calls. */
    void leave() {
        change(-1, 0, '0');
    }

    private void change(int by, int written, char state) {
        lock.lock();
        try {
            depth += by;
            // Calls may outlive the file.
            if (depth == written && file != null) {
                file.seek(0);
                file.write(state);
            }
        } catch (IOException e) {
            // Calls ignore a disk that fails.
        } finally {
            lock.unlock();
        }
    }

    void end() {
        lock.lock();
        try (RandomAccessFile last = file) {
            file = null;
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // The file may already be gone.
        } finally {
            lock.unlock();
        }
    }
}
