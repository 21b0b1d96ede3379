package qr;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads query strings strictly. Servlets and URLDecoder take a broken percent-encoding for text, and bytes that are no
 * UTF-8 for other characters. Here a parameter is text and nothing else.
 */
final class Query {
    private Query() {}

    /** A query string that does not say which text it means. */
    static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        Malformed() {
            super("malformed query string");
        }
    }

    /** The values of all parameters with this name, in what was sent behind the `?`. */
    static List<String> values(String query, String name) throws Malformed {
        // What a URL must encode was not.
        if (!query.chars().allMatch(c -> c >= '!' && c <= '~')) {
            throw new Malformed();
        }
        List<String> values = new ArrayList<>();
        for (String parameter : query.split("&", -1)) {
            int equals = parameter.indexOf('=');
            int end = equals < 0 ? parameter.length() : equals;
            String key = decoded(parameter.substring(0, end));
            String value = decoded(equals < 0 ? "" : parameter.substring(equals + 1));
            if (key.equals(name)) {
                values.add(value);
            }
        }
        return values;
    }

    private static String decoded(String encoded) throws Malformed {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
        for (int at = 0; at < encoded.length(); at++) {
            char c = encoded.charAt(at);
            if (c == '%') {
                if (at + 2 >= encoded.length()) {
                    throw new Malformed();
                }
                bytes.write(digit(encoded.charAt(at + 1)) << 4 | digit(encoded.charAt(at + 2)));
                at += 2;
            } else {
                bytes.write(c == '+' ? ' ' : c);
            }
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.toByteArray())).toString();
        } catch (CharacterCodingException e) {
            throw new Malformed();
        }
    }

    private static int digit(char c) throws Malformed {
        int digit = Character.digit(c, 16);
        if (digit < 0) {
            throw new Malformed();
        }
        return digit;
    }
}
