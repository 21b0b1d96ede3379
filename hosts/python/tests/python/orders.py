"""A server's function with which tests end or hold up processes of `0:workers`."""

import os
import signal
import sys
import time

# The number of seconds that a start takes. It is set after the tests' own process has imported this module.
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
