// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

/** An argument that cannot be encoded. The message says which one, and why. */
public final class Refusal extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    private final String parameter;
    private final String words;
    private String place = "";

    Refusal(String parameter, String words) {
        this.parameter = parameter;
        this.words = words;
    }

    /** The same refusal with a part added to its place: {@code [1]}, {@code .name}. */
    public Refusal within(String part) {
        place = part + place;
        return this;
    }

    @Override
    public String getMessage() {
        return parameter + place + ": " + words;
    }
}
