package baseline;

/** The Luhn algorithm as one writes it in Java. */
public final class Luhn {
    private Luhn() {}

    /** Whether the last digit of a number is the checksum of the others. */
    public static boolean isValid(String number) {
        int sum = 0;
        boolean isDoubled = false;
        for (int place = number.length() - 1; place >= 0; place--) {
            int digit = number.charAt(place) - '0';
            if (digit < 0 || digit > 9) {
                return false;
            }
            int value = isDoubled ? digit * 2 : digit;
            sum += value > 9 ? value - 9 : value;
            isDoubled = !isDoubled;
        }
        return !number.isEmpty() && sum % 10 == 0;
    }
}
