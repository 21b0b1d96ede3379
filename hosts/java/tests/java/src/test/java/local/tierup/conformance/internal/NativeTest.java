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
    /** Each with buffers for arguments and answer, they would have 80 MiB; the tests' heap of 256 MiB allows for 64. */
    private static final int THREADS = 40;

    /** Memory outside of the heap would only go when the garbage collector has something else to do. */
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
            // From the second on, buffers of the answers' size are there.
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

    /** How many bytes all direct buffers have, the dropped ones too until they are collected. */
    private static long direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct")).mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }

    /** Answers the arguments, when all threads have asked. An address is the number of a buffer and a place in it. */
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
