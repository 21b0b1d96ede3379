// What every way has to offer: the four functions of conformance/crossings. Java reads unsigned numbers as signed ones.
interface Functions {
    String echoText(String text) throws Throwable;

    byte[] echoBytes(byte[] value) throws Throwable;

    long sortAndHash(long seed, int count) throws Throwable;

    long writeNumbers(long seed, int count) throws Throwable;

    static void check(int status) {
        if (status != 0) {
            throw new IllegalStateException("the function panicked");
        }
    }
}
