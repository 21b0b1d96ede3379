// Made by tierup; the same in every package. Do not edit.
package {{package}};

/** The arguments or the answer of a call were lost: a process died, or the call took too long. */
public class TransportException extends RustException {
    private static final long serialVersionUID = 1;

    TransportException(String message, Throwable cause) {
        super(message, cause);
    }
}
