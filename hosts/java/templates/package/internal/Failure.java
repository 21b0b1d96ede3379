// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

/** Why a variant has no answer. The package's users know it by one of the public exceptions. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** What kind of exception the package's users see. */
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

    /** What a cause says, in words. */
    public static String words(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.toString() : message;
    }
}
