// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.util.Arrays;

/** A call: its function and its encoded arguments. */
record CallKey(int function, byte[] arguments) {
    @Override
    public boolean equals(Object other) {
        return other instanceof CallKey key && function == key.function && Arrays.equals(arguments, key.arguments);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(arguments) + function;
    }
}
