package conformance;

import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

import local.tierup.conformance.Conformance;

/** The smallest possible server, which `tierup serve` starts here. */
public final class Server {
    private Server() {}

    public static void main(String[] arguments) throws IOException {
        Conformance rust = Conformance.load(new Own());
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            String query = exchange.getRequestURI().getQuery();
            byte[] answer = rust.echoText(query == null ? "" : query.replaceFirst("^text=", "")).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length == 0 ? -1 : answer.length);
            try (exchange) {
                exchange.getResponseBody().write(answer);
            }
        });
        server.start();
    }
}
