import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Writes the SHA-1 of each file in a repository beside it. Maven warns of files without one. */
class Sums {
    public static void main(String[] arguments) throws Exception {
        try (var files = Files.walk(Path.of(arguments[0]))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                byte[] sum = MessageDigest.getInstance("SHA-1").digest(Files.readAllBytes(file));
                Files.writeString(Path.of(file + ".sha1"), HexFormat.of().formatHex(sum));
            }
        }
    }
}
