package processors

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// quotaOf returns the quota that these files set.
func quotaOf(t *testing.T, files map[string]string) float64 {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return quota(root)
}

func TestTheSmallestOfAGroupAndThoseAboveIt(t *testing.T) {
	found := quotaOf(t, map[string]string{
		"proc/self/cgroup":          "0::/a/b\n",
		"sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
		"sys/fs/cgroup/a/cpu.max":   "150000 100000\n",
		"sys/fs/cgroup/cpu.max":     "400000 100000\n",
	})
	if found != 1.5 {
		t.Fatal(found)
	}
}

func TestAGroupThatOnlyTheMachineKnows(t *testing.T) {
	found := quotaOf(t, map[string]string{
		"proc/self/cgroup":      "0::/machine/container\n",
		"sys/fs/cgroup/cpu.max": "50000 100000\n",
	})
	if found != 0.5 {
		t.Fatal(found)
	}
}

func TestVersion1OfControlGroupsLimitsProcessors(t *testing.T) {
	found := quotaOf(t, map[string]string{
		"proc/self/cgroup": "4:cpu,cpuacct:/a\n3:memory:/x\n",
		"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us":  "-1\n",
		"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us": "100000\n",
		"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":    "50000\n",
		"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us":   "100000\n",
	})
	if found != 0.5 {
		t.Fatal(found)
	}
}

func TestNoControlGroupLimitsNothing(t *testing.T) {
	for _, files := range []map[string]string{
		nil,
		{"proc/self/cgroup": "0::/\n"},
		{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "nonsense"},
	} {
		if found := quotaOf(t, files); !math.IsInf(found, 1) {
			t.Fatal(files, found)
		}
	}
}

func TestAPartOfAProcessorTakesOne(t *testing.T) {
	for _, c := range []struct {
		available int
		quota     float64
		expected  int
	}{{8, 0.5, 1}, {8, 1.5, 2}, {8, 16, 8}, {2, math.Inf(1), 2}} {
		if found := count(c.available, c.quota); found != c.expected {
			t.Fatal(c, found)
		}
	}
	if Count() < 1 {
		t.Fatal(Count())
	}
}
