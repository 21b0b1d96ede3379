// Made by tierup; the same in every package. Do not edit.
package PACKAGE.selftest;

import java.lang.reflect.Constructor;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Edge values of each type, as ladders: lists that climb from harmless to extreme. Whoever climbs can stop where the
 * function takes long, for a number may be a count, and 2^64 of anything is too much.
 */
final class EdgeValues {
    private static final List<List<Object>> FLOATS = List.of(
            List.of(0.0, 1.0, 1.5, 1e3, 1e6, 0x1p31, 0x1p53, (double) Float.MAX_VALUE, Double.POSITIVE_INFINITY),
            List.of(-0.0, -1.0, -1.5, -1e3, -1e6, -0x1p31, Double.NEGATIVE_INFINITY),
            List.of(Double.NaN, Double.MIN_VALUE, (double) Float.MIN_VALUE));

    private static final List<List<Object>> TEXTS = List.of(
            List.of("", "a", "text\twith\r\nwhite space ", "0", "-1.5e3", "{\"json\":[true]}", "../../etc/passwd", "'; --", "\0"),
            List.of("ä", "€", "😀", "e\u0301", "\ufeff", "\uffff", "\u2028", "\udbff\udfff", "mixed ä€😀 text"),
            repeated("a", 8, 64, 512, 4096, 32_768, 262_144),
            repeated("😀", 8, 64, 512, 4096, 32_768));

    private static final List<List<Object>> BYTES = List.of(
            List.of(new byte[0], new byte[1], new byte[] {-1}, everyByte()),
            repeated("tierup", 85, 682, 5461, 43_690).stream()
                    .<Object>map(text -> ((String) text).getBytes(StandardCharsets.US_ASCII)).toList());

    private static final List<String> KEYS = List.of("", "key", "ä", "\uffff", "😀", "getClass");

    private EdgeValues() {}

    private static List<Object> repeated(String text, int... times) {
        return IntStream.of(times).<Object>mapToObj(text::repeat).toList();
    }

    private static byte[] everyByte() {
        byte[] bytes = new byte[256];
        for (int at = 0; at < bytes.length; at++) {
            bytes[at] = (byte) at;
        }
        return bytes;
    }

    /** Lists of values for all of these types: one of them at its edges at a time, the others plain. */
    static List<List<List<Object>>> laddersOfArguments(List<Type> types) {
        List<Object> plain = types.stream().map(EdgeValues::plain).toList();
        List<List<List<Object>>> ladders = new ArrayList<>(List.of(List.of(plain)));
        for (int place = 0; place < types.size(); place++) {
            int at = place;
            for (List<Object> ladder : ladders(types.get(place))) {
                ladders.add(ladder.stream().map(value -> with(plain, at, value)).toList());
            }
        }
        return ladders;
    }

    private static List<Object> with(List<Object> values, int place, Object value) {
        List<Object> changed = new ArrayList<>(values);
        changed.set(place, value);
        return changed;
    }

    /** A value with nothing remarkable about it. */
    private static Object plain(Type type) {
        if (type instanceof Type.Plain plain) {
            return switch (plain) {
                case BOOL -> true;
                case F32 -> 1.5f;
                case F64 -> 1.5;
                case TEXT -> "text";
                case BYTES -> "bytes".getBytes(StandardCharsets.US_ASCII);
            };
        }
        if (type instanceof Type.Whole whole) {
            return whole.of(BigInteger.ONE);
        }
        if (type instanceof Type.Maybe maybe) {
            return Optional.of(plain(maybe.inner()));
        }
        if (type instanceof Type.Many many) {
            return List.of(plain(many.inner()));
        }
        if (type instanceof Type.Keyed keyed) {
            return Map.of("key", plain(keyed.inner()));
        }
        Definition definition = Interface.DEFINITIONS.get(((Type.Defined) type).place());
        if (!definition.words().isEmpty()) {
            return definition.words().get(0);
        }
        Definition.Case first = definition.cases().get(0);
        return made(first.type(), first.fields().stream().map(EdgeValues::plain).toList());
    }

    /** Lists of values, each from harmless to extreme. */
    private static List<List<Object>> ladders(Type type) {
        if (type instanceof Type.Plain plain) {
            return switch (plain) {
                case BOOL -> List.of(List.of(false, true));
                case F32 -> FLOATS.stream()
                        .map(ladder -> ladder.stream().<Object>map(value -> ((Double) value).floatValue()).toList()).toList();
                case F64 -> FLOATS;
                case TEXT -> TEXTS;
                case BYTES -> BYTES;
            };
        }
        if (type instanceof Type.Whole whole) {
            return laddersOfNumbers(whole);
        }
        List<List<Object>> ladders = new ArrayList<>();
        if (type instanceof Type.Maybe maybe) {
            ladders.add(List.of(Optional.empty()));
            ladders(maybe.inner()).forEach(ladder -> ladders.add(ladder.stream().<Object>map(Optional::of).toList()));
        } else if (type instanceof Type.Many many) {
            Object plain = plain(many.inner());
            ladders.add(IntStream.of(0, 1, 8, 64, 512, 4096).<Object>mapToObj(length -> Collections.nCopies(length, plain)).toList());
            ladders(many.inner()).forEach(ladder -> ladders.add(ladder.stream().<Object>map(value -> List.of(plain, value)).toList()));
        } else if (type instanceof Type.Keyed keyed) {
            ladders.add(maps(plain(keyed.inner())));
            ladders(keyed.inner()).forEach(ladder -> ladders.add(ladder.stream().<Object>map(value -> Map.of("key", value)).toList()));
        } else {
            Definition definition = Interface.DEFINITIONS.get(((Type.Defined) type).place());
            ladders.add(definition.words());
            for (Definition.Case one : definition.cases()) {
                laddersOfArguments(one.fields()).forEach(ladder -> ladders.add(ladder.stream().map(fields -> made(one.type(), fields)).toList()));
            }
        }
        return ladders;
    }

    /** Powers of eight up to the largest, and down to the smallest. */
    private static List<List<Object>> laddersOfNumbers(Type.Whole type) {
        List<Object> up = new ArrayList<>(Arrays.asList(type.of(BigInteger.ZERO)));
        List<Object> down = new ArrayList<>();
        for (BigInteger power = BigInteger.ONE; power.compareTo(type.most) < 0; power = power.shiftLeft(3)) {
            up.add(type.of(power));
            if (power.negate().compareTo(type.least) > 0) {
                down.add(type.of(power.negate()));
            }
        }
        up.add(type.of(type.most));
        if (type.least.signum() == 0) {
            return List.of(up);
        }
        down.add(type.of(type.least));
        return List.of(up, down);
    }

    private static List<Object> maps(Object value) {
        List<Object> maps = new ArrayList<>(List.of(Map.of()));
        Map<String, Object> all = new LinkedHashMap<>();
        for (String key : KEYS) {
            maps.add(Map.of(key, value));
            all.put(key, value);
        }
        maps.add(all);
        return maps;
    }

    private static Object made(Class<?> type, List<Object> fields) {
        // A record has one constructor.
        Constructor<?> constructor = type.getDeclaredConstructors()[0];
        try {
            return constructor.newInstance(fields.toArray());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("no " + type + " can be made of " + Described.value(fields), e);
        }
    }
}
