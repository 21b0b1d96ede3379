"""Control files of rollouts, and what the processes under them have counted."""

import json

SHADOW = "candidate=3:native\nshadow=1\nkeep=values\n"
SHARE = "candidate=3:native\nshare=1\n"


def counts(path):
    """The counts of each process that compares."""
    # A file that was just made is empty.
    texts = filter(None, (file.read_text().strip() for file in path.parent.glob("rollout.evidence/*.jsonl")))
    return [json.loads(text.split("\n")[0]) for text in texts]


def host(path):
    """The counts of calls, summed over all processes."""
    hosts = [one["host"] for one in counts(path) if one["host"]]
    return {name: sum(one.get(name, 0) for one in hosts) for name in ("calls", "sampled", "too_large", "refused", "dropped", "shared", "errors", "panics", "timeouts", "lost")}
