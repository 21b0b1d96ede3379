package experiments;

import io.javalin.Javalin;
import io.javalin.util.JavalinException;

import java.time.Instant;
import java.util.OptionalLong;

import local.tierup.experiments.Experiments;
import local.tierup.experiments.UnavailableException;

/**
 * Experiments over HTTP. Settings come from the environment: HOST, PORT and EXPERIMENTS_NOW here, and what
 * {@code Experiments} reads itself, TIERUP_TIER above all.
 */
public final class Server {
    private Server() {}

    public static void main(String[] arguments) {
        try {
            run();
        } catch (IllegalArgumentException | UnavailableException | JavalinException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private static void run() {
        String host = Settings.text("HOST", "127.0.0.1");
        int port = (int) Settings.wholeNumber("PORT", 65_535).orElse(3000);
        // What JavaScript counts exactly, as the other servers do.
        OptionalLong fixed = Settings.wholeNumber("EXPERIMENTS_NOW", (1L << 53) - 1);
        Experiments rust = App.load();
        App app = new App(rust, () -> fixed.orElseGet(() -> Instant.now().getEpochSecond()));
        Javalin server = Listening.on(host, port, app);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            server.stop();
            rust.close();
        }));
        System.out.println("listening on http://" + host + ":" + server.port() + " (tier " + rust.tier() + ")");
    }
}
