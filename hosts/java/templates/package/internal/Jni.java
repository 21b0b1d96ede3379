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
    public native long abi();

    @Override
    public native long call(int function, long arguments, long length, long room, long capacity);

    @Override
    public native long allocate(long length);

    @Override
    public native void copy(long from, long to, long length);

    @Override
    public native void free(long address, long length, long capacity);

    @Override
    public native long address(ByteBuffer buffer);
}
