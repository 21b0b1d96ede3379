// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** Collects the arguments of a call in Rust's encoding. Throws a {@link Refusal} for a value that cannot be encoded. */
public final class Writer {
    /** The space before the arguments, for the transport's header. */
    public static final int ROOM = 8;

    /** The size of the largest buffer that is kept after a call. */
    private static final int KEPT = 1 << 20;
    /** The longest array that every virtual machine supports. */
    private static final int LARGEST = Integer.MAX_VALUE - 16;

    private static final VarHandle SHORT = view(short[].class);
    private static final VarHandle INT = view(int[].class);
    private static final VarHandle LONG = view(long[].class);

    private byte[] bytes = new byte[256];
    private int length = ROOM;
    private String parameter = "";
    /** The longest allowed frame. */
    private final int most;

    /** Thrown if a value needs more bytes than {@link #Writer(int)} allows. */
    static final class TooLarge extends RuntimeException {
        private static final long serialVersionUID = 1;

        private TooLarge() {
            super(null, null, false, false);
        }
    }

    public Writer() {
        most = LARGEST;
    }

    /** Allows at most this many bytes. It stops before it copies more. */
    Writer(int most) {
        this.most = ROOM + most;
    }

    private static VarHandle view(Class<?> array) {
        return MethodHandles.byteArrayViewVarHandle(array, ByteOrder.LITTLE_ENDIAN);
    }

    /** Empties the writer. */
    public void reset() {
        if (bytes.length > KEPT) {
            bytes = new byte[256];
        }
        length = ROOM;
    }

    /** The room and the bytes after it, up to {@link #length}. */
    public byte[] frame() {
        return bytes;
    }

    /** The length of the frame. */
    public int length() {
        return length;
    }

    /** The written bytes. */
    public byte[] written() {
        return Arrays.copyOfRange(bytes, ROOM, length);
    }

    /** Names the parameter whose value is written next. */
    public void parameter(String name) {
        parameter = name;
    }

    /** The refusal of the value that is about to be written. */
    public Refusal refusal(String words) {
        return new Refusal(parameter, words);
    }

    public void bool(boolean value) {
        i8((byte) (value ? 1 : 0));
    }

    public void i8(byte value) {
        int at = grow(1);
        bytes[at] = value;
    }

    public void i16(short value) {
        int at = grow(2);
        SHORT.set(bytes, at, value);
    }

    public void i32(int value) {
        int at = grow(4);
        INT.set(bytes, at, value);
    }

    public void i64(long value) {
        int at = grow(8);
        LONG.set(bytes, at, value);
    }

    public void u8(int value) {
        within(value, 0xffL);
        i8((byte) value);
    }

    public void u16(int value) {
        within(value, 0xffffL);
        i16((short) value);
    }

    public void u32(long value) {
        within(value, 0xffff_ffffL);
        i32((int) value);
    }

    /** All 64 bits, with or without a sign. */
    public void u64(long value) {
        i64(value);
    }

    public void f32(float value) {
        i32(Float.floatToRawIntBits(value));
    }

    public void f64(double value) {
        i64(Double.doubleToRawLongBits(value));
    }

    private void within(long value, long most) {
        if (value < 0 || value > most) {
            throw refusal("expected a number from 0 to " + most + ", got " + value);
        }
    }

    public void text(String value) {
        if (value == null) {
            throw refusal("expected text, got null");
        }
        int chars = value.length();
        count(chars);
        int at = grow(chars);
        byte[] to = bytes;
        for (int place = 0; place < chars; place++) {
            char unit = value.charAt(place);
            if (unit >= 0x80) {
                length = at - 4;
                beyondAscii(value);
                return;
            }
            to[at + place] = (byte) unit;
        }
    }

    private void beyondAscii(String value) {
        for (int place = 0; place < value.length(); place++) {
            if (!Character.isSurrogate(value.charAt(place))) {
                continue;
            }
            boolean paired = place + 1 < value.length()
                    && Character.isSurrogatePair(value.charAt(place), value.charAt(place + 1));
            if (!paired) {
                throw refusal("expected text, got a lone surrogate at index " + place);
            }
            place++;
        }
        blob(value.getBytes(StandardCharsets.UTF_8));
    }

    public void blob(byte[] value) {
        if (value == null) {
            throw refusal("expected bytes, got null");
        }
        count(value.length);
        int at = grow(value.length);
        System.arraycopy(value, 0, bytes, at, value.length);
    }

    public <T> void optional(Optional<T> value, BiConsumer<Writer, ? super T> write) {
        if (value == null) {
            throw refusal("expected an Optional, got null");
        }
        bool(value.isPresent());
        if (value.isPresent()) {
            write.accept(this, value.get());
        }
    }

    public <T> void list(List<T> values, BiConsumer<Writer, ? super T> write) {
        if (values == null) {
            throw refusal("expected a list, got null");
        }
        count(values.size());
        int place = 0;
        for (T value : values) {
            try {
                write.accept(this, there(value));
            } catch (Refusal refusal) {
                throw refusal.within("[" + place + "]");
            }
            place++;
        }
    }

    /** Writes the entries in the order of their keys in UTF-8. */
    public <T> void map(Map<String, T> values, BiConsumer<Writer, ? super T> write) {
        if (values == null) {
            throw refusal("expected a map, got null");
        }
        if (values.size() > most) {
            throw new TooLarge();
        }
        if (values.keySet().stream().anyMatch(key -> key == null)) {
            throw refusal("expected text for every key, got null");
        }
        TreeMap<String, T> sorted = new TreeMap<>(Keys::compare);
        sorted.putAll(values);
        count(sorted.size());
        for (Map.Entry<String, T> entry : sorted.entrySet()) {
            try {
                text(entry.getKey());
                write.accept(this, there(entry.getValue()));
            } catch (Refusal refusal) {
                throw refusal.within("[\"" + entry.getKey() + "\"]");
            }
        }
    }

    /** Checks an element: numbers in a collection are objects, which may be null. */
    private <T> T there(T value) {
        if (value == null) {
            throw refusal("expected a value, got null");
        }
        return value;
    }

    private void count(int count) {
        i32(count);
    }

    /** Makes room for more bytes, and returns where they begin. */
    private int grow(int more) {
        int at = length;
        if (more > LARGEST - at) {
            throw refusal("more than 2 GiB cannot cross");
        }
        if (bytes.length - at < more) {
            int larger = (int) Math.min(most, Math.max(2L * bytes.length, (long) at + more));
            if (larger - at < more) {
                throw new TooLarge();
            }
            bytes = Arrays.copyOf(bytes, larger);
        }
        length = at + more;
        return at;
    }
}
