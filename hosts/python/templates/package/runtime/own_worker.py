# Made by tierup; the same in every package.
"""A process of `0:workers`: imports the server's own functions and answers frames, as the program of `1:pool` does.

Its standard input is a connection to the server. It writes 8 bytes when it has started, the hash of its interface. A frame is
its length, the function's number, and the pickled arguments. An answer is its length, one byte for how the call ended, and the
pickled value or exception. It ends with the connection.
"""

import asyncio
import base64
import inspect
import os
import pickle
import select
import struct
import threading

OK = 0
ERROR = 1


def main(settings):
    # What the functions print must not get between the answers.
    os.dup2(2, 1)
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(0), "wb", buffering=0)
    # Functions that read standard input find it empty.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    threading.Thread(target=end_with, args=(answers.fileno(),), daemon=True).start()
    functions = [entry and pickle.loads(base64.b64decode(entry)) for entry in settings["functions"]]
    write(answers, struct.pack("<Q", int(settings["abi"], 16)))
    loop = asyncio.new_event_loop()
    while True:
        head = requests.read(8)
        if len(head) < 8:
            return
        length, number = struct.unpack("<II", head)
        answer = answer_to(loop, functions[number], requests.read(length - 4))
        write(answers, struct.pack("<I", len(answer)) + answer)


def answer_to(loop, function, encoded):
    try:
        value = function(*pickle.loads(encoded))
        if inspect.isawaitable(value):
            value = loop.run_until_complete(finished(value))
        return bytes([OK]) + pickle.dumps(value)
    except Exception as error:
        return bytes([ERROR]) + pickled(error)


async def finished(value):
    return await value


def pickled(error):
    """An exception that the other process can read; otherwise one with its message."""
    try:
        content = pickle.dumps(error)
        pickle.loads(content)
        return content
    except Exception:
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))


def write(file, content):
    left = memoryview(content)
    while left:
        left = left[file.write(left) :]


def end_with(connection):
    """Ends this process when the server's end is closed, even in the middle of a call."""
    end = select.poll()
    end.register(connection, 0)
    end.poll()
    os._exit(0)
