// Made by tierup; the same in every package. Do not edit.
package {{package}}.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The processors that this process may use. Java knows a container's quota, but older versions read only that of the
 * innermost control group (JDK-8322420), although the quotas of its parent groups count too.
 */
final class Processors {
    private Processors() {}

    /** Processors that this process may use. */
    static int available() {
        int available = Runtime.getRuntime().availableProcessors();
        // The quota is infinite if there is none.
        return (int) Math.max(1, Math.min(available, Math.ceil(quota(Path.of("/")))));
    }

    /** The smallest quota of this process's control groups, in processors, or infinite. */
    static double quota(Path root) {
        double smallest = Double.POSITIVE_INFINITY;
        for (String line : read(root.resolve("proc/self/cgroup")).split("\n")) {
            String[] parts = line.split(":", 3);
            if (parts.length == 3) {
                smallest = Math.min(smallest, ofGroup(root.resolve("sys/fs/cgroup"), parts[1], parts[2]));
            }
        }
        return smallest;
    }

    /** In a container, the path of a group may be the host's. Only its root exists here then. */
    private static double ofGroup(Path groups, String controllers, String group) {
        double smallest = Double.POSITIVE_INFINITY;
        while (true) {
            if (controllers.isEmpty()) {
                smallest = Math.min(smallest, version2(Path.of(groups + group)));
            } else if (List.of(controllers.split(",")).contains("cpu")) {
                smallest = Math.min(smallest, version1(Path.of(groups + "/" + controllers + group)));
            }
            if (group.lastIndexOf('/') < 0 || group.equals("/")) {
                return smallest;
            }
            group = group.substring(0, group.lastIndexOf('/'));
        }
    }

    private static double version2(Path folder) {
        String[] words = read(folder.resolve("cpu.max")).strip().split(" ");
        return words.length == 2 ? share(words[0], words[1]) : Double.POSITIVE_INFINITY;
    }

    private static double version1(Path folder) {
        return share(read(folder.resolve("cpu.cfs_quota_us")).strip(), read(folder.resolve("cpu.cfs_period_us")).strip());
    }

    private static double share(String limit, String period) {
        try {
            double share = (double) Long.parseLong(limit) / Long.parseLong(period);
            return share > 0 ? share : Double.POSITIVE_INFINITY;
        } catch (NumberFormatException e) {
            // "max" or a missing file means no limit.
            return Double.POSITIVE_INFINITY;
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}
