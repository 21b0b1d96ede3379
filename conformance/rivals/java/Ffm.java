import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

// The C interface through the JDK's own foreign function interface (final since 22). Arguments lie on the heap and are
// lent for the call (`Linker.Option.critical`) where it is short; a long one must not hold up the garbage collector.
final class Ffm implements Functions {
    // Where the compiler may take handles for constants, calls are direct.
    private static final SymbolLookup LIBRARY = SymbolLookup.libraryLookup(System.getProperty("built") + "/librivals_c.so", Arena.global());
    private static final FunctionDescriptor BYTES = FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS);
    private static final FunctionDescriptor NUMBERS = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, ADDRESS);
    private static final MethodHandle ECHO_TEXT = handle("rivals_echo_text", BYTES, Linker.Option.critical(true));
    private static final MethodHandle ECHO_BYTES = handle("rivals_echo_bytes", BYTES, Linker.Option.critical(true));
    private static final MethodHandle RELEASE = handle("rivals_release", FunctionDescriptor.ofVoid(ADDRESS));
    private static final MethodHandle SORT_AND_HASH = handle("rivals_sort_and_hash", NUMBERS);
    private static final MethodHandle WRITE_NUMBERS = handle("rivals_write_numbers", NUMBERS);

    // One answer's place, for a program with one thread; a server would keep one for each.
    private final MemorySegment answer = Arena.global().allocate(24, 8);

    private static MethodHandle handle(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(LIBRARY.find(name).orElseThrow(), descriptor, options);
    }

    private byte[] through(MethodHandle function, byte[] value) throws Throwable {
        // `answer` is off the heap already; both kinds may be handed to a critical call.
        Functions.check((int) function.invokeExact(MemorySegment.ofArray(value), (long) value.length, answer));
        byte[] copied = answer.get(ADDRESS, 0).reinterpret(answer.get(JAVA_LONG, 8)).toArray(JAVA_BYTE);
        RELEASE.invokeExact(answer);
        return copied;
    }

    public String echoText(String text) throws Throwable {
        return new String(through(ECHO_TEXT, text.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8);
    }

    public byte[] echoBytes(byte[] value) throws Throwable {
        return through(ECHO_BYTES, value);
    }

    public long sortAndHash(long seed, int count) throws Throwable {
        Functions.check((int) SORT_AND_HASH.invokeExact(seed, count, answer));
        return answer.get(JAVA_LONG, 0);
    }

    public long writeNumbers(long seed, int count) throws Throwable {
        Functions.check((int) WRITE_NUMBERS.invokeExact(seed, count, answer));
        return answer.get(JAVA_LONG, 0);
    }
}
