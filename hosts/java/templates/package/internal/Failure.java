// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

/** Why a variant has no answer. Users of the package see one of the public exceptions instead. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The kind of exception that the package's users see. */
    public enum Kind {
        PANIC,
        TRANSPORT,
        TIMEOUT,
        UNAVAILABLE
    }

    private final Kind kind;

    public Failure(Kind kind, String message) {
        this(kind, message, null);
    }

    public Failure(Kind kind, String message, Throwable cause) {
        super(message, cause, false, false);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    /** The message of a cause. */
    public static String words(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }
}
