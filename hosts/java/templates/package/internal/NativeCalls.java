// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.nio.ByteBuffer;

/** The functions of the native library, through FFM or JNI. Addresses are numbers, lengths are in bytes. */
interface NativeCalls {
    /** The hash of the interface that the library was generated from. */
    long abi();

    /**
     * Calls a function. If the answer fits into the room, this returns its length. Otherwise it returns -1, and the
     * room begins with the answer's address, length and capacity, which {@link #free} needs.
     */
    long call(int function, long arguments, long length, long room, long capacity);

    /** Allocates memory in Rust. */
    long allocate(long length);

    void copy(long from, long to, long length);

    void free(long address, long length, long capacity);

    /** The address of a direct buffer's bytes. */
    long address(ByteBuffer buffer);
}
