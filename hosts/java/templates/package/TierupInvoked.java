// Made by tierup; the same in every package. Do not edit.
package {{package}};

import {{package}}.internal.Refusal;
import {{package}}.internal.Writer;

import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** The encoded answer of a call, and the nanoseconds of all its repeats. */
record TierupInvoked(byte[] answer, long elapsed) {
    static <T> TierupInvoked of(int repeat, Supplier<T> call, BiConsumer<Writer, T> write) {
        T value = null;
        long start = System.nanoTime();
        for (int at = 0; at < repeat; at++) {
            value = call.get();
        }
        long elapsed = System.nanoTime() - start;
        Writer to = new Writer();
        to.parameter("answer");
        try {
            write.accept(to, value);
        } catch (Refusal refusal) {
            // Only a baseline can return a value that cannot be encoded.
            throw new TransportException(refusal.getMessage(), refusal);
        }
        return new TierupInvoked(to.written(), elapsed);
    }
}
