package server;

/** Functions that stand alone. */
final class Other {
    private Other() {}

    static int echoU8(int value) {
        return value;
    }

    /** No function of the package's. */
    static int wrong(int value) {
        return value;
    }
}
