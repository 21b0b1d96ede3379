// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Connects to processes that compare calls: workers of a companion that belongs to the rollout. */
final class OwnComparer implements Comparer {
    /** The pause before it looks again for data from the process. In nanoseconds. */
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(5);

    private final Companion companion;

    /** Does not start the companion yet. */
    public OwnComparer(String name, long abi) {
        if (!Program.IS_POSIX) {
            throw new Failure(Failure.Kind.UNAVAILABLE, "it needs a system with Unix sockets");
        }
        Limits limits = Limits.read();
        companion = new Companion(Program.open(name), abi, limits);
    }

    @Override
    public SocketChannel connect(byte[] request, BooleanSupplier isOver) {
        SocketChannel connection = companion.connect(Deadline.NEVER);
        boolean isGreeted = false;
        try {
            connection.configureBlocking(false);
            greet(connection, request, isOver);
            isGreeted = true;
            return connection;
        } catch (IOException e) {
            throw failure("the program that compares has ended: standard error says why");
        } finally {
            if (!isGreeted) {
                Shadow.end(connection);
            }
        }
    }

    /** Reads 8 bytes, the hash of the interface, and 4 more, the empty answer to the request for a shadow. */
    private void greet(SocketChannel connection, byte[] request, BooleanSupplier isOver) throws IOException {
        Deadline deadline = companion.limits.connection();
        long hash = bytes(connection, 8, deadline, isOver).getLong();
        if (hash == 0) {
            throw failure(companion.program.named(rest(connection, deadline, isOver)));
        }
        if (hash == companion.abi) {
            for (ByteBuffer left = ByteBuffer.wrap(request); left.hasRemaining();) {
                if (connection.write(left) == 0) {
                    pause(deadline, isOver);
                }
            }
        }
        if (hash != companion.abi || bytes(connection, 4, deadline, isOver).getInt() != 0) {
            throw failure(companion.program.name()
                    + " was built for another interface, or knows nothing of rollouts: run `tierup build`");
        }
    }

    private ByteBuffer bytes(SocketChannel from, int count, Deadline deadline, BooleanSupplier isOver) throws IOException {
        ByteBuffer found = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
        while (found.hasRemaining()) {
            int read = from.read(found);
            if (read < 0) {
                throw new IOException("the end");
            }
            if (read == 0) {
                pause(deadline, isOver);
            }
        }
        return found.flip();
    }

    private String rest(SocketChannel from, Deadline deadline, BooleanSupplier isOver) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        ByteBuffer piece = ByteBuffer.allocate(4096);
        for (int read = 0; read >= 0; read = from.read(piece.clear())) {
            all.write(piece.array(), 0, read);
            if (read == 0) {
                pause(deadline, isOver);
            }
        }
        return all.toString(StandardCharsets.UTF_8);
    }

    private void pause(Deadline deadline, BooleanSupplier isOver) {
        if (isOver.getAsBoolean() || deadline.isOver()) {
            throw companion.limits.startedTooLate(companion.program.name());
        }
        Threads.pause(PAUSE);
    }

    private static Failure failure(String words) {
        return new Failure(Failure.Kind.TRANSPORT, words);
    }

    @Override
    public void close() {
        companion.close();
    }
}
