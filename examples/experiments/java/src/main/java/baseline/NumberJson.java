package baseline;

import java.math.BigDecimal;
import java.math.MathContext;

import tools.jackson.core.io.NumberOutput;

/** Numbers as JavaScript writes them: the shortest digits that read back as the same. */
final class NumberJson {
    private static final MathContext ONE_DIGIT = new MathContext(1);

    private NumberJson() {}

    /** A number from 0 to some millions. */
    static String of(double number) {
        if (number == Math.rint(number)) {
            return Long.toString((long) number);
        }
        // Java's own digits are the shortest only since Java 19.
        String digits = NumberOutput.toString(number, true);
        if (number >= 1e-3) {
            return digits;
        }
        // From here down Java writes an exponent, JavaScript only below 0.000001.
        BigDecimal decimal = new BigDecimal(digits).stripTrailingZeros();
        return number >= 1e-6 ? decimal.toPlainString() : withExponent(number, decimal);
    }

    private static String withExponent(double number, BigDecimal decimal) {
        // Java writes two digits, and with the smallest of all one would do: 4.9E-324.
        BigDecimal shorter = decimal.round(ONE_DIGIT);
        BigDecimal shortest = shorter.doubleValue() == number ? shorter : decimal;
        String digits = shortest.unscaledValue().toString();
        String fraction = digits.length() > 1 ? "." + digits.substring(1) : "";
        return digits.charAt(0) + fraction + "e" + (digits.length() - 1 - shortest.scale());
    }
}
