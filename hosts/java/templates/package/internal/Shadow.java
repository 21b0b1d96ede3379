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
 * Sends encoded calls to a process that compares them with the candidate's answers. One thread writes. Calls hand it a
 * frame only if there is room at once.
 */
final class Shadow {
    // Numbers of the protocol: see docs/byte-abi.md of tierup.
    static final int COUNTS = 0x7ffffffd;
    static final int KEEP = 1 << 30;
    private static final int SHADOW = 0x7ffffffe;

    /** The limits for bytes and calls that wait to be sent. Further calls are dropped. */
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_FRAMES = 256;
    /** How long the process that compares may take to read a frame. All times here are in nanoseconds. */
    private static final long STUCK = TimeUnit.SECONDS.toNanos(1);
    /** How long it may take at the end for the calls it has. It allows itself less. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(8);
    /** The pauses between attempts to connect. */
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LONGEST_PAUSE = TimeUnit.MINUTES.toNanos(1);
    /** The pause between two attempts to write or read. */
    private static final long MOMENT = TimeUnit.MILLISECONDS.toNanos(2);

    final ArrayBlockingQueue<byte[]> frames = new ArrayBlockingQueue<>(MOST_FRAMES);
    private final Comparer comparer;
    private final byte[] request;
    private final AtomicLong waiting = new AtomicLong();
    private volatile boolean isConnected;

    /** The connection of the thread that writes. */
    private SocketChannel connection;
    private long pause = SHORTEST_PAUSE;
    private Deadline next = Deadline.in(0);

    Shadow(Comparer comparer, byte[] folder) {
        this.comparer = comparer;
        request = framed(SHADOW, folder);
    }

    /** Hands over a frame, which the shadow then owns; false if it is dropped. */
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

    /** Sends a frame. If that takes too long, closes the connection, which already has a part of the frame. */
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
            // Memory may have run out, and nobody knows how much was sent.
            lose();
            return false;
        }
    }

    /** Sends a frame that was handed over. */
    boolean writeNext(byte[] frame) {
        waiting.addAndGet(-frame.length);
        return write(frame);
    }

    /** Sends the waiting frames and the counts, then waits some seconds until all calls are compared. */
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

    /** Ends the process, so that nobody keeps waiting for it. */
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

    /** A request: its length, a number, and the parts. */
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
