// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * Objects that one thread at a time uses and that are kept for the next. They are not kept per thread, as there may be
 * many virtual threads. As many are kept as processors can use at once. A thread that finds none free makes a new one.
 */
public final class Kept<T> {
    /** The distance of used slots in memory: processors would compete for a shared cache line. */
    private static final int APART = 16;
    private static final int TRIED = 4;
    /** The number of objects that are kept. */
    static final int COUNT = Math.max(8, Integer.highestOneBit(4 * Runtime.getRuntime().availableProcessors()));

    private final AtomicReferenceArray<T> places;
    private final int mask;
    private final Supplier<T> make;

    public Kept(Supplier<T> make) {
        places = new AtomicReferenceArray<>(COUNT * APART);
        mask = COUNT - 1;
        this.make = make;
    }

    /** Takes a free object, or makes one. */
    public T take() {
        T found = find();
        return found == null ? make.get() : found;
    }

    private T find() {
        int start = start();
        for (int at = 0; at < TRIED; at++) {
            int place = ((start + at) & mask) * APART;
            if (places.getAcquire(place) != null) {
                T found = places.getAndSet(place, null);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    /** Keeps an object for the next thread; {@code false} if there are enough. */
    public boolean give(T thing) {
        int start = start();
        for (int at = 0; at < TRIED; at++) {
            int place = ((start + at) & mask) * APART;
            if (places.getAcquire(place) == null && places.compareAndSet(place, null, thing)) {
                return true;
            }
        }
        return false;
    }

    private static int start() {
        return (int) Thread.currentThread().getId();
    }
}
