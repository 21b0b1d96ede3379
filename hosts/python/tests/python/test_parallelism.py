"""A container's share of the processors."""

import math
import tempfile
import unittest
from pathlib import Path

from conformance._tierup.parallelism import parallelism, quota


class Quota(unittest.TestCase):
    def quota(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder) / name.replace("__", "/").replace("-", ".")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return quota(Path(folder))

    def test_the_smallest_quota_of_a_group_and_its_parents_counts(self):
        files = {
            "proc__self__cgroup": "0::/a/b\n",
            "sys__fs__cgroup__a__b__cpu-max": "max 100000\n",
            "sys__fs__cgroup__a__cpu-max": "150000 100000\n",
            "sys__fs__cgroup__cpu-max": "400000 100000\n",
        }
        self.assertEqual(self.quota(**files), 1.5)

    def test_quotas_of_version_1_are_read(self):
        files = {
            "proc__self__cgroup": "4:cpu,cpuacct:/\n3:memory:/x\n",
            "sys__fs__cgroup__cpu,cpuacct__cpu-cfs_quota_us": "50000\n",
            "sys__fs__cgroup__cpu,cpuacct__cpu-cfs_period_us": "100000\n",
        }
        self.assertEqual(self.quota(**files), 0.5)

    def test_without_a_quota_it_is_infinite(self):
        self.assertEqual(self.quota(), math.inf)
        self.assertEqual(self.quota(proc__self__cgroup="0::/\n"), math.inf)
        self.assertGreaterEqual(parallelism(), 1)


if __name__ == "__main__":
    unittest.main()
