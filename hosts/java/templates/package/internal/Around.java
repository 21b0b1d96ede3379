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

/** Stands around the server's own functions: calls whose outcome is known, by the encoded arguments, are not made. */
public abstract class Around {
    /** The approximate size of an entry without its key and value. */
    private static final int ENTRY_BYTES = 300;

    /** An encoded answer, or an exception. The answer never changes: callers get values that are read from it. */
    record Outcome(byte[] value, Exception exception) {}

    private final int mostEntries;
    private final int mostBytes;
    private final ReentrantLock lock = new ReentrantLock();
    /** The first is the next to go. */
    private final LinkedHashMap<CallKey, Outcome> entries;
    private long bytes;

    /** At most so many outcomes of at most so many bytes. `isRenewed`: an outcome that is found is the last to go. */
    Around(int mostEntries, int mostBytes, boolean isRenewed) {
        this.mostEntries = mostEntries;
        this.mostBytes = mostBytes;
        entries = new LinkedHashMap<>(16, 0.75f, isRenewed);
    }

    /**
     * The known outcome of a call, otherwise that of a call made now. Every caller gets a copy of its own, which was decoded, so
     * that a first call answers as those that follow. Calls do not wait for each other.
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
            // An answer that does not fit the signature.
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

    /** Takes the exception of a call that was made. By default it is not kept: the next call may succeed. */
    void failed(CallKey key, Exception exception) {}

    /** Is told of each call, with the lock of what is kept. */
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

    /** Replaces the outcome of a key. An outcome that exceeds the bound alone is not kept. */
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
