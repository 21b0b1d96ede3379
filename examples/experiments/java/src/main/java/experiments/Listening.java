package experiments;

import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import io.javalin.util.JavalinBindException;
import io.javalin.util.JavalinException;

import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;

/** The web server around the routes: where it listens, and how it ends. */
final class Listening {
    /** Thousands of clients may connect at the same moment; the system cuts it to its own limit. Java's own is 50. */
    private static final int BACKLOG = 4096;
    /** A query string may be longer than Jetty's 8 KiB. */
    private static final int LARGEST_HEAD = 64 << 10;
    /** How long requests may take that are under way when the server is asked to end, in milliseconds. */
    private static final long PATIENCE = 10_000;

    private Listening() {}

    static Javalin on(String host, int port, App app) {
        try {
            return Javalin.create(config -> {
                configure(config, host, port);
                app.route(config.routes);
            }).start();
        } catch (JavalinBindException e) {
            throw new JavalinException("cannot listen on " + host + ":" + port + ": the port is in use; choose another with PORT", e);
        }
    }

    private static void configure(JavalinConfig config, String host, int port) {
        config.startup.showJavalinBanner = false;
        config.concurrency.useVirtualThreads = Runtime.version().feature() >= 21;
        config.router.ignoreTrailingSlashes = false;
        // An answer is as long as what was sent: the other servers do not compress it either.
        config.http.compressionStrategy = CompressionStrategy.NONE;
        config.jetty.addConnector((server, http) -> {
            http.setRequestHeaderSize(LARGEST_HEAD);
            // Routes compare paths as they were sent, and no file is served: what Jetty would not decode is nothing there.
            http.setUriCompliance(UriCompliance.UNSAFE);
            ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
            connector.setHost(host);
            connector.setPort(port);
            connector.setAcceptQueueSize(BACKLOG);
            return connector;
        });
        config.jetty.modifyServer(server -> {
            // Requests that are under way when the server is asked to end are answered first.
            GracefulHandler graceful = new GracefulHandler();
            graceful.setHandler(new ContentTypes());
            server.setHandler(graceful);
            server.setStopTimeout(PATIENCE);
        });
    }
}
