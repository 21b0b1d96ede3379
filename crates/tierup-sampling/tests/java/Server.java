import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/** A server whose requests spin in a function of its own. */
public final class Server {
    static double spin() {
        double sum = 0;
        for (int i = 0; i < 500_000; i++) {
            sum += Math.sqrt(i);
        }
        return sum;
    }

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv("PORT"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/", exchange -> {
            byte[] answer = spin() > 0 ? new byte[] {'o', 'k'} : new byte[0];
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
    }
}
