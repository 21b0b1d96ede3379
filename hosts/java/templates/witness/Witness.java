package local.tierup.witness;

import java.io.File;
import java.lang.instrument.Instrumentation;
import java.net.URL;
import java.net.URLClassLoader;

/**
 * The witness of {@code tierup profile}: every JVM of the server calls it before the server's own code. While tierup
 * sends single requests, it counts the calls of the watched methods. Nothing of the server's but these numbers and
 * lines of its source leaves the process, and an error of its own never reaches the server.
 *
 * <p>Only this class is among the server's own. The rest, and ASM, are in a class loader of their own: the server may
 * have another ASM.
 */
public final class Witness {
    private static final String FOLDER = {{folder}};

    /** The first version whose Unix sockets need no library. */
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
            // The server goes on without it. tierup reports that nobody has connected.
        }
    }

    private static URL url(String name) throws Exception {
        return new File(FOLDER, name).toURI().toURL();
    }
}
