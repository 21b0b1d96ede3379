// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Reads values from bytes. It returns copies. Throws {@link Unreadable} for bytes that are not an encoding. */
public final class Reader {
    private ByteBuffer from;

    public Reader() {}

    public Reader(byte[] bytes) {
        reset(ByteBuffer.wrap(bytes));
    }

    /** Continues with other bytes, up to the buffer's limit. */
    public void reset(ByteBuffer bytes) {
        from = bytes == null ? null : bytes.order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Checks that everything was read. */
    public void finish() {
        if (from.hasRemaining()) {
            throw new Unreadable(from.remaining() + " bytes are left over");
        }
    }

    /** Whether there is more to read. */
    public boolean hasMore() {
        return from.hasRemaining();
    }

    private void need(int count) {
        if (count < 0 || from.remaining() < count) {
            throw new Unreadable("the bytes are truncated");
        }
    }

    public boolean bool() {
        int value = u8();
        if (value > 1) {
            throw new Unreadable(value + " is not a valid bool");
        }
        return value == 1;
    }

    public byte i8() {
        need(1);
        return from.get();
    }

    public short i16() {
        need(2);
        return from.getShort();
    }

    public int i32() {
        need(4);
        return from.getInt();
    }

    public long i64() {
        need(8);
        return from.getLong();
    }

    public int u8() {
        return i8() & 0xff;
    }

    public int u16() {
        return i16() & 0xffff;
    }

    public long u32() {
        return i32() & 0xffff_ffffL;
    }

    public long u64() {
        return i64();
    }

    public float f32() {
        return Float.intBitsToFloat(i32());
    }

    public double f64() {
        return Double.longBitsToDouble(i64());
    }

    public String text() {
        int length = i32();
        need(length);
        String text;
        if (from.hasArray()) {
            text = new String(from.array(), from.arrayOffset() + from.position(), length, StandardCharsets.UTF_8);
            from.position(from.position() + length);
        } else {
            byte[] taken = new byte[length];
            from.get(taken);
            text = new String(taken, StandardCharsets.UTF_8);
        }
        // Invalid UTF-8 becomes this character, which the text may also contain.
        if (text.indexOf('\uFFFD') >= 0) {
            assertUtf8(from.duplicate().limit(from.position()).position(from.position() - length));
        }
        return text;
    }

    private static void assertUtf8(ByteBuffer bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(bytes);
        } catch (CharacterCodingException e) {
            throw new Unreadable("the text is not UTF-8");
        }
    }

    public byte[] blob() {
        int length = i32();
        need(length);
        byte[] taken = new byte[length];
        from.get(taken);
        return taken;
    }

    public <T> Optional<T> optional(Function<Reader, ? extends T> read) {
        return bool() ? Optional.of(read.apply(this)) : Optional.empty();
    }

    public <T> List<T> list(Function<Reader, ? extends T> read) {
        long count = u32();
        List<T> values = new ArrayList<>((int) Math.min(count, from.remaining()));
        for (long at = 0; at < count; at++) {
            values.add(read.apply(this));
        }
        return values;
    }

    public <T> Map<String, T> map(Function<Reader, ? extends T> read) {
        long count = u32();
        Map<String, T> values = new LinkedHashMap<>();
        String last = null;
        for (long at = 0; at < count; at++) {
            String key = text();
            if (last != null && Keys.compare(key, last) <= 0) {
                throw new Unreadable("the keys are not sorted or not unique");
            }
            last = key;
            values.put(key, read.apply(this));
        }
        return values;
    }
}
