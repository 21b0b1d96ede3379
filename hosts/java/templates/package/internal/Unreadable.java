// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

/** Bytes that are no encoding of what was expected. */
public final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Unreadable(String message) {
        super(message);
    }
}
