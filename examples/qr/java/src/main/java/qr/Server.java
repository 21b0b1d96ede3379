package qr;

import io.javalin.Javalin;

import local.tierup.qr.Qr;

/**
 * QR codes over HTTP. Settings come from the environment: HOST and PORT here, and what {@code Qr} reads itself,
 * TIERUP_TIER above all.
 */
public final class Server {
    private Server() {}

    public static void main(String[] arguments) {
        Qr rust = App.load();
        String host = System.getenv().getOrDefault("HOST", "127.0.0.1");
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "42069"));
        Javalin app = App.of(rust);
        app.start(host, port);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            app.stop();
            rust.close();
        }));
        System.out.println("listening on http://" + host + ":" + app.port() + " (tier " + rust.tier() + ")");
    }
}
