// Made by tierup; the same in every package. Do not edit.
package {{package}};

/** A call was not answered within {@code TIERUP_CALL_TIMEOUT}. */
public final class CallTimeoutException extends TransportException {
    private static final long serialVersionUID = 1;

    CallTimeoutException(String message, Throwable cause) {
        super(message, cause);
    }
}
