package experiments;

import java.util.OptionalLong;

/** Variables of the environment. An empty one is as good as none. */
final class Settings {
    private Settings() {}

    static String text(String name, String otherwise) {
        String value = System.getenv(name);
        return value == null || value.isEmpty() ? otherwise : value;
    }

    static OptionalLong wholeNumber(String name, long most) {
        String text = text(name, "");
        if (text.isEmpty()) {
            return OptionalLong.empty();
        }
        // Java's own reader takes a sign and the digits of other scripts, too.
        if (!text.matches("[0-9]{1,18}") || Long.parseLong(text) > most) {
            throw new IllegalArgumentException(name + " must be a whole number from 0 to " + most + ", not \"" + text + "\"");
        }
        return OptionalLong.of(Long.parseLong(text));
    }
}
