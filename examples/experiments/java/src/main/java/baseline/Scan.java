package baseline;

/** Finds what readers of JSON disagree about: depth, halves of surrogate pairs, numbers that become infinite. */
final class Scan {
    /** How many lists and objects may be open at a time. */
    private static final int DEEPEST = 64;

    private Scan() {}

    static void refuse(String text) throws MalformedBody {
        int depth = 0;
        for (int at = 0; at < text.length();) {
            char c = text.charAt(at);
            if (c == '"') {
                at = afterString(text, at + 1);
            } else if (c == '-' || isDigit(c)) {
                at = afterNumber(text, at);
            } else {
                if (c == '[' || c == '{') {
                    depth++;
                } else if (c == ']' || c == '}') {
                    depth = Math.max(depth - 1, 0);
                }
                if (depth > DEEPEST) {
                    throw new MalformedBody("the body is nested more than " + DEEPEST + " deep");
                }
                at++;
            }
        }
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    /** The place behind the quote that ends a string. Whether what stands in it is JSON is for the reader to say. */
    private static int afterString(String text, int at) throws MalformedBody {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '"') {
                return at + 1;
            }
            at += c == '\\' ? lengthOfEscape(text, at) : 1;
        }
        return at;
    }

    private static int lengthOfEscape(String text, int at) throws MalformedBody {
        int unit = unitAt(text, at);
        if (unit == -1) {
            return 2;
        }
        if (!Character.isSurrogate((char) unit)) {
            return 6;
        }
        int second = unitAt(text, at + 6);
        if (second == -1 || !Character.isSurrogatePair((char) unit, (char) second)) {
            throw new MalformedBody("the body has half of a surrogate pair");
        }
        return 12;
    }

    /** The UTF-16 unit that an escape with four digits stands for, or -1 where there is none. */
    private static int unitAt(String text, int at) {
        if (text.length() < at + 6 || text.charAt(at) != '\\' || text.charAt(at + 1) != 'u') {
            return -1;
        }
        int unit = 0;
        for (char c : text.substring(at + 2, at + 6).toCharArray()) {
            // Character.digit knows the digits of other scripts, too.
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit == -1) {
                return -1;
            }
            unit = unit << 4 | digit;
        }
        return unit;
    }

    /** The place behind everything that a number could go on with. Only an exponent or 309 digits make one too large. */
    private static int afterNumber(String text, int start) throws MalformedBody {
        int at = start;
        boolean hasExponent = false;
        for (; at < text.length(); at++) {
            char c = text.charAt(at);
            boolean isExponent = c == 'e' || c == 'E';
            if (!isExponent && !isDigit(c) && c != '.' && c != '-' && c != '+') {
                break;
            }
            hasExponent |= isExponent;
        }
        if ((hasExponent || at - start > 300) && isInfinite(text.substring(start, at))) {
            throw new MalformedBody("the body has a number that is too large");
        }
        return at;
    }

    private static boolean isInfinite(String number) {
        try {
            return Double.isInfinite(Double.parseDouble(number));
        } catch (NumberFormatException e) {
            return false; // It is no number, which is for the reader to refuse.
        }
    }
}
