// Made by tierup; the same in every package. Do not edit.
package PACKAGE.selftest;

import java.lang.reflect.RecordComponent;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;

/** Values in a form that can be compared and shown: NaN is like NaN there, -0 is not 0, and bytes are like equal bytes. */
final class Described {
    private Described() {}

    static String value(Object value) {
        if (value instanceof String text) {
            return "\"" + text + "\"";
        }
        if (value instanceof byte[] bytes) {
            return "0x" + HexFormat.of().formatHex(bytes);
        }
        if (value instanceof Optional<?> optional) {
            return optional.isPresent() ? "some " + value(optional.get()) : "none";
        }
        StringJoiner parts = new StringJoiner(", ", "[", "]");
        if (value instanceof List<?> list) {
            list.forEach(part -> parts.add(value(part)));
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((key, part) -> parts.add(value(key) + ": " + value(part)));
        } else if (value instanceof Record) {
            for (RecordComponent component : value.getClass().getRecordComponents()) {
                parts.add(component.getName() + " " + value(part(value, component)));
            }
            return value.getClass().getSimpleName() + parts;
        } else {
            return String.valueOf(value);
        }
        return parts.toString();
    }

    private static Object part(Object owner, RecordComponent component) {
        try {
            return component.getAccessor().invoke(owner);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(component + " cannot be read", e);
        }
    }

    /** So much of a text that somebody would read. */
    static String shortened(String text) {
        return text.length() <= 300 ? text : text.substring(0, 300) + "…";
    }
}
