package qr;

import baseline.QrCode;
import baseline.TunedQrCode;

import io.javalin.Javalin;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;

import java.nio.charset.StandardCharsets;
import java.util.List;

import local.tierup.qr.CallException;
import local.tierup.qr.HealthException;
import local.tierup.qr.Options;
import local.tierup.qr.Qr;
import local.tierup.qr.RustException;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.handler.GracefulHandler;

/** What the server answers. It knows nothing of processes and ports. */
final class App {
    private static final int MAX_BYTES = 512;
    /** A query string may be longer than a text: what is too long is said in the server's own words. */
    private static final int LARGEST_HEAD = 64 << 10;

    /** How long requests may take that are under way when the server is asked to end, in milliseconds. */
    private static final long PATIENCE = 10_000;

    private final Qr rust;

    private App(Qr rust) {
        this.rust = rust;
    }

    /** Takes the function from where TIERUP_TIER says. */
    static Qr load() {
        return Qr.load(new Options().baseline(QrCode::generateQrCode).baseline("tuned", TunedQrCode::generateQrCode));
    }

    static Javalin of(Qr rust) {
        return Javalin.create(config -> new App(rust).configure(config));
    }

    private void configure(JavalinConfig config) {
        config.startup.showJavalinBanner = false;
        config.concurrency.useVirtualThreads = Runtime.version().feature() >= 21;
        config.router.ignoreTrailingSlashes = false;
        config.http.prefer405over404 = true;
        config.jetty.modifyHttpConfiguration(http -> {
            http.setRequestHeaderSize(LARGEST_HEAD);
            http.setSendServerVersion(false);
            // Routes compare paths as they were sent, and no file is served: what Jetty would not decode is nothing there.
            http.setUriCompliance(UriCompliance.UNSAFE);
        });
        config.jetty.modifyServer(server -> {
            // Requests that are under way when the server is asked to end are answered first.
            GracefulHandler graceful = new GracefulHandler();
            graceful.setHandler(new ContentTypes());
            server.setHandler(graceful);
            server.setStopTimeout(PATIENCE);
        });
        route(config, "/qrcode", this::code);
        route(config, "/livez", context -> answer(context, 200, "ok"));
        route(config, "/readyz", this::ready);
        config.routes.error(404, context -> answer(context, 404, "not found"));
        config.routes.error(405, context -> answer(context.header("Allow", "GET, HEAD"), 405, "method not allowed"));
    }

    private static void route(JavalinConfig config, String path, Handler handler) {
        config.routes.get(path, handler);
        config.routes.head(path, handler);
    }

    private void code(Context context) {
        List<String> texts;
        try {
            String query = context.queryString();
            texts = Query.values(query == null ? "" : query, "text");
        } catch (Query.Malformed e) {
            answer(context, 400, e.getMessage());
            return;
        }
        if (texts.size() != 1 || texts.get(0).isEmpty()) {
            answer(context, 400, "missing \"text\" query param");
            return;
        }
        if (texts.get(0).getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            answer(context, 400, "text must be <= " + MAX_BYTES + " bytes");
            return;
        }
        try {
            context.contentType("image/png").result(rust.generateQrCode(texts.get(0)));
        } catch (RustException e) {
            System.err.println("a code could not be made (its own error: " + (e instanceof CallException) + "): " + e.getMessage());
            answer(context, 500, "failed to generate the QR code");
        }
    }

    private void ready(Context context) {
        try {
            rust.checkHealth();
            answer(context, 200, "ok");
        } catch (HealthException e) {
            answer(context, 503, e.getMessage());
        }
    }

    private static void answer(Context context, int status, String text) {
        context.status(status).contentType("text/plain; charset=utf-8").result(text);
    }
}
