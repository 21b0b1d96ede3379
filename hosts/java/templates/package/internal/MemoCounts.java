// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How often {@code 0:memo} had the answer. {@code tierup bench} names a folder in TIERUP_MEMO_COUNTS. Each process writes a file
 * there, at most ten times a second: the numbers of calls, of calls that were answered from memory, of entries, and of bytes.
 */
final class MemoCounts {
    /** Nanoseconds between two writes. */
    private static final long PAUSE = 100_000_000;
    /** The length of a file: a reader never sees a part of a number. */
    private static final int LENGTH = 96;

    private String folder;
    private long calls;
    private long hits;
    private long last;
    private FileChannel file;

    MemoCounts(String folder) {
        this.folder = folder;
    }

    /** Counts a call. It is called with the lock of what is kept. */
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
            // The server goes on without.
            folder = "";
        }
    }
}
