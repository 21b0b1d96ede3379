package server;

import {{package}}.CallException;
import {{package}}.HealthException;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A small server: GET /slug?text=… */
public final class Server {
    private static final List<String> PATHS = List.of("/slug", "/livez", "/readyz");

    private final {{package}}.{{facade}} rust;

    private Server({{package}}.{{facade}} rust) {
        this.rust = rust;
    }

    private record Answer(int status, String text) {}

    public static void main(String[] arguments) throws IOException {
        // Without this, response headers wait for the packet with the body.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        // TIERUP_TIER decides how slugify runs: 0 is the baseline, 3:native Rust in this process, …
        var rust = {{package}}.{{facade}}.load(baseline.Slug::slugify);
        String host = System.getenv().getOrDefault("HOST", "127.0.0.1");
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        HttpServer server = HttpServer.create(new InetSocketAddress(host, port), 0);
        ExecutorService threads = Executors.newFixedThreadPool(4 * Runtime.getRuntime().availableProcessors());
        server.setExecutor(threads);
        server.createContext("/", new Server(rust)::handle);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, threads, rust)));
        server.start();
        System.out.println("listening on http://" + host + ":" + server.getAddress().getPort() + " (tier " + rust.tier() + ")");
    }

    /** Running requests are answered before the server stops. */
    private static void stop(HttpServer server, ExecutorService threads, {{package}}.{{facade}} rust) {
        threads.shutdown();
        try {
            threads.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        server.stop(0);
        rust.close();
    }

    private void handle(HttpExchange exchange) throws IOException {
        Answer answer;
        try {
            answer = answer(exchange);
        } catch (RuntimeException e) {
            System.err.println(exchange.getRequestURI() + ": " + e);
            answer = new Answer(500, "internal error");
        }
        byte[] body = answer.text().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(answer.status(), isHead ? -1 : body.length);
        try (exchange) {
            if (!isHead) {
                exchange.getResponseBody().write(body);
            }
        }
    }

    private Answer answer(HttpExchange exchange) {
        String path = exchange.getRequestURI().getPath();
        if (!PATHS.contains(path)) {
            return new Answer(404, "not found");
        }
        if (!List.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            return new Answer(405, "method not allowed");
        }
        return switch (path) {
            case "/slug" -> slug(exchange.getRequestURI().getRawQuery());
            case "/readyz" -> ready();
            default -> new Answer(200, "ok");
        };
    }

    private Answer slug(String query) {
        String text = Arrays.stream(query == null ? new String[0] : query.split("&"))
                .filter(parameter -> parameter.startsWith("text=")).findFirst().orElse("text=").substring("text=".length());
        if (text.isEmpty()) {
            return new Answer(400, "query parameter \"text\" is missing");
        }
        String decoded;
        try {
            decoded = URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return new Answer(400, "query parameter \"text\" has a broken percent-encoding");
        }
        try {
            return new Answer(200, rust.slugify(decoded));
        } catch (CallException e) {
            // The function's own error is for the caller. The message of any other exception may be private.
            return new Answer(400, e.getMessage());
        }
    }

    private Answer ready() {
        try {
            rust.checkHealth();
            return new Answer(200, "ok");
        } catch (HealthException e) {
            System.err.println("not ready: " + e.getMessage());
            return new Answer(503, "not ready");
        }
    }
}
