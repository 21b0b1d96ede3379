package local.tierup.witness;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;

/**
 * The witness of {@code tierup profile}. Every JVM of the server calls it before the server's own code. While tierup
 * sends single requests, it counts the calls of the watched methods. Only these numbers and line numbers of the
 * server's source leave the process, and the witness's own errors never reach the server.
 *
 * <p>Only this class is among the server's own. The others, and ASM, have a separate class loader, as the server may
 * use another ASM.
 */
public final class Witness {
    private static final String FOLDER = {{folder}};

    /** The first Java version whose Unix sockets need no library. */
    private static final int OLDEST = 16;

    private Witness() {}

    public static void premain(String options, Instrumentation instrumentation) {
        if (Runtime.version().feature() < OLDEST) {
            return;
        }
        try {
            URL[] parts = {url("classes"), url({{asm}})};
            ClassLoader loader = new URLClassLoader(parts, ClassLoader.getPlatformClassLoader());
            Class<?> agent = loader.loadClass("local.tierup.witness.Agent");
            agent.getMethod("begin", Instrumentation.class).invoke(null, instrumentation);
        } catch (Throwable error) {
            // The server goes on without the agent. tierup reports that nobody has connected.
        }
    }

    private static URL url(String name) throws Exception {
        return new File(FOLDER, name).toURI().toURL();
    }
}
