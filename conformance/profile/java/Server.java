import com.sun.net.httpserver.HttpServer;
import java.io.FileWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;
import java.util.zip.Deflater;

/**
 * Five functions of known cost. Each request runs all of them. {@code awaited} goes on in a CompletableFuture, {@code
 * inWorker} runs in one thread that works for all requests, and {@code nativeCode} is zlib's C code.
 *
 * <p>The server measures its functions itself, and appends to the file TRUTH every 200 ms: milliseconds since 1970, CPU of
 * the process, and CPU of each function in the order of NAMES, all in microseconds since the start. Only every eighth call
 * is measured, and counts eight times: reading the clock enters the kernel, where samples could pile up.
 */
public final class Server {
    static final String[] NAMES = {"light", "awaited", "inWorker", "small", "nativeCode"};
    static final int EVERY = 8;
    static final AtomicInteger[] CALLS = new AtomicInteger[NAMES.length];
    static final LongAdder[] SPENT = new LongAdder[NAMES.length];
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final byte[] TEXT = new byte[113_000];

    static int measured(int place, IntSupplier function) {
        if (CALLS[place].incrementAndGet() % EVERY != 0) {
            return function.getAsInt();
        }
        long before = THREADS.getCurrentThreadCpuTime();
        int sum = function.getAsInt();
        SPENT[place].add((THREADS.getCurrentThreadCpuTime() - before) * EVERY);
        return sum;
    }

    static int light() {
        int sum = 1;
        for (int i = 0; i < 800_000; i++) {
            sum = sum * 1664525 + (i ^ sum >>> 16);
        }
        return sum;
    }

    static int awaited() {
        int sum = 2;
        for (int i = 0; i < 400_000; i++) {
            sum = sum * 22695477 + (i ^ sum >>> 16);
        }
        return sum;
    }

    static int inWorker() {
        int sum = 3;
        for (int i = 0; i < 2_400_000; i++) {
            sum = sum * 1103515245 + (i ^ sum >>> 16);
        }
        return sum;
    }

    static int small() {
        int sum = 4;
        for (int i = 0; i < 400_000; i++) {
            sum = sum * 69069 + (i ^ sum >>> 16);
        }
        return sum;
    }

    static int nativeCode() {
        Deflater deflater = new Deflater(6);
        deflater.setInput(TEXT);
        deflater.finish();
        byte[] packed = new byte[TEXT.length];
        int length = deflater.deflate(packed);
        deflater.end();
        return length;
    }

    static int answer(ExecutorService worker) {
        CompletableFuture<Integer> asked =
                CompletableFuture.supplyAsync(() -> measured(2, Server::inWorker), worker);
        CompletableFuture<Integer> parts = CompletableFuture.completedFuture(0);
        for (int part = 0; part < 4; part++) {
            parts = parts.thenApplyAsync(sum -> sum + measured(1, Server::awaited));
        }
        int sum = measured(0, Server::light) + measured(3, Server::small) + measured(4, Server::nativeCode);
        return sum + parts.join() + asked.join();
    }

    static void note(String name) {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        try {
            while (true) {
                Thread.sleep(200);
                StringBuilder line = new StringBuilder();
                line.append(System.currentTimeMillis()).append(' ').append(system.getProcessCpuTime() / 1000);
                for (LongAdder one : SPENT) {
                    line.append(' ').append(one.sum() / 1000);
                }
                try (FileWriter file = new FileWriter(name, true)) {
                    file.append(line).append('\n');
                }
            }
        } catch (IOException | InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    public static void main(String[] arguments) throws IOException {
        for (int place = 0; place < SPENT.length; place++) {
            CALLS[place] = new AtomicInteger();
            SPENT[place] = new LongAdder();
        }
        int letter = 5;
        for (int i = 0; i < TEXT.length; i++) {
            letter = letter * 1664525 + 1013904223;
            TEXT[i] = (byte) (letter >>> 28);
        }
        ExecutorService worker = Executors.newSingleThreadExecutor();
        int port = Integer.parseInt(System.getenv("PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/", exchange -> {
            byte[] answer = Integer.toString(answer(worker)).getBytes();
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
        if (System.getenv("TRUTH") != null) {
            Thread noting = new Thread(() -> note(System.getenv("TRUTH")));
            noting.setDaemon(true);
            noting.start();
        }
    }
}
