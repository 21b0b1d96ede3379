// Made by tierup; the same in every package. Do not edit.
package PACKAGE;

/** A call that did not get through, or whose answer did not come back: a process died, or the call took too long. */
public class TransportException extends RustException {
    private static final long serialVersionUID = 1;

    TransportException(String message, Throwable cause) {
        super(message, cause);
    }
}
