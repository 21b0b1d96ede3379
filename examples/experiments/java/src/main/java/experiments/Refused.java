package experiments;

/** A request that is answered with this status and one problem. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String path;

    /** Strangers decide how many there are, and nobody asks where: without a stack trace. */
    Refused(int status, String path, String message) {
        super(message, null, false, false);
        this.status = status;
        this.path = path;
    }

    int status() {
        return status;
    }

    /** Path and message are this server's own words, and hold nothing that JSON must escape. */
    String json() {
        return "{\"errors\":[{\"path\":\"" + path + "\",\"message\":\"" + getMessage() + "\"}]}";
    }
}
