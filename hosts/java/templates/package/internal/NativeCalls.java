// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal;

import java.nio.ByteBuffer;

/** The functions of the native library, by one way or the other. Addresses are numbers, lengths are in bytes. */
interface NativeCalls {
    /** The hash of the interface that the library was made from. */
    long abi();

    /**
     * Calls a function. Where the answer fits into the room, its length comes back; else -1, and the room begins with
     * where the answer lies, its length and its capacity, by which it is to be given to {@link #free}.
     */
    long call(int function, long arguments, long length, long room, long capacity);

    /** Memory of Rust's. */
    long allocate(long length);

    void copy(long from, long to, long length);

    void free(long address, long length, long capacity);

    /** Where the bytes of a direct buffer lie. */
    long address(ByteBuffer buffer);
}
