// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Counts cache hits of {@code 0:memo}. {@code tierup bench} names a folder in TIERUP_MEMO_COUNTS. Each process writes a
 * file there, at most ten times a second, with the numbers of calls, hits, entries and bytes.
 */
final class MemoCounts {
    /** Nanoseconds between two writes. */
    private static final long PAUSE = 100_000_000;
    /** The size of a file. It is constant, so a reader never sees part of a number. */
    private static final int LENGTH = 96;

    private String folder;
    private long calls;
    private long hits;
    private long last;
    private FileChannel file;

    MemoCounts(String folder) {
        this.folder = folder;
    }

    /** Counts a call. The caller holds the cache's lock. */
    void note(boolean isHit, int entries, long bytes) {
        if (folder.isEmpty()) {
            return;
        }
        calls++;
        hits += isHit ? 1 : 0;
        long now = System.nanoTime();
        if (file != null && now - last < PAUSE) {
            return;
        }
        last = now;
        String numbers = calls + " " + hits + " " + entries + " " + bytes;
        try {
            if (file == null) {
                Path path = Path.of(folder, ProcessHandle.current().pid() + "-" + now + ".counts");
                file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            }
            String line = numbers + " ".repeat(Math.max(0, LENGTH - 1 - numbers.length())) + "\n";
            file.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII)), 0);
        } catch (IOException | RuntimeException e) {
            // The server goes on without counts.
            folder = "";
        }
    }
}
