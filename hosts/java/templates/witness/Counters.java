package local.tierup.witness;

import java.lang.instrument.Instrumentation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts calls of methods. Each method has a place in an array.
 *
 * <p>Counting is {@link AtomicLongArray#incrementAndGet}, which never waits, allocates or throws.
 */
final class Counters {
    private static final int PLACES = 1000;

    private final AtomicLongArray counts = new AtomicLongArray(PLACES);
    /** The notes about calls, in the second round. */
    private final Calls calls;
    /** Methods by their places. */
    private final List<Method> methods = new ArrayList<>();

    /** A method that is counted. Its class may be loaded several times. */
    static final class Method {
        private final Watched watched;
        private final String descriptor;
        final int place;
        private int first = Integer.MAX_VALUE;
        private int last;

        private Method(Watched watched, String descriptor, int place) {
            this.watched = watched;
            this.descriptor = descriptor;
            this.place = place;
        }

        private boolean hasLine(int line) {
            return first <= line && line <= last;
        }
    }

    Counters(Instrumentation instrumentation, Calls calls) throws ReflectiveOperationException {
        this.calls = calls;
        Holder.define(instrumentation, counts, calls.entering(), calls.leaving());
    }

    /** The counter of a method; null if there are too many. */
    synchronized Method of(Watched watched, String descriptor) {
        for (Method method : methods) {
            if (method.watched == watched && method.descriptor.equals(descriptor)) {
                return method;
            }
        }
        if (methods.size() == PLACES) {
            return null;
        }
        Method method = new Method(watched, descriptor, methods.size());
        methods.add(method);
        return method;
    }

    /** Notes a line of a method's code. */
    synchronized void line(Method method, int line) {
        method.first = Math.min(method.first, line);
        method.last = Math.max(method.last, line);
    }

    synchronized void reset() {
        for (int place = 0; place < PLACES; place++) {
            counts.set(place, 0);
        }
        calls.reset();
    }

    /** The report for tierup. */
    synchronized String written() {
        List<String> functions = new ArrayList<>();
        for (Watched watched : Watched.ALL) {
            functions.add(written(watched));
        }
        return "{\"functions\":[" + String.join(",", functions) + "]}";
    }

    /** Methods of the same name are one row of a profile. The report does not add the counts of several. */
    private String written(Watched watched) {
        long called = 0;
        String noted = Calls.NONE;
        List<Integer> lines = new ArrayList<>();
        for (Method method : meant(watched)) {
            long itself = counts.get(method.place);
            called += itself;
            if (itself > 0) {
                lines.add(method.last == 0 ? 0 : method.first);
                noted = calls.written(method.place);
            }
        }
        boolean several = lines.size() > 1;
        int line = lines.isEmpty() ? 0 : lines.get(0);
        String text = "{\"calls\":" + (several ? 0 : called) + ",\"line\":" + line;
        return text + ",\"lines\":" + (several ? lines : List.of()) + "," + (several ? Calls.NONE : noted) + "}";
    }

    /** The methods with the watched line, or all if none has it. */
    private List<Method> meant(Watched watched) {
        List<Method> all = new ArrayList<>();
        List<Method> onLine = new ArrayList<>();
        for (Method method : methods) {
            if (method.watched == watched) {
                all.add(method);
                if (method.hasLine(watched.line)) {
                    onLine.add(method);
                }
            }
        }
        return onLine.isEmpty() ? all : onLine;
    }
}
