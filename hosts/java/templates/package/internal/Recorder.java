// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * {@code 0:free}, the ceiling. The baseline is called once for each different list of arguments; from then on its
 * recorded answer, or exception, is replayed. What remains is the server without the function's work.
 */
public final class Recorder implements Around {
    /** The total size of the records. When they exceed it, the oldest are dropped. */
    private static final long MOST_BYTES = 64 << 20;
    /** The approximate size of a record without its key and value. */
    private static final int RECORD_BYTES = 300;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<CallKey, Outcome> records = new HashMap<>();
    private final ArrayDeque<CallKey> oldest = new ArrayDeque<>();
    private long bytes;
    private final RecordFile file;

    private record Outcome(byte[] value, Exception exception) {}

    /** Reads the records in a folder, and adds to them. With an empty name, there is no folder. */
    public Recorder(String folder) {
        try {
            file = folder == null || folder.isEmpty()
                    ? null
                    : new RecordFile(folder, (function, arguments, value) -> keep(new CallKey(function, arguments), new Outcome(value, null)));
        } catch (IOException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "TIERUP_RECORDING: " + Failure.words(e), e);
        }
    }

    /**
     * The recorded answer of a call, otherwise that of a call made now. Each caller gets its own copy, which was decoded, so
     * that a first call answers as those that follow.
     */
    @Override
    public <T> T call(int function, Consumer<Writer> arguments, Callable<T> call, BiConsumer<Writer, T> write,
            Function<Reader, T> read) throws Exception {
        Writer to = new Writer();
        try {
            arguments.accept(to);
        } catch (Refusal refusal) {
            // Arguments that Rust would refuse always go to the baseline.
            return call.call();
        }
        CallKey key = new CallKey(function, to.written());
        Outcome known = find(key);
        if (known == null) {
            return record(key, call, write, read);
        }
        if (known.exception != null) {
            throw known.exception;
        }
        return read.apply(new Reader(known.value));
    }

    private <T> T record(CallKey key, Callable<T> call, BiConsumer<Writer, T> write, Function<Reader, T> read)
            throws Exception {
        T value;
        try {
            value = call.call();
        } catch (Exception e) {
            // Only for this process: another may not be able to read what it refers to.
            keep(key, new Outcome(new byte[0], e));
            throw e;
        }
        Writer to = new Writer();
        try {
            write.accept(to, value);
        } catch (Refusal refusal) {
            return value;
        }
        byte[] written = to.written();
        keep(key, new Outcome(written, null));
        if (file != null) {
            file.add(key.function(), key.arguments(), written);
        }
        return read.apply(new Reader(written));
    }

    private Outcome find(CallKey key) {
        lock.lock();
        try {
            return records.get(key);
        } finally {
            lock.unlock();
        }
    }

    private void keep(CallKey key, Outcome outcome) {
        lock.lock();
        try {
            Outcome before = records.put(key, outcome);
            bytes += size(key, outcome);
            if (before != null) {
                bytes -= size(key, before);
                return;
            }
            oldest.add(key);
            while (bytes > MOST_BYTES) {
                CallKey dropped = oldest.remove();
                bytes -= size(dropped, records.remove(dropped));
            }
        } finally {
            lock.unlock();
        }
    }

    private static long size(CallKey key, Outcome outcome) {
        return RECORD_BYTES + key.arguments().length + outcome.value.length;
    }
}
