// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.nio.ByteBuffer;

/** An answer is to be read before it is released. */
public interface Answer {
    ByteBuffer bytes();

    void release();

    /** Bytes that are nobody's but the caller's. */
    static Answer of(byte[] bytes) {
        return new Answer() {
            @Override
            public ByteBuffer bytes() {
                return ByteBuffer.wrap(bytes);
            }

            @Override
            public void release() {}
        };
    }
}
