// Made by tierup; the same in every package. Do not edit.
package PACKAGE;

/** A tier that cannot be had, and why. */
public final class UnavailableException extends RustException {
    private static final long serialVersionUID = 1;

    UnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
