// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.lang.invoke.MethodHandle;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The native library through Java's foreign functions, for Java 22 and newer. This class is compiled for Java 17, which
 * lacks them, so it looks them up once. Calls use constant handles that take and return only numbers.
 */
final class Ffm implements NativeCalls {
    /** Must be set before {@link Handles} is first used. */
    private static Lookup lookup;

    Ffm(Path library) {
        try {
            // A library that cannot be loaded fails here, and another one can still be tried.
            lookup = new Lookup(library);
            Handles.ABI.getClass();
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(Failure.words(e.getCause()), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(Failure.words(e), e);
        } catch (LinkageError e) {
            // Only the first error has a cause.
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalStateException(Failure.words(cause), cause);
        }
    }

    /** Constants that the compiler can inline. This class is initialised late, once the library is known. */
    private static final class Handles {
        static final MethodHandle ABI;
        static final MethodHandle CALL;
        static final MethodHandle ALLOCATE;
        static final MethodHandle COPY;
        static final MethodHandle FREE;
        static final java.lang.reflect.Method OF_BUFFER;
        static final java.lang.reflect.Method ADDRESS;

        static {
            try {
                ABI = lookup.handle("abi", lookup.number);
                CALL = lookup.handle("call", lookup.number, lookup.whole, lookup.number, lookup.number, lookup.number, lookup.number);
                ALLOCATE = lookup.handle("allocate", lookup.number, lookup.number);
                COPY = lookup.handle("copy", null, lookup.number, lookup.number, lookup.number);
                FREE = lookup.handle("free", null, lookup.number, lookup.number, lookup.number);
                OF_BUFFER = lookup.segment.getMethod("ofBuffer", Buffer.class);
                ADDRESS = lookup.segment.getMethod("address");
            } catch (InvocationTargetException e) {
                throw new ExceptionInInitializerError(e.getCause());
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }

    /** Reflective access to {@code java.lang.foreign}. */
    private static final class Lookup {
        final Class<?> segment = type("MemorySegment");
        private final Class<?> layout = type("MemoryLayout");
        private final Class<?> descriptor = type("FunctionDescriptor");
        private final Class<?> linkerType = type("Linker");
        private final Class<?> option = type("Linker$Option");
        private final Class<?> symbols = type("SymbolLookup");
        final Object number = type("ValueLayout").getField("JAVA_LONG").get(null);
        final Object whole = type("ValueLayout").getField("JAVA_INT").get(null);
        private final Object linker = linkerType.getMethod("nativeLinker").invoke(null);
        private final Object found;

        Lookup(Path library) throws ReflectiveOperationException {
            Class<?> arena = type("Arena");
            Object always = arena.getMethod("global").invoke(null);
            found = symbols.getMethod("libraryLookup", Path.class, arena).invoke(null, library, always);
        }

        private static Class<?> type(String name) throws ClassNotFoundException {
            return Class.forName("java.lang.foreign." + name);
        }

        MethodHandle handle(String name, Object result, Object... parameters) throws ReflectiveOperationException {
            Object arguments = Array.newInstance(layout, parameters.length);
            System.arraycopy(parameters, 0, arguments, 0, parameters.length);
            Object shape = result == null
                    ? descriptor.getMethod("ofVoid", arguments.getClass()).invoke(null, arguments)
                    : descriptor.getMethod("of", layout, arguments.getClass()).invoke(null, result, arguments);
            Optional<?> symbol = (Optional<?>) symbols.getMethod("find", String.class).invoke(found, "tierup_" + name);
            if (symbol.isEmpty()) {
                throw new NoSuchMethodException("the native library has no tierup_" + name);
            }
            Object options = Array.newInstance(option, 0);
            return (MethodHandle) linkerType.getMethod("downcallHandle", segment, descriptor, options.getClass())
                    .invoke(linker, symbol.get(), shape, options);
        }
    }

    @Override
    public long abi() {
        try {
            return (long) Handles.ABI.invokeExact();
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    @Override
    public long call(int function, long arguments, long length, long room, long capacity) {
        try {
            return (long) Handles.CALL.invokeExact(function, arguments, length, room, capacity);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    @Override
    public long allocate(long length) {
        try {
            return (long) Handles.ALLOCATE.invokeExact(length);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    @Override
    public void copy(long from, long to, long length) {
        try {
            Handles.COPY.invokeExact(from, to, length);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    @Override
    public void free(long address, long length, long capacity) {
        try {
            Handles.FREE.invokeExact(address, length, capacity);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    @Override
    public long address(ByteBuffer buffer) {
        try {
            return (long) Handles.ADDRESS.invoke(Handles.OF_BUFFER.invoke(null, buffer));
        } catch (ReflectiveOperationException e) {
            throw impossible(e);
        }
    }

    /** The virtual machine alone can throw in a call into native code. */
    private static RuntimeException impossible(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        return e instanceof RuntimeException words ? words : new IllegalStateException(e);
    }
}
