// Made by tierup; the same in every package. Do not edit.
package {{package}};

/** A panic of the function, or a trap of a Wasm module. Later calls are not affected. */
public final class PanicException extends RustException {
    private static final long serialVersionUID = 1;

    PanicException(String message, Throwable cause) {
        super(message, cause);
    }
}
