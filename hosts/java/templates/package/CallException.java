// Made by tierup; the same in every package. Do not edit.
package {{package}};

/**
 * The function's own error, with its message. At tier 0 its cause is the exception of the server's own function.
 */
public final class CallException extends RustException {
    private static final long serialVersionUID = 1;

    CallException(String message, Throwable cause) {
        super(message, cause);
    }
}
