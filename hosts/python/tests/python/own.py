"""Some functions of `conformance/` in Python, as a server could pass them."""

import asyncio
import os
import signal
import threading
import time


def echo_text(text):
    return text


def echo_bytes(content):
    return content


def fail(words):
    raise ValueError(words)


class Odd(Exception):
    pass


class Unreadable(Exception):
    """Unpickling it fails, as its pickle has fewer arguments."""

    def __init__(self, one, other):
        super().__init__(f"{one} and {other}")


class Slow:
    async def echo_text(text):
        await asyncio.sleep(0.01)
        return text


def print_and_return(order):
    if order == "pid":
        return str(os.getpid())
    if order == "print":
        print("printed")
        return "printed"
    if order == "tuple":
        return (1, 2)
    if order == "odd":
        raise Odd("1 and 2")
    if order == "unreadable":
        raise Unreadable(1, 2)
    if order == "lock":
        return threading.Lock()
    if order == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if order == "hang":
        time.sleep(3600)
    return order
