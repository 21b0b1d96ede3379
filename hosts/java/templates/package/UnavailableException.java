// Made by tierup; the same in every package. Do not edit.
package {{package}};

/** A tier cannot run here. The message says why. */
public final class UnavailableException extends RustException {
    private static final long serialVersionUID = 1;

    UnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
