package local.tierup.witness;

import java.lang.instrument.Instrumentation;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * How often methods were called. Each has a place in an array, which a class of the JVM's own package {@code java.lang}
 * holds, because every class finds that one, whatever its loader and its module.
 *
 * <p>To count is {@link AtomicLongArray#incrementAndGet}, which never waits, allocates or throws.
 */
final class Counters {
    private static final String HOLDER = "java/lang/TierupCalls";
    private static final String COUNTS = "COUNTS";
    private static final String ARRAY = "java/util/concurrent/atomic/AtomicLongArray";
    private static final String ARRAY_TYPE = "L" + ARRAY + ";";
    private static final int PLACES = 1000;

    private final AtomicLongArray counts;
    /** By their places. */
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

    Counters(Instrumentation instrumentation) throws ReflectiveOperationException {
        Module base = Object.class.getModule();
        Map<String, Set<Module>> opened = Map.of("java.lang", Set.of(Counters.class.getModule()));
        instrumentation.redefineModule(base, Set.of(), Map.of(), opened, Set.of(), Map.of());
        Class<?> holder = MethodHandles.privateLookupIn(Object.class, MethodHandles.lookup()).defineClass(holder());
        counts = (AtomicLongArray) holder.getField(COUNTS).get(null);
    }

    /** A class with {@code public static final AtomicLongArray COUNTS = new AtomicLongArray(PLACES);}. */
    private static byte[] holder() {
        ClassWriter holder = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        int constant = Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC | Opcodes.ACC_FINAL;
        int kind = Opcodes.ACC_PUBLIC | Opcodes.ACC_FINAL | Opcodes.ACC_SUPER | Opcodes.ACC_SYNTHETIC;
        holder.visit(Opcodes.V11, kind, HOLDER, null, "java/lang/Object", null);
        holder.visitField(constant, COUNTS, ARRAY_TYPE, null, null).visitEnd();
        MethodVisitor code = holder.visitMethod(Opcodes.ACC_STATIC, "<clinit>", "()V", null, null);
        code.visitCode();
        code.visitTypeInsn(Opcodes.NEW, ARRAY);
        code.visitInsn(Opcodes.DUP);
        code.visitIntInsn(Opcodes.SIPUSH, PLACES);
        code.visitMethodInsn(Opcodes.INVOKESPECIAL, ARRAY, "<init>", "(I)V", false);
        code.visitFieldInsn(Opcodes.PUTSTATIC, HOLDER, COUNTS, ARRAY_TYPE);
        code.visitInsn(Opcodes.RETURN);
        code.visitMaxs(0, 0);
        code.visitEnd();
        holder.visitEnd();
        return holder.toByteArray();
    }

    /** Adds what counts one call to a method's code. */
    static void count(MethodVisitor code, int place) {
        code.visitFieldInsn(Opcodes.GETSTATIC, HOLDER, COUNTS, ARRAY_TYPE);
        code.visitIntInsn(Opcodes.SIPUSH, place);
        code.visitMethodInsn(Opcodes.INVOKEVIRTUAL, ARRAY, "incrementAndGet", "(I)J", false);
        code.visitInsn(Opcodes.POP2);
    }

    /** The counter of a method: null if there are too many. */
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
    }

    /** What tierup reads. */
    synchronized String written() {
        List<String> functions = new ArrayList<>();
        for (Watched watched : Watched.ALL) {
            functions.add(written(watched));
        }
        return "{\"functions\":[" + String.join(",", functions) + "]}";
    }

    /** Several methods of a name are one row of a profile, and nobody knows which of them is meant. */
    private String written(Watched watched) {
        long calls = 0;
        List<Integer> lines = new ArrayList<>();
        for (Method method : meant(watched)) {
            long called = counts.get(method.place);
            calls += called;
            if (called > 0) {
                lines.add(method.last == 0 ? 0 : method.first);
            }
        }
        boolean several = lines.size() > 1;
        int line = lines.isEmpty() ? 0 : lines.get(0);
        String text = "{\"calls\":" + (several ? 0 : calls) + ",\"line\":" + line;
        return text + ",\"lines\":" + (several ? lines : List.of()) + "}";
    }

    /** Those of the line, if there are such. */
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
