package local.tierup.witness;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The agent in a JVM of the server: a thread that connects to tierup and carries out its commands. */
public final class Agent implements Runnable {
    private static final String SOCKET = {{socket}};

    /** How long the JVM waits for the connection: tierup must know a process before it answers its first request. */
    private static final int SECONDS_TO_CONNECT = 1;

    private final CountDownLatch greeted = new CountDownLatch(1);
    private Counters counters;
    /** Why no call is counted. */
    private Throwable failure;

    private Agent() {}

    /** Starts the agent. */
    public static void begin(Instrumentation instrumentation) throws InterruptedException {
        Agent agent = new Agent();
        try {
            agent.counters = new Counters(instrumentation, new Calls());
            instrumentation.addTransformer(new Counting(agent.counters));
        } catch (Throwable error) {
            agent.failure = error;
        }
        Thread thread = new Thread(null, agent, "tierup", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        thread.start();
        agent.greeted.await(SECONDS_TO_CONNECT, TimeUnit.SECONDS);
    }

    @Override
    public void run() {
        try (SocketChannel channel = SocketChannel.open(address())) {
            BufferedReader lines = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
            say(channel, "hello " + ProcessHandle.current().pid() + " 0");
            greeted.countDown();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                say(channel, answer(line));
            }
        } catch (Throwable error) {
            // tierup has ended, or was never there.
        } finally {
            greeted.countDown();
        }
    }

    /** Uses reflection, so that the JVM of an older server can load this class, too. */
    private static SocketAddress address() throws ReflectiveOperationException {
        Class<?> kind = Class.forName("java.net.UnixDomainSocketAddress");
        return (SocketAddress) kind.getMethod("of", String.class).invoke(null, SOCKET);
    }

    private static void say(SocketChannel channel, String line) throws IOException {
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(line + "\n");
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private String answer(String line) {
        try {
            if (failure != null) {
                throw failure;
            }
            if (line.equals("start")) {
                counters.reset();
                return "started";
            }
            Files.writeString(Path.of(line.substring("stop ".length())), counters.written());
            return "stopped -";
        } catch (Throwable error) {
            return "failed " + error.toString().replaceAll("\\s+", " ");
        }
    }
}
