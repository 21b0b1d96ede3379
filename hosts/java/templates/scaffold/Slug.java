package baseline;

import java.util.Locale;
import java.util.regex.Pattern;

/** The function as it was before Rust: tier 0. */
public final class Slug {
    private static final Pattern BETWEEN = Pattern.compile("[^a-zA-Z0-9]+");
    private static final Pattern ENDS = Pattern.compile("^-|-$");

    private Slug() {}

    /** Keeps letters and digits in lower case. Each run of other characters is one {@code -}, but none at the ends. */
    public static String slugify(String text) {
        String slug = ENDS.matcher(BETWEEN.matcher(text).replaceAll("-")).replaceAll("").toLowerCase(Locale.ROOT);
        if (slug.isEmpty()) {
            throw new IllegalArgumentException("text has no letters or digits");
        }
        return slug;
    }
}
