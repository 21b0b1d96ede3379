// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.lang.reflect.InvocationTargetException;
import java.util.HashMap;
import java.util.Map;

/** Variants in use, by name. All bindings share them, so there is one pool and one native library. */
public final class Variants {
    private static final Map<String, Entry> ENTRIES = new HashMap<>();
    /** A class loader loads the native library only once, and keeps it. */
    private static Variant loadedNative;

    private static final class Entry {
        final Variant variant;
        int users;

        Entry(Variant variant) {
            this.variant = variant;
        }
    }

    /** The number of the alternative to call, or 0, for Wasm modules: they have no environment. */
    public static volatile int alternative;

    private Variants() {}

    /** Returns a variant. The caller gives it back by its name. */
    public static synchronized Variant take(String name, String program, long abi) {
        Entry entry = ENTRIES.get(name);
        if (entry == null) {
            entry = new Entry(load(name, program, abi));
            ENTRIES.put(name, entry);
        }
        entry.users++;
        return entry.variant;
    }

    private static Variant load(String name, String program, long abi) {
        return switch (name) {
            case "1:spawn" -> (Variant) made("Spawn", program, abi);
            case "1:pool" -> (Variant) made("Pool", program, abi);
            case "2:core" -> (Variant) made("core.Core", abi);
            default -> {
                loadedNative = loadedNative == null ? (Variant) made("Native", abi) : loadedNative;
                yield loadedNative;
            }
        };
    }

    /** Connects a rollout to the program that compares calls. */
    static Comparer comparer(String program, long abi) {
        return (Comparer) made("OwnComparer", program, abi);
    }

    /** An instance of a class that exists only if the variant was built. */
    private static Object made(String name, Object... arguments) {
        try {
            return Class.forName("{{package}}.internal." + name).getConstructors()[0].newInstance(arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Failure failure) {
                throw failure;
            }
            throw new Failure(Failure.Kind.UNAVAILABLE, "it cannot be loaded: " + Failure.words(e.getCause()), e.getCause());
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "this jar was made without it: " + Failure.words(e), e);
        }
    }

    /** Gives a variant back. The last user closes it. */
    public static void give(String name) {
        Variant last = null;
        synchronized (Variants.class) {
            Entry entry = ENTRIES.get(name);
            entry.users--;
            if (entry.users == 0) {
                ENTRIES.remove(name);
                last = entry.variant;
            }
        }
        if (last != null) {
            last.close();
        }
    }
}
