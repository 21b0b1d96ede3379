package local.tierup.conformance.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

class NativeTest {
    /** With full buffers for all threads they would take 80 MiB. The tests' heap of 256 MiB allows 64 MiB. */
    private static final int THREADS = 40;

    /** Dropped direct buffers are freed only when the garbage collector has another reason to run. */
    @Test
    void manyThreadsHaveNoMoreOutsideOfTheHeap() throws Exception {
        byte[] content = new byte[(1 << 20) - 64];
        for (int at = 0; at < content.length; at++) {
            content[at] = (byte) (at * 7 + at / 251);
        }
        Writer arguments = new Writer();
        arguments.blob(content);
        byte[] expected = arguments.written();
        Native tier = new Native(new Echo(new CyclicBarrier(THREADS)), 0);
        long before = direct();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        Callable<Void> calls = () -> {
            // From the second call on, there are buffers of the answers' size.
            for (int call = 0; call < 3; call++) {
                Answer answer = tier.call(0, arguments);
                assertEquals(ByteBuffer.wrap(expected), answer.bytes());
                answer.release();
            }
            return null;
        };
        try {
            List<Future<Void>> all = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                all.add(threads.submit(calls));
            }
            for (Future<Void> one : all) {
                one.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        long grown = direct() - before;
        assertTrue(grown <= 65 << 20, grown + " bytes outside of the heap");
    }

    /** The size of all direct buffers in bytes, including dropped ones that are not yet collected. */
    private static long direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    /** Answers with the arguments once all threads have called. An address is a buffer's number and a position. */
    private static final class Echo implements NativeCalls {
        private final CyclicBarrier all;
        private final Map<Long, ByteBuffer> buffers = new ConcurrentHashMap<>();
        private final AtomicLong last = new AtomicLong();

        Echo(CyclicBarrier all) {
            this.all = all;
        }

        private ByteBuffer at(long address) {
            ByteBuffer buffer = buffers.get(address >> 32).duplicate().order(ByteOrder.LITTLE_ENDIAN);
            return buffer.clear().position((int) address);
        }

        @Override
        public long abi() {
            return 0;
        }

        @Override
        public long call(int function, long arguments, long length, long room, long capacity) {
            try {
                all.await(60, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            if (length <= capacity) {
                copy(arguments, room, length);
                return length;
            }
            long answer = allocate(length);
            copy(arguments, answer, length);
            at(room).putLong(answer).putLong(length).putLong(length);
            return -1;
        }

        @Override
        public long allocate(long length) {
            return address(ByteBuffer.allocate((int) length));
        }

        @Override
        public void copy(long from, long to, long length) {
            ByteBuffer source = at(from);
            at(to).put(source.limit(source.position() + (int) length));
        }

        @Override
        public void free(long address, long length, long capacity) {
            buffers.remove(address >> 32);
        }

        @Override
        public long address(ByteBuffer buffer) {
            long number = last.incrementAndGet();
            buffers.put(number, buffer);
            return number << 32;
        }
    }
}
