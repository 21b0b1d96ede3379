"""A function that a server could hand over, with which tests end and hold up processes of `0:workers`."""

import os
import signal
import sys
import time

# How many seconds a start takes: set when the tests' own process has imported this.
if "ORDERS" in os.environ:
    time.sleep(int(os.environ["ORDERS"]))


def echo_text(text):
    if text == "exit":
        print("last words", file=sys.stderr)
        os._exit(7)
    if text == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if text == "hang":
        time.sleep(3600)
    if text == "slow":
        time.sleep(0.3)
    if text == "error":
        raise ValueError("no")
    return str(os.getpid()) if text == "pid" else text
