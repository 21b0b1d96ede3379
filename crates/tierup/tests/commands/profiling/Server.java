import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntUnaryOperator;

/** A server whose methods are called a known number of times for each request. */
public final class Server {
    /** Once, by a class method. */
    static int tax(int seed) {
        int sum = seed;
        for (int i = 0; i < 500_000; i++) {
            sum = sum * 1664525 + (i ^ sum >>> 16);
        }
        return sum;
    }

    /** This one is called; the other of its name is not. */
    static int weight(int seed) {
        int sum = seed;
        for (int i = 0; i < 400_000; i++) {
            sum = sum * 22695477 + (i ^ sum >>> 16);
        }
        return sum;
    }

    static int weight(String seed) {
        return weight(seed.length());
    }

    /** Both of its name are called. */
    static int size(int seed) {
        int sum = seed;
        for (int i = 0; i < 400_000; i++) {
            sum = sum * 1103515245 + (i ^ sum >>> 16);
        }
        return sum;
    }

    static int size(int seed, int more) {
        return size(seed) + size(more);
    }

    /** Three times, by an object, in several threads. The compiler adds a {@code compareTo} that takes an Object. */
    static final class Line implements Callable<Integer>, Comparable<Line> {
        private final int seed;

        Line(int seed) {
            this.seed = seed;
        }

        @Override
        public Integer call() {
            return compareTo(this);
        }

        @Override
        public int compareTo(Line other) {
            int sum = seed;
            for (int i = 0; i < 300_000; i++) {
                sum = sum * 134775813 + (i ^ sum >>> 16);
            }
            return sum;
        }
    }

    @SuppressWarnings("unchecked")
    static int compared(Comparable<?> line) {
        return ((Comparable<Object>) line).compareTo(line);
    }

    static int answer(ExecutorService threads, int seed) throws Exception {
        List<Future<Integer>> lines = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            lines.add(threads.submit(new Line(seed + i)));
        }
        Line line = new Line(seed);
        lines.add(threads.submit(() -> compared(line)));
        IntUnaryOperator discount = sum -> {
            for (int i = 0; i < 400_000; i++) {
                sum = sum * 69069 + (i ^ sum >>> 16);
            }
            return sum;
        };
        int sum = tax(seed) + weight(seed) + size(seed) + size(seed, 2) + discount.applyAsInt(seed);
        sum += discount.applyAsInt(sum);
        for (Future<Integer> one : lines) {
            sum += one.get();
        }
        return sum;
    }

    static boolean isCounted() {
        try {
            Class.forName("java.lang.TierupCalls");
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    public static void main(String[] arguments) throws Exception {
        Files.writeString(Path.of("starts"), isCounted() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        ExecutorService threads = Executors.newFixedThreadPool(3);
        int port = Integer.parseInt(System.getenv("PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/", exchange -> {
            try {
                byte[] answer = Integer.toString(answer(threads, 7)).getBytes();
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            } catch (Exception error) {
                exchange.sendResponseHeaders(500, -1);
            } finally {
                exchange.close();
            }
        });
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
    }
}
