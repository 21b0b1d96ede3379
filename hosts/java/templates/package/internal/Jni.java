// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The native library through JNI, for Java before 22. */
final class Jni implements NativeCalls {
    Jni(Path library) {
        System.load(library.toString());
    }

    @Override
    public long abi() {
        return abi0();
    }

    @Override
    public long call(int function, long arguments, long length, long room, long capacity) {
        return call0(function, arguments, length, room, capacity);
    }

    @Override
    public long allocate(long length) {
        return allocate0(length);
    }

    @Override
    public void copy(long from, long to, long length) {
        copy0(from, to, length);
    }

    @Override
    public void free(long address, long length, long capacity) {
        free0(address, length, capacity);
    }

    @Override
    public long address(ByteBuffer buffer) {
        return address0(buffer);
    }

    private static native long abi0();

    private static native long call0(int function, long arguments, long length, long room, long capacity);

    private static native long allocate0(long length);

    private static native void copy0(long from, long to, long length);

    private static native void free0(long address, long length, long capacity);

    private static native long address0(ByteBuffer buffer);
}
