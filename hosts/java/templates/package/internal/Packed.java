// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;

/** The built files in this package's jar. A jar for several platforms has one of each for every platform. */
final class Packed {
    private static final String FOLDER = "/META-INF/tierup/{{package}}/";

    /** Loads or starts a file. */
    interface Use<T> {
        T of(Path file) throws IOException;
    }

    private Packed() {}

    /**
     * What {@code use} makes of the first file of this name that it accepts. Nobody is asked which C library the system has:
     * a file for another one cannot be loaded. Libraries for musl come first, as a system with musl may load both kinds.
     */
    static <T> T first(String name, String prefix, String suffix, Use<T> use) throws IOException {
        if (Packed.class.getResource(FOLDER + name) != null) {
            return use.of(extract(FOLDER + name, prefix, suffix));
        }
        String platform = platform();
        List<String> platforms = name.equals("program")
                ? List.of(platform + "-gnu", platform + "-musl", platform)
                : List.of(platform + "-musl", platform + "-gnu", platform);
        StringBuilder tried = new StringBuilder();
        IOException last = null;
        for (String one : platforms) {
            String resource = FOLDER + one + "/" + name;
            if (Packed.class.getResource(resource) != null) {
                Path file = extract(resource, prefix, suffix);
                try {
                    return use.of(file);
                } catch (IOException e) {
                    // The file has another path each time.
                    tried.append("\n  ").append(one).append(": ").append(Failure.words(e).replace(file + ": ", ""));
                    last = e;
                }
            }
        }
        throw last == null
                ? new IOException("this jar was made without " + name + " for " + platform)
                : new IOException("none of the jar's files " + name + " can be loaded here:" + tried, last);
    }

    /** This system and processor, as the jar's folders name them. */
    private static String platform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String processor = System.getProperty("os.arch");
        return (system.startsWith("windows") ? "win32" : system.startsWith("mac") ? "darwin" : system) + "-"
                + switch (processor) {
                    case "amd64", "x86_64" -> "x64";
                    case "aarch64" -> "arm64";
                    default -> processor;
                };
    }

    /** Copies a file of the jar to where the system can open it. Only this user has access. */
    private static Path extract(String resource, String prefix, String suffix) throws IOException {
        FileAttribute<?>[] owner = Program.IS_POSIX
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))}
                : new FileAttribute<?>[0];
        try (InputStream from = Packed.class.getResourceAsStream(resource)) {
            Path file = Files.createTempFile(prefix, suffix, owner);
            try {
                Files.write(file, from.readAllBytes());
            } catch (IOException e) {
                Files.deleteIfExists(file);
                throw e;
            }
            return file;
        }
    }
}
