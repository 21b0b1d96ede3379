import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.ptr.LongByReference;
import java.nio.charset.StandardCharsets;

// The C interface through JNA, whose kind UniFFI's Kotlin stands on: an interface that JNA implements at run time.
final class Jna implements Functions {
    @Structure.FieldOrder({"bytes", "length", "capacity"})
    public static final class Answer extends Structure {
        public Pointer bytes;
        public long length;
        public long capacity;
    }

    public interface C extends Library {
        int rivals_echo_text(byte[] text, long length, Answer answer);

        int rivals_echo_bytes(byte[] value, long length, Answer answer);

        void rivals_release(Answer answer);

        int rivals_sort_and_hash(long seed, int count, LongByReference hash);

        int rivals_write_numbers(long seed, int count, LongByReference hash);
    }

    private final C library;
    private final Answer answer = new Answer();
    private final LongByReference hash = new LongByReference();

    Jna(String built) {
        library = Native.load(built + "/librivals_c.so", C.class);
    }

    private byte[] taken(int status) {
        Functions.check(status);
        byte[] copied = answer.bytes.getByteArray(0, (int) answer.length);
        library.rivals_release(answer);
        return copied;
    }

    public String echoText(String text) {
        byte[] value = text.getBytes(StandardCharsets.UTF_8);
        return new String(taken(library.rivals_echo_text(value, value.length, answer)), StandardCharsets.UTF_8);
    }

    public byte[] echoBytes(byte[] value) {
        return taken(library.rivals_echo_bytes(value, value.length, answer));
    }

    public long sortAndHash(long seed, int count) {
        Functions.check(library.rivals_sort_and_hash(seed, count, hash));
        return hash.getValue();
    }

    public long writeNumbers(long seed, int count) {
        Functions.check(library.rivals_write_numbers(seed, count, hash));
        return hash.getValue();
    }
}
