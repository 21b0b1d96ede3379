// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A file keeps answers beyond its process: {@code tierup bench} names a folder in TIERUP_RECORDING, and the servers
 * that it starts for each block replay the answers recorded there.
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
        // Each writer has its own file, so that writers do not mix their records.
        path = place.resolve(ProcessHandle.current().pid() + "-" + System.nanoTime() + ENDING);
    }

    /** Ignores an incomplete last record, whose writer was killed. */
    private static void read(byte[] content, Keep keep) {
        Reader from = new Reader(content);
        try {
            while (from.hasMore()) {
                keep.keep(from.i32(), from.blob(), from.blob());
            }
        } catch (Unreadable e) {
            // The writer of the last record was killed.
        }
    }

    /** Ignores an error: the next process then asks the baseline again. */
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
            // The next process asks the baseline again.
        } finally {
            lock.unlock();
        }
    }
}
