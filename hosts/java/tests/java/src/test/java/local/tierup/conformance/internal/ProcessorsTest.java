package local.tierup.conformance.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A container's quota of processors. */
class ProcessorsTest {
    @TempDir
    private Path root;

    private double quota(Map<String, String> files) throws IOException {
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = root.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
        return Processors.quota(root);
    }

    @Test
    void theSmallestOfAGroupAndThoseAboveIt() throws IOException {
        assertEquals(1.5, quota(Map.of(
                "proc/self/cgroup", "0::/a/b\n",
                "sys/fs/cgroup/a/b/cpu.max", "max 100000\n",
                "sys/fs/cgroup/a/cpu.max", "150000 100000\n",
                "sys/fs/cgroup/cpu.max", "400000 100000\n")));
    }

    @Test
    void version1() throws IOException {
        assertEquals(0.5, quota(Map.of(
                "proc/self/cgroup", "4:cpu,cpuacct:/\n3:memory:/x\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n",
                "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n")));
    }

    @Test
    void none() throws IOException {
        assertEquals(Double.POSITIVE_INFINITY, quota(Map.of()));
        assertEquals(Double.POSITIVE_INFINITY, quota(Map.of("proc/self/cgroup", "0::/\n")));
        assertEquals(Double.POSITIVE_INFINITY, quota(Map.of(
                "proc/self/cgroup", "4:cpu:/\n",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")));
        assertTrue(Processors.available() >= 1);
    }
}
