// Made by tierup; the same in every package. Do not edit.
package {{package}};

/** The golden call of {@code [health]} in tierup.toml failed, or its answer is wrong. */
public final class HealthException extends RustException {
    private static final long serialVersionUID = 1;

    HealthException(String message, Throwable cause) {
        super(message, cause);
    }
}
