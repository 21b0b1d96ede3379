// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

/** The bytes do not encode the expected value. */
public final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Unreadable(String message) {
        super(message);
    }
}
