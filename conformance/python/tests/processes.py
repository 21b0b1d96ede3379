"""The processes that a process has started, with their descendants."""

import os
import subprocess
import time


def programs(pid=None, mark="--tierup-"):
    """The living processes of the program below this process, or below another."""
    lines = subprocess.run(["ps", "-wweo", "pid,ppid,stat,args"], capture_output=True, text=True, check=True).stdout
    found = [line.split(None, 3) for line in lines.splitlines()[1:]]
    below, own = {str(pid or os.getpid())}, []
    # A child may precede its parent in the list, so one round would not find all.
    for _ in range(4):
        below |= {process for process, parent, _, _ in found if parent in below}
    for process, _, state, args in found:
        if process in below and not state.startswith("Z") and mark in args:
            own.append(int(process))
    return own


def wait_until(condition, otherwise):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.1)
