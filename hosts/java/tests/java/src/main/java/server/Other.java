package server;

/** Functions outside an interface. */
final class Other {
    private Other() {}

    static int echoU8(int value) {
        return value;
    }

    /** A function that the package does not have. */
    static int wrong(int value) {
        return value;
    }
}
