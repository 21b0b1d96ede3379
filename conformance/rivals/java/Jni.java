// JNI, with the native side written with jni-rs (`rust/jni`).
final class Jni {
    private Jni() {}

    static native String echoText(String text);

    static native byte[] echoBytes(byte[] value);

    static native long sortAndHash(long seed, int count);

    static native long writeNumbers(long seed, int count);

    static Functions load(String built) {
        System.load(built + "/librivals_jni.so");
        return new Functions() {
            public String echoText(String text) {
                return Jni.echoText(text);
            }

            public byte[] echoBytes(byte[] value) {
                return Jni.echoBytes(value);
            }

            public long sortAndHash(long seed, int count) {
                return Jni.sortAndHash(seed, count);
            }

            public long writeNumbers(long seed, int count) {
                return Jni.writeNumbers(seed, count);
            }
        };
    }
}
