// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Equality of values with bytes, as Java arrays equal only themselves. */
public final class Values {
    private Values() {}

    public static boolean equal(Object one, Object other) {
        if (one instanceof byte[] left && other instanceof byte[] right) {
            return Arrays.equals(left, right);
        }
        if (one instanceof Optional<?> left && other instanceof Optional<?> right) {
            return equal(left.orElse(null), right.orElse(null));
        }
        if (one instanceof List<?> left && other instanceof List<?> right) {
            return left.size() == right.size() && equal(left.iterator(), right.iterator());
        }
        if (one instanceof Map<?, ?> left && other instanceof Map<?, ?> right) {
            return left.keySet().equals(right.keySet())
                    && left.keySet().stream().allMatch(key -> equal(left.get(key), right.get(key)));
        }
        return one == null ? other == null : one.equals(other);
    }

    private static boolean equal(Iterator<?> left, Iterator<?> right) {
        while (left.hasNext() && right.hasNext()) {
            if (!equal(left.next(), right.next())) {
                return false;
            }
        }
        return left.hasNext() == right.hasNext();
    }

    public static int hash(Object value) {
        if (value instanceof byte[] bytes) {
            return Arrays.hashCode(bytes);
        }
        if (value instanceof Optional<?> optional) {
            return hash(optional.orElse(null));
        }
        if (value instanceof List<?> list) {
            return list.stream().mapToInt(Values::hash).reduce(1, (hash, next) -> 31 * hash + next);
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream().mapToInt(entry -> hash(entry.getKey()) ^ hash(entry.getValue())).sum();
        }
        return value == null ? 0 : value.hashCode();
    }
}
