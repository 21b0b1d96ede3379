// Made by tierup; the same in every package. Do not edit.
package PACKAGE.internal.core;

import PACKAGE.internal.Answer;
import PACKAGE.internal.Failure;
import PACKAGE.internal.Kept;
import PACKAGE.internal.Reader;
import PACKAGE.internal.Unreadable;
import PACKAGE.internal.Variant;
import PACKAGE.internal.Writer;

import java.nio.ByteBuffer;

import run.endive.runtime.ByteArrayMemory;
import run.endive.runtime.ExportFunction;
import run.endive.runtime.Instance;
import run.endive.runtime.Memory;

/** {@code 2:core}: a Wasm module with the byte ABI and nothing else, compiled to Java's bytecode by Endive. */
public final class Core implements Variant {
    /** An instance whose memory has grown beyond this is given back: Wasm memory never shrinks. In pages of 64 KiB. */
    private static final int LARGEST_MEMORY = 4096;

    /** Whoever calls takes an instance and puts it back, so that threads never share one. */
    private final Kept<Module> modules = new Kept<>(Module::new);

    public Core(long abi) {
        Module first = new Module();
        if (first.instance.export("tierup_abi").apply()[0] != abi) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "the Wasm module was built for another interface: run `tierup build`");
        }
        modules.give(first);
    }

    @Override
    public Answer call(int function, Writer arguments) {
        Module module = modules.take();
        // Endive traps where a thread has been interrupted, which is nothing to other tiers: it is told afterwards.
        boolean wasInterrupted = Thread.interrupted();
        try {
            module.ask(function, arguments);
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return module;
    }

    @Override
    public void ready() {}

    @Override
    public void close() {}

    /** An instance serves one call at a time. After a trap it is in no state to be used again, and is dropped. */
    private final class Module implements Answer {
        final Instance instance =
                Instance.builder(Compiled.load()).withMachineFactory(Compiled::create).withMemoryFactory(ByteArrayMemory::new).build();
        private final Memory memory = instance.memory();
        private final ExportFunction in = instance.export("tierup_in");
        private final ExportFunction call = instance.export("tierup_call");
        private byte[] answer;

        void ask(int function, Writer arguments) {
            int length = arguments.length() - Writer.ROOM;
            try {
                int place = (int) in.apply(length)[0];
                memory.write(place, arguments.frame(), Writer.ROOM, length);
                answer = at((int) call.apply(function, length)[0]);
            } catch (RuntimeException | StackOverflowError e) {
                throw trapped(e);
            }
        }

        /** The panic's own message, where there was a panic. */
        private Failure trapped(Throwable trap) {
            if (Thread.currentThread().isInterrupted()) {
                return new Failure(Failure.Kind.TRANSPORT, "the call was interrupted", trap);
            }
            try {
                int place = (int) instance.export("tierup_last_panic").apply()[0];
                if (place != 0) {
                    Reader from = new Reader(at(place));
                    from.u8();
                    return new Failure(Failure.Kind.PANIC, from.text(), trap);
                }
            } catch (RuntimeException | StackOverflowError e) {
                // Then the trap itself is all there is to tell.
            }
            String words = trap instanceof StackOverflowError ? "the stack overflowed" : Failure.words(trap);
            return new Failure(Failure.Kind.PANIC, "the Wasm module trapped: " + words, trap);
        }

        /** The bytes behind a pointer to their length. */
        private byte[] at(int place) {
            int length = memory.readInt(place);
            if (length < 0) {
                throw new Unreadable("the module named memory that it does not have");
            }
            return memory.readBytes(place + 4, length);
        }

        @Override
        public ByteBuffer bytes() {
            return ByteBuffer.wrap(answer);
        }

        @Override
        public void release() {
            answer = null;
            if (memory.pages() <= LARGEST_MEMORY) {
                modules.give(this);
            }
        }
    }
}
