// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * {@code 0:memo}: the server's own functions behind a bounded cache of their answers, by the encoded arguments. It is right for
 * a function whose answer depends on nothing but its arguments. The answer that was not asked for longest goes first.
 */
public final class Memo implements Around {
    private static final int MOST_ENTRIES = 1000;
    private static final int MOST_BYTES = 64 << 20;
    /** The approximate size of an entry without its key and value. */
    private static final int ENTRY_BYTES = 300;

    private final int mostEntries;
    private final int mostBytes;
    private final ReentrantLock lock = new ReentrantLock();
    /** In the order in which they were asked for. Nobody changes a value: callers get what is read from it. */
    private final LinkedHashMap<CallKey, byte[]> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;
    private final MemoCounts counts;

    /** An empty one with the bounds that the environment sets. An empty folder is none. */
    public Memo(String folder) {
        this(Limits.wholeNumber("TIERUP_MEMO_ENTRIES"), Limits.wholeNumber("TIERUP_MEMO_BYTES"), folder);
    }

    /** A bound of 0 is the default. */
    Memo(int mostEntries, int mostBytes, String folder) {
        this.mostEntries = mostEntries == 0 ? MOST_ENTRIES : mostEntries;
        this.mostBytes = mostBytes == 0 ? MOST_BYTES : mostBytes;
        counts = new MemoCounts(folder);
    }

    /**
     * The kept answer of a call, otherwise that of a call made now. Every caller gets a copy of its own, which was decoded, so
     * that a first call answers as those that follow. An exception is not kept: the next call may succeed. Calls do not wait
     * for each other.
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
        byte[] value = get(key);
        if (value == null) {
            T answer = call.call();
            to = new Writer();
            try {
                write.accept(to, answer);
            } catch (Refusal refusal) {
                // An answer that does not fit the signature.
                return answer;
            }
            value = to.written();
            put(key, value);
        }
        return read.apply(new Reader(value));
    }

    private byte[] get(CallKey key) {
        lock.lock();
        try {
            byte[] value = entries.get(key);
            counts.note(value != null, entries.size(), bytes);
            return value;
        } finally {
            lock.unlock();
        }
    }

    private void put(CallKey key, byte[] value) {
        lock.lock();
        try {
            byte[] before = entries.remove(key);
            if (before != null) {
                bytes -= size(key, before);
            }
            if (size(key, value) > mostBytes) {
                return;
            }
            entries.put(key, value);
            bytes += size(key, value);
            Iterator<Map.Entry<CallKey, byte[]>> oldest = entries.entrySet().iterator();
            while (entries.size() > mostEntries || bytes > mostBytes) {
                Map.Entry<CallKey, byte[]> dropped = oldest.next();
                bytes -= size(dropped.getKey(), dropped.getValue());
                oldest.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    private static long size(CallKey key, byte[] value) {
        return ENTRY_BYTES + (long) key.arguments().length + value.length;
    }
}
