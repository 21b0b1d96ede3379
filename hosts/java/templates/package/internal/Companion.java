// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The companion: a program that starts a worker for each connection to its socket, and ends no later than this process.
 *
 * <p>The first call starts it. If it has ended, the next call starts it again. Its workers outlive it.
 * TIERUP_POOL_SOCKET names the socket of a companion that was started elsewhere.
 */
final class Companion {
    /** How long the companion may take to end by itself before it is killed. In nanoseconds. */
    private static final long PATIENCE = 5_000_000_000L;
    /** The pause after a failed start before the next attempt. In nanoseconds. */
    private static final long PAUSE = 500_000_000L;

    final Program program;
    final long abi;
    final Limits limits;
    private final boolean isNamed;
    private final ReentrantLock lock = new ReentrantLock();
    /** Null until there is a companion. */
    private Path socket;
    /** The companion's process if this process has started it, otherwise null. */
    private volatile Process process;
    /** The reason why the last start failed. Calls get this failure until `next`. */
    private Failure failure;
    private long next;
    private volatile boolean isClosed;

    Companion(Program program, long abi, Limits limits) {
        this.program = program;
        this.abi = abi;
        this.limits = limits;
        String named = System.getenv("TIERUP_POOL_SOCKET");
        isNamed = named != null && !named.isEmpty();
        socket = isNamed ? Path.of(named) : null;
    }

    /** Connects to the companion. Starts it if none listens. */
    SocketChannel connect(Deadline deadline) {
        if (!deadline.lock(lock)) {
            throw limits.waitedTooLong();
        }
        try {
            SocketChannel found = socket == null ? null : connected();
            if (found == null) {
                start();
                found = connected();
            }
            if (found == null) {
                throw failure(program.name() + " ended as soon as it had started: standard error says why", null);
            }
            return found;
        } finally {
            lock.unlock();
        }
    }

    /** A connection to the socket; null if nobody listens. */
    private SocketChannel connected() {
        SocketChannel channel = null;
        try {
            channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            // An interruption would break a blocking connect.
            channel.configureBlocking(false);
            if (channel.connect(UnixDomainSocketAddress.of(socket))) {
                channel.configureBlocking(true);
                return channel;
            }
            channel.close();
            throw failure(socket + " takes no more connections", null);
        } catch (IOException e) {
            // Java closes a channel that fails to connect.
            if (channel == null || channel.isOpen()) {
                throw failure(socket + ": " + Failure.words(e), e);
            }
            if (isNamed) {
                throw failure("nobody listens on " + socket + " (TIERUP_POOL_SOCKET): does its program run?", e);
            }
        }
        // A companion that was killed leaves its socket behind.
        socket.toFile().delete();
        return null;
    }

    private void start() {
        if (failure != null && System.nanoTime() - next < 0) {
            throw failure;
        }
        end();
        try {
            process = program.start("--tierup-companion", String.format("%016x", abi));
            if (isClosed) {
                end();
                throw Limits.closedBefore();
            }
            socket = Path.of(said(process));
            failure = null;
        } catch (Failure e) {
            failure = e;
            next = System.nanoTime() + PAUSE;
            throw e;
        }
    }

    /** The socket's path, which the companion writes once it listens. */
    private String said(Process started) {
        Deadline.Watch watch = limits.start().watch(started::destroyForcibly);
        try {
            String line = started.inputReader(StandardCharsets.UTF_8).readLine();
            if (line != null && !watch.stop()) {
                return line;
            }
        } catch (IOException e) {
            // It has ended.
        } finally {
            watch.stop();
        }
        end();
        throw watch.stop() ? limits.startedTooLate(program.name()) : program.ending(started);
    }

    private static Failure failure(String words, Throwable cause) {
        return new Failure(Failure.Kind.TRANSPORT, words, cause);
    }

    /** Ends the companion if this process has started it, then closes its program. */
    void close() {
        isClosed = true;
        end();
        program.close();
    }

    /** Closes its standard input, upon which it removes its socket and ends. */
    private void end() {
        Process ended = process;
        if (ended == null) {
            return;
        }
        Deadline.Watch watch = Deadline.in(PATIENCE).watch(ended::destroyForcibly);
        try {
            ended.getOutputStream().close();
        } catch (IOException e) {
            // It had already ended.
        } finally {
            Threads.joined(ended.onExit());
            watch.stop();
        }
    }
}
