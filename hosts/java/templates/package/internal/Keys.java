// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

/** The order of a map's keys. */
public final class Keys {
    private Keys() {}

    /** Compares by code points, as UTF-8 sorts. {@link String#compareTo} puts surrogates before U+E000. */
    public static int compare(String one, String other) {
        int shorter = Math.min(one.length(), other.length());
        for (int at = 0; at < shorter; at++) {
            char left = one.charAt(at);
            char right = other.charAt(at);
            if (left != right) {
                return Integer.compare(rank(left), rank(right));
            }
        }
        return Integer.compare(one.length(), other.length());
    }

    private static int rank(char unit) {
        return Character.isSurrogate(unit) ? unit + 0x10000 : unit;
    }
}
