// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** {@code 3:native}: Rust in this process, called through FFM on Java 22 and newer, otherwise through JNI. */
public final class Native implements Variant {
    /** Longer arguments and answers are copied through the buffers in pieces, to keep little memory. */
    private static final int LARGEST = 1 << 20;
    /** Answers up to this size fit into the first buffer. */
    private static final int FIRST = 4 << 10;

    /** How many calls may have growing buffers: bounded by processors and by a quarter of the direct memory's limit. */
    private static final long GROWING =
            Math.max(1, Math.min(Kept.COUNT, Runtime.getRuntime().maxMemory() / (4 * 2 * LARGEST)));

    private final NativeCalls calls;
    private final Kept<Memory> memories = new Kept<>(this::more);
    /** Growing buffers beyond those. None is dropped, as the garbage collector does not count direct memory. */
    private final Queue<Memory> more = new ConcurrentLinkedQueue<>();
    /** Buffers for further calls, as there may be more threads than processors. They stay small. */
    private final Queue<Memory> small = new ConcurrentLinkedQueue<>();
    private final AtomicLong growing = new AtomicLong();

    public Native(long abi) {
        this(load(), abi);
    }

    Native(NativeCalls calls, long abi) {
        this.calls = calls;
        if (calls.abi() != abi) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "the native library was built for another interface: run `tierup build`");
        }
    }

    private static NativeCalls load() {
        // -Dtierup.native=jni or ffm chooses one of the two.
        String way = System.getProperty("tierup.native", Runtime.version().feature() >= 22 ? "ffm" : "jni");
        try {
            return Packed.first(System.mapLibraryName("native"), "tierup-", ".so", library -> {
                try {
                    return way.equals("jni") ? new Jni(library) : new Ffm(library);
                } catch (UnsatisfiedLinkError | IllegalStateException | IllegalCallerException e) {
                    throw new IOException(Failure.words(e), e);
                } finally {
                    remove(library);
                }
            });
        } catch (IOException e) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "the native library cannot be loaded by " + way + ": " + Failure.words(e), e);
        }
    }

    /** Once loaded, the library needs no file. Windows removes the file only when this process ends. */
    private static void remove(Path library) {
        try {
            Files.deleteIfExists(library);
        } catch (IOException e) {
            library.toFile().deleteOnExit();
        }
    }

    @Override
    public Answer call(int function, Writer arguments) {
        Memory memory = memories.take();
        boolean isAnswered = false;
        try {
            memory.ask(function, arguments);
            isAnswered = true;
            return memory;
        } finally {
            if (!isAnswered) {
                memory.release();
            }
        }
    }

    private Memory more() {
        Memory memory = more.poll();
        if (memory == null && growing.get() < GROWING && growing.getAndIncrement() < GROWING) {
            return new Memory(true);
        }
        memory = memory == null ? small.poll() : memory;
        return memory == null ? new Memory(false) : memory;
    }

    /** The buffers for arguments and answers, outside Java's heap. */
    private final class Memory implements Answer {
        private ByteBuffer in = ByteBuffer.allocateDirect(1 << 10);
        private long inAddress = calls.address(in);
        private ByteBuffer out = ByteBuffer.allocateDirect(FIRST).order(ByteOrder.LITTLE_ENDIAN);
        private long outAddress = calls.address(out);
        private final boolean grows;
        private ByteBuffer answer;

        Memory(boolean grows) {
            this.grows = grows;
        }

        void ask(int function, Writer arguments) {
            int length = arguments.length() - Writer.ROOM;
            if (grows && in.capacity() < length && length <= LARGEST) {
                in = ByteBuffer.allocateDirect(rounded(length));
                inAddress = calls.address(in);
            }
            if (in.capacity() >= length) {
                in.put(0, arguments.frame(), Writer.ROOM, length);
                take(call(function, inAddress, length));
                return;
            }
            long place = calls.allocate(length);
            if (place == 0) {
                throw new OutOfMemoryError("Rust cannot allocate " + length + " bytes of arguments");
            }
            long written;
            try {
                copyIn(arguments, place, length);
                written = call(function, place, length);
            } finally {
                calls.free(place, 0, length);
            }
            take(written);
        }

        private void copyIn(Writer arguments, long place, int length) {
            for (int at = 0; at < length; at += in.capacity()) {
                int count = Math.min(in.capacity(), length - at);
                in.put(0, arguments.frame(), Writer.ROOM + at, count);
                calls.copy(inAddress, place + at, count);
            }
        }

        private long call(int function, long arguments, int length) {
            return calls.call(function, arguments, length, outAddress, out.capacity());
        }

        private void take(long written) {
            out.clear();
            if (written >= 0) {
                answer = out.limit((int) written);
                return;
            }
            long address = out.getLong(0);
            long length = out.getLong(8);
            long capacity = out.getLong(16);
            try {
                answer = ByteBuffer.wrap(copyOut(address, length));
            } finally {
                calls.free(address, length, capacity);
            }
            if (grows && length <= LARGEST) {
                // So the next answer of this size needs no second call.
                out = ByteBuffer.allocateDirect(rounded((int) length)).order(ByteOrder.LITTLE_ENDIAN);
                outAddress = calls.address(out);
            }
        }

        private byte[] copyOut(long address, long length) {
            if (length > Integer.MAX_VALUE - 16) {
                throw new Failure(Failure.Kind.TRANSPORT, "the answer is larger than 2 GiB");
            }
            byte[] bytes = new byte[(int) length];
            for (int at = 0; at < bytes.length; at += out.capacity()) {
                int count = Math.min(out.capacity(), bytes.length - at);
                calls.copy(address + at, outAddress, count);
                out.get(0, bytes, at, count);
            }
            return bytes;
        }

        private static int rounded(int length) {
            return Integer.highestOneBit(Math.max(length, 2) - 1) << 1;
        }

        @Override
        public ByteBuffer bytes() {
            return answer;
        }

        @Override
        public void release() {
            answer = null;
            if (!grows) {
                small.add(this);
            } else if (!memories.give(this)) {
                more.add(this);
            }
        }
    }

    @Override
    public void ready() {}

    @Override
    public void close() {}
}
