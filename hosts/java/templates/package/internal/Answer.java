// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.nio.ByteBuffer;

/** An answer must be read before it is released. */
public interface Answer {
    ByteBuffer bytes();

    void release();

    /** An answer in bytes that nobody else uses. */
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
