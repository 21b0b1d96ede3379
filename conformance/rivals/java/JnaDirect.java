import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;

// The C interface through JNA's direct mapping: native methods that JNA registers, which its documents call the faster.
final class JnaDirect implements Functions {
    static final class C {
        static native int rivals_echo_text(byte[] text, long length, Pointer answer);

        static native int rivals_echo_bytes(byte[] value, long length, Pointer answer);

        static native void rivals_release(Pointer answer);

        static native int rivals_sort_and_hash(long seed, int count, Pointer hash);

        static native int rivals_write_numbers(long seed, int count, Pointer hash);
    }

    private final Memory answer = new Memory(24);

    JnaDirect(String built) {
        Native.register(C.class, built + "/librivals_c.so");
    }

    private byte[] taken(int status) {
        Functions.check(status);
        byte[] copied = answer.getPointer(0).getByteArray(0, (int) answer.getLong(8));
        C.rivals_release(answer);
        return copied;
    }

    public String echoText(String text) {
        byte[] value = text.getBytes(StandardCharsets.UTF_8);
        return new String(taken(C.rivals_echo_text(value, value.length, answer)), StandardCharsets.UTF_8);
    }

    public byte[] echoBytes(byte[] value) {
        return taken(C.rivals_echo_bytes(value, value.length, answer));
    }

    public long sortAndHash(long seed, int count) {
        Functions.check(C.rivals_sort_and_hash(seed, count, answer));
        return answer.getLong(0);
    }

    public long writeNumbers(long seed, int count) {
        Functions.check(C.rivals_write_numbers(seed, count, answer));
        return answer.getLong(0);
    }
}
