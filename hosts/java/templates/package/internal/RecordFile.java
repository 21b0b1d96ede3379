// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A file of answers outlives its process: `tierup bench` names a folder in TIERUP_RECORDING, so that the servers that
 * it starts afresh for every block replay what was recorded once.
 */
final class RecordFile {
    private static final String ENDING = ".java-answers";

    /** Takes a record that was read. */
    interface Keep {
        void keep(int function, byte[] arguments, byte[] value);
    }

    private final Path path;
    private final ReentrantLock lock = new ReentrantLock();
    private OutputStream file;

    RecordFile(String folder, Keep keep) throws IOException {
        Path place = Files.createDirectories(Path.of(folder));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(place, "*" + ENDING)) {
            for (Path file : files) {
                read(Files.readAllBytes(file), keep);
            }
        }
        // One file for each writer, so that nobody's half of a record lands in another's.
        path = place.resolve(ProcessHandle.current().pid() + "-" + System.nanoTime() + ENDING);
    }

    /** Leaves out what its writer was killed over. */
    private static void read(byte[] content, Keep keep) {
        Reader from = new Reader(content);
        try {
            while (from.hasMore()) {
                keep.keep(from.i32(), from.blob(), from.blob());
            }
        } catch (Unreadable e) {
            // The last record of a writer that was killed.
        }
    }

    /** Does without a record that cannot be written: the answer is then asked for again. */
    void add(int function, byte[] arguments, byte[] value) {
        Writer to = new Writer();
        to.i32(function);
        to.blob(arguments);
        to.blob(value);
        lock.lock();
        try {
            if (file == null) {
                file = Files.newOutputStream(path);
            }
            file.write(to.written());
        } catch (IOException e) {
            // Asked for again.
        } finally {
            lock.unlock();
        }
    }
}
