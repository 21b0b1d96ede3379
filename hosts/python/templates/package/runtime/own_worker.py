# Made by tierup; the same in every package.
"""A process of `0:workers`: imports the server's own functions and answers frames, as the program of `1:pool` does.

Once started, it writes 8 bytes, the hash of its interface. A frame is its length, the function's number, and the
pickled arguments. An answer is its length, one byte that says how the call ended, and the pickled value or exception.
The process ends when its standard input does.
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
    # Output that the functions print must not mix with the answers.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    requests = os.fdopen(os.dup(0), "rb")
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
    """A pickled exception. If the other process could not read it, one with the same message."""
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


def end_with(answers):
    """Ends this process when nobody reads its answers any more, even during a call."""
    end = select.poll()
    end.register(answers, 0)
    end.poll()
    os._exit(0)
