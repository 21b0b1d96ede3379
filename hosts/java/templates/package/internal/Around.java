// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/** Wraps the server's own functions. If the outcome for the encoded arguments is known, the function is not called. */
public abstract class Around {
    /** The approximate size of an entry without its key and value. */
    private static final int ENTRY_BYTES = 300;

    /** An encoded answer, or an exception. It never changes: callers get values decoded from it. */
    record Outcome(byte[] value, Exception exception) {}

    private final int mostEntries;
    private final int mostBytes;
    private final ReentrantLock lock = new ReentrantLock();
    /** The first entry is evicted first. */
    private final LinkedHashMap<CallKey, Outcome> entries;
    private long bytes;

    /** Bounds for outcomes and their bytes. `isRenewed`: an outcome that is found moves to the end. */
    Around(int mostEntries, int mostBytes, boolean isRenewed) {
        this.mostEntries = mostEntries;
        this.mostBytes = mostBytes;
        entries = new LinkedHashMap<>(16, 0.75f, isRenewed);
    }

    /**
     * The known outcome of a call, or the outcome of a call made now. Every caller gets a decoded copy of its own, so a
     * first answer equals the later ones. Concurrent calls do not wait for each other.
     */
    public final <T> T call(int function, Consumer<Writer> arguments, Callable<T> call, BiConsumer<Writer, T> write,
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
            return made(key, call, write, read);
        }
        if (known.exception != null) {
            throw known.exception;
        }
        return read.apply(new Reader(known.value));
    }

    private <T> T made(CallKey key, Callable<T> call, BiConsumer<Writer, T> write, Function<Reader, T> read)
            throws Exception {
        T answer;
        try {
            answer = call.call();
        } catch (Exception e) {
            failed(key, e);
            throw e;
        }
        Writer to = new Writer();
        try {
            write.accept(to, answer);
        } catch (Refusal refusal) {
            // The answer does not fit the signature, so it cannot be kept.
            return answer;
        }
        byte[] value = to.written();
        answered(key, value);
        return read.apply(new Reader(value));
    }

    /** Takes the answer of a call that was made. */
    void answered(CallKey key, byte[] value) {
        keep(key, new Outcome(value, null));
    }

    /** Takes the exception of a call that was made. By default it is dropped: the next call may succeed. */
    void failed(CallKey key, Exception exception) {}

    /** Is called for each call, with the lock held. */
    void asked(boolean isKnown, int entries, long bytes) {}

    private Outcome find(CallKey key) {
        lock.lock();
        try {
            Outcome outcome = entries.get(key);
            asked(outcome != null, entries.size(), bytes);
            return outcome;
        } finally {
            lock.unlock();
        }
    }

    /** Replaces the outcome of a key. It drops an outcome that exceeds the bound by itself. */
    final void keep(CallKey key, Outcome outcome) {
        lock.lock();
        try {
            Outcome before = entries.remove(key);
            if (before != null) {
                bytes -= size(key, before);
            }
            if (size(key, outcome) > mostBytes) {
                return;
            }
            entries.put(key, outcome);
            bytes += size(key, outcome);
            Iterator<Map.Entry<CallKey, Outcome>> oldest = entries.entrySet().iterator();
            while (entries.size() > mostEntries || bytes > mostBytes) {
                Map.Entry<CallKey, Outcome> dropped = oldest.next();
                bytes -= size(dropped.getKey(), dropped.getValue());
                oldest.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    private static long size(CallKey key, Outcome outcome) {
        return ENTRY_BYTES + (long) key.arguments().length + outcome.value.length;
    }
}
