package experiments;

/**
 * The query string, of which one parameter counts. It is taken as it was sent: {@code fingerprint=md5} needs no decoding,
 * and whatever would have to be decoded first is something else.
 */
final class Fingerprint {
    private Fingerprint() {}

    /** Whether the name is to be replaced by its fingerprint; there is none but MD5. */
    static boolean isWanted(String query) throws Refused {
        boolean isWanted = false;
        for (String parameter : query == null ? new String[0] : query.split("&")) {
            if (parameter.equals("fingerprint=md5")) {
                isWanted = true;
            } else if (parameter.equals("fingerprint") || parameter.startsWith("fingerprint=")) {
                throw new Refused(400, "?fingerprint", "must be md5");
            }
        }
        return isWanted;
    }
}
