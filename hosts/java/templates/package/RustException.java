// Made by tierup; the same in every package. Do not edit.
package {{package}};

/** The exceptions of calls. An argument that cannot be encoded is an {@link IllegalArgumentException} instead. */
public class RustException extends RuntimeException {
    private static final long serialVersionUID = 1;

    RustException(String message, Throwable cause) {
        super(message, cause);
    }
}
