// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * Sends calls, encoded, to a process that compares them with what the candidate answers. One thread writes. Calls only hand it what
 * fits at once.
 */
final class Shadow {
    // Of the protocol: see docs/byte-abi.md of tierup.
    static final int COUNTS = 0x7ffffffd;
    static final int KEEP = 1 << 30;
    private static final int SHADOW = 0x7ffffffe;

    /** How many bytes may wait to be sent, and how many calls. Further ones are dropped. */
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_FRAMES = 256;
    /** How long the other end may take to read a frame. In nanoseconds, as all of these. */
    private static final long STUCK = TimeUnit.SECONDS.toNanos(1);
    /** How long it may take at the end for what it has: more than it gives itself. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(8);
    /** The pauses before it connects again. */
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(1);
    /** Between two attempts to write or read. */
    private static final long MOMENT = TimeUnit.MILLISECONDS.toNanos(2);

    final ArrayBlockingQueue<byte[]> frames = new ArrayBlockingQueue<>(MOST_FRAMES);
    private final Comparer comparer;
    private final byte[] request;
    private final AtomicLong waiting = new AtomicLong();
    private volatile boolean isConnected;

    /** Of the thread that writes. */
    private SocketChannel connection;
    private long pause = SHORTEST_PAUSE;
    private Deadline next = Deadline.in(0);

    Shadow(Comparer comparer, byte[] folder) {
        this.comparer = comparer;
        request = framed(SHADOW, folder);
    }

    /** Hands over a frame, which then belongs to the shadow; false if it is not sent. */
    boolean send(byte[] frame) {
        if (!isConnected) {
            return false;
        }
        if (waiting.addAndGet(frame.length) <= MOST_BYTES && frames.offer(frame)) {
            return true;
        }
        waiting.addAndGet(-frame.length);
        return false;
    }

    /** Connects if there is no connection. */
    void connect(BooleanSupplier isOver) {
        if (connection != null || !next.isOver()) {
            return;
        }
        next = Deadline.in(pause);
        pause = Math.min(2 * pause, LONGEST_PAUSE);
        connection = comparer.connect(request, isOver);
        next = Deadline.in(0);
        pause = SHORTEST_PAUSE;
        isConnected = true;
    }

    /** Sends a frame. A connection that does not take it in time is closed: it has a part of it. */
    boolean write(byte[] frame) {
        if (connection == null) {
            return false;
        }
        Deadline stuck = Deadline.in(STUCK);
        try {
            for (ByteBuffer rest = ByteBuffer.wrap(frame); rest.hasRemaining();) {
                if (connection.write(rest) == 0) {
                    if (stuck.isOver()) {
                        throw new IOException("the other end does not read");
                    }
                    Threads.pause(MOMENT);
                }
            }
            return true;
        } catch (IOException | RuntimeException | Error e) {
            // There may be no memory for it, and nobody knows how much was sent.
            lose();
            return false;
        }
    }

    /** Sends a frame that was handed over. */
    boolean writeNext(byte[] frame) {
        waiting.addAndGet(-frame.length);
        return write(frame);
    }

    /** Sends what waits and the counts, and waits until what was sent is compared, for some seconds. */
    void close(byte[] counts) {
        isConnected = false;
        for (byte[] frame = frames.poll(); frame != null; frame = frames.poll()) {
            writeNext(frame);
        }
        if (write(counts)) {
            Deadline end = Deadline.in(PATIENCE);
            try {
                connection.shutdownOutput();
                ByteBuffer nothing = ByteBuffer.allocate(1);
                while (connection.read(nothing.clear()) >= 0 && !end.isOver()) {
                    Threads.pause(MOMENT);
                }
            } catch (IOException e) {
                // It has ended.
            }
        }
        lose();
        comparer.close();
    }

    /** Ends the process of whoever still waits for it. */
    void abandon() {
        comparer.close();
    }

    private void lose() {
        isConnected = false;
        if (connection != null) {
            end(connection);
            connection = null;
        }
    }

    static void end(SocketChannel connection) {
        try {
            connection.close();
        } catch (IOException e) {
            // It has ended.
        }
    }

    /** A request: its length, a number, and what follows it. */
    static byte[] framed(int number, byte[]... parts) {
        int length = 8;
        for (byte[] part : parts) {
            length += part.length;
        }
        ByteBuffer frame = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN).putInt(length - 4).putInt(number);
        for (byte[] part : parts) {
            frame.put(part);
        }
        return frame.array();
    }
}
