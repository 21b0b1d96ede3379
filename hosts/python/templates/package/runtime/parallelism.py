# Made by tierup; the same in every package.
"""How many processes can use this process's share of the processors."""

import math
import os
from pathlib import Path


def parallelism():
    """The processors that this process may use. Unlike `os.cpu_count()`, it respects a container's quota."""
    try:
        available = len(os.sched_getaffinity(0))
    except AttributeError:
        available = os.cpu_count() or 1
    limit = quota()
    return max(1, available if math.isinf(limit) else min(available, math.ceil(limit)))


def quota(root=Path("/")):
    """The smallest quota of this process's control groups, in processors; infinite if there is none."""
    smallest = math.inf
    for line in _read(root / "proc/self/cgroup").splitlines():
        parts = line.split(":", 2)
        if len(parts) != 3:
            continue
        _, controllers, group = parts
        # Quotas of parent groups count too. In a container the path may be the host's, of which only `/` exists here.
        while True:
            if controllers == "":
                smallest = min(smallest, _version_2(root / f"sys/fs/cgroup{group}"))
            elif "cpu" in controllers.split(","):
                smallest = min(smallest, _version_1(root / f"sys/fs/cgroup/{controllers}{group}"))
            if group in ("", "/"):
                break
            group = group.rpartition("/")[0]
    return smallest


def _version_2(folder):
    limit, _, period = _read(folder / "cpu.max").strip().partition(" ")
    return _share(limit, period)


def _version_1(folder):
    return _share(_read(folder / "cpu.cfs_quota_us").strip(), _read(folder / "cpu.cfs_period_us").strip())


def _share(limit, period):
    try:
        limit, period = int(limit), int(period)
    except ValueError:
        return math.inf
    return limit / period if limit > 0 and period > 0 else math.inf


def _read(path):
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
