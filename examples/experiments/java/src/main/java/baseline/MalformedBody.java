package baseline;

/** The body is no JSON, or JSON that readers understand differently. */
final class MalformedBody extends Exception {
    private static final long serialVersionUID = 1;

    /** Strangers decide how many there are, and nobody asks where: without a stack trace. */
    MalformedBody(String message) {
        super(message, null, false, false);
    }
}
