// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal.core;

import {{package}}.internal.Answer;
import {{package}}.internal.Deadline;
import {{package}}.internal.Failure;
import {{package}}.internal.Kept;
import {{package}}.internal.Limits;
import {{package}}.internal.Reader;
import {{package}}.internal.Unreadable;
import {{package}}.internal.Variant;
import {{package}}.internal.Variants;
import {{package}}.internal.Writer;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

import run.endive.runtime.ByteArrayMemory;
import run.endive.runtime.ExportFunction;
import run.endive.runtime.Instance;
import run.endive.runtime.Memory;

/** {@code 2:core}: a Wasm module with the byte ABI and nothing else, compiled to Java bytecode by Endive. */
public final class Core implements Variant {
    private static final int PAGE = 64 << 10;
    /**
     * The memory limit for all kept instances, in bytes: at most an eighth of the heap, which holds them. An instance
     * beyond it is dropped, because Wasm memory never shrinks.
     */
    private static final long MOST_KEPT = Math.min(256 << 20, Runtime.getRuntime().maxMemory() / 8);

    private final AtomicLong kept = new AtomicLong();
    private final Limits limits = Limits.read();
    /** A caller takes an instance and puts it back, so threads never share one. */
    private final Kept<Module> modules = new Kept<>(Module::new);

    public Core(long abi) {
        Module first = new Module();
        if (first.instance.export("tierup_abi").apply()[0] != abi) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "the Wasm module was built for another interface: run `tierup build`");
        }
        first.release();
    }

    @Override
    public Answer call(int function, Writer arguments) {
        Module module = modules.take();
        kept.addAndGet(-module.bytes);
        module.bytes = 0;
        // Endive traps if the thread was interrupted. Other tiers do not, so the interruption is restored afterwards.
        boolean wasInterrupted = Thread.interrupted();
        Deadline.Watch watch = null;
        try {
            watch = limits.deadline().watch(Thread.currentThread()::interrupt);
            module.ask(function, arguments);
        } catch (Failure e) {
            throw watch != null && watch.stop() ? limits.tookTooLong("") : e;
        } finally {
            if (watch != null && watch.stop()) {
                // The time-out caused this interruption.
                Thread.interrupted();
            }
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

    /** An instance serves one call at a time. After a trap it is dropped, as its state is unknown. */
    private final class Module implements Answer {
        final Instance instance =
                Instance.builder(Compiled.load()).withMachineFactory(Compiled::create).withMemoryFactory(ByteArrayMemory::new).build();
        private final Memory memory = instance.memory();
        private final ExportFunction in = instance.export("tierup_in");
        private final ExportFunction call = instance.export("tierup_call");
        private byte[] answer;

        {
            if (Variants.alternative != 0) {
                instance.export("tierup_choose").apply(Variants.alternative);
            }
        }

        /** The size of its memory while it is kept. */
        private long bytes;

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

        /** The failure for a trap. For a panic, it has the panic's message. */
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
                // The message cannot be read, so the trap itself is reported.
            }
            String words = trap instanceof StackOverflowError ? "the stack overflowed" : Failure.words(trap);
            return new Failure(Failure.Kind.PANIC, "the Wasm module trapped: " + words, trap);
        }

        /** The bytes at a pointer. Their length precedes them. */
        private byte[] at(int place) {
            int length = memory.readInt(place);
            if (length < 0) {
                throw new Unreadable("the module returned an address outside its memory");
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
            long size = (long) memory.pages() * PAGE;
            if (kept.addAndGet(size) > MOST_KEPT) {
                kept.addAndGet(-size);
                return;
            }
            // Must be read before another call gets the instance.
            bytes = size;
            if (!modules.give(this)) {
                kept.addAndGet(-size);
            }
        }
    }
}
