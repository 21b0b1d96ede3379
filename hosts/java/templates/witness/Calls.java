package local.tierup.witness;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Calls and returns of watched methods. It keeps the hash of each argument, with a key of this run, and the plain hash
 * of an answer, as in {@code [health]} of tierup.toml; no value.
 *
 * <p>Methods call it in the server's own threads, so it never throws.
 */
final class Calls {
    private static final String KEY = {{key}};
    /** tierup sends few requests. A method with more calls than this is recursive, or part of the server's own work. */
    private static final int MOST = 1000;
    /** The report about a method that was not called. */
    static final String NONE = "\"entered\":[],\"left\":[]";

    private final List<Call> entered = new ArrayList<>();
    private final List<Call> left = new ArrayList<>();

    private static final class Call {
        final int place;
        final String written;

        Call(int place, String written) {
            this.place = place;
            this.written = written;
        }
    }

    /** Takes a method's place and its arguments. */
    BiConsumer<Integer, Object[]> entering() {
        return new BiConsumer<>() {
            @Override
            public void accept(Integer place, Object[] arguments) {
                long now = System.currentTimeMillis();
                try {
                    List<String> words = new ArrayList<>();
                    for (Object argument : arguments) {
                        words.add(word(argument));
                    }
                    add(entered, place, "{\"at\":" + now + ",\"words\":[" + String.join(",", words) + "]}");
                } catch (Throwable error) {
                    // There is then no golden call.
                }
            }
        };
    }

    /** Takes a method's place and its answer. */
    BiConsumer<Integer, Object> leaving() {
        return new BiConsumer<>() {
            @Override
            public void accept(Integer place, Object answer) {
                long now = System.currentTimeMillis();
                try {
                    add(left, place, "{\"at\":" + now + ",\"sha256\":" + hash(answer) + "}");
                } catch (Throwable error) {
                    // There is then no golden call.
                }
            }
        };
    }

    private synchronized void add(List<Call> calls, int place, String written) {
        if (calls.size() < MOST) {
            calls.add(new Call(place, written));
        }
    }

    synchronized void reset() {
        entered.clear();
        left.clear();
    }

    /** The report about a method. */
    synchronized String written(int place) {
        return "\"entered\":" + of(entered, place) + ",\"left\":" + of(left, place);
    }

    private static List<String> of(List<Call> calls, int place) {
        List<String> written = new ArrayList<>();
        for (Call call : calls) {
            if (call.place == place) {
                written.add(call.written);
            }
        }
        return written;
    }

    /** The hash of a value that may come from a part of the request. tierup compares hashes to find out. */
    private static String word(Object argument) throws Exception {
        boolean isPart = argument instanceof String || argument instanceof Boolean || isWhole(argument);
        return isPart ? hash(KEY + "\0" + argument) : "null";
    }

    private static boolean isWhole(Object value) {
        return value instanceof Byte || value instanceof Short || value instanceof Integer || value instanceof Long;
    }

    /** Fails for text that UTF-8 cannot encode, such as half of a surrogate pair. */
    private static String hash(Object value) throws Exception {
        ByteBuffer bytes;
        if (value instanceof String) {
            bytes = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap((String) value));
        } else if (value instanceof byte[]) {
            bytes = ByteBuffer.wrap((byte[]) value);
        } else {
            return "null";
        }
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        digest.update(bytes);
        StringBuilder text = new StringBuilder("\"");
        for (byte one : digest.digest()) {
            text.append(Character.forDigit(one >> 4 & 15, 16)).append(Character.forDigit(one & 15, 16));
        }
        return text.append('"').toString();
    }
}
