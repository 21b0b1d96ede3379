"""Five functions of known cost. Each request runs all of them. `awaited` is a coroutine, `in_worker` runs in another
process, and `native` is zlib's C code, which lets the GIL go.

The server measures its functions itself, and appends to the file TRUTH every 200 ms: milliseconds since 1970, CPU of
both processes, and CPU of each function in the order of NAMES, all in microseconds since the start. Only every eighth
request is measured, and counts eight times: reading the clock enters the kernel, and on a busy machine samples pile
up there.
"""

import asyncio
import itertools
import os
import signal
import time
import zlib
from concurrent.futures import ProcessPoolExecutor

NAMES = ["light", "awaited", "in_worker", "small", "native"]
spent = [0] * len(NAMES)
worker_cpu = 0
EVERY = 8
requests = itertools.count()


def unmeasured():
    return 0



def light():
    total = 1
    for number in range(20_000):
        total = (total * 1664525 + number) & 0xFFFFFFFF
    return total


async def awaited(now):
    total = 2
    for _ in range(4):
        before = now()
        for number in range(10_000):
            total = (total * 22695477 + number) & 0xFFFFFFFF
        spent[1] += (now() - before) * EVERY
        await asyncio.sleep(0)
    return total


def in_worker():
    total = 3
    for number in range(55_000):
        total = (total * 1103515245 + number) & 0xFFFFFFFF
    return total


def small():
    total = 4
    for number in range(10_000):
        total = (total * 69069 + number) & 0xFFFFFFFF
    return total


def letters(count):
    """Random letters, which are the same in each run."""
    letter = 5
    for _ in range(count):
        letter = (letter * 1664525 + 1013904223) & 0xFFFFFFFF
        yield letter >> 28


TEXT = bytes(letters(162_000))


def native():
    return len(zlib.compress(TEXT, 6))


def work(measured):
    now = time.thread_time_ns if measured else unmeasured
    before = now()
    total = in_worker()
    return total, now() - before, time.process_time_ns() if measured else None


async def answer(pool):
    global worker_cpu
    measured = next(requests) % EVERY == 0
    now = time.thread_time_ns if measured else unmeasured
    asked = asyncio.get_running_loop().run_in_executor(pool, work, measured)
    for place, function in ((0, light), (3, small), (4, native)):
        before = now()
        function()
        spent[place] += (now() - before) * EVERY
    total = await awaited(now)
    of_worker, cpu, of_process = await asked
    spent[2] += cpu * EVERY
    worker_cpu = of_process or worker_cpu
    return str(total + of_worker).encode()


async def serve(pool, reader, writer):
    try:
        while await reader.readuntil(b"\r\n\r\n"):
            body = await answer(pool)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    writer.close()


async def note(file):
    while True:
        await asyncio.sleep(0.2)
        numbers = [time.process_time_ns() + worker_cpu, *spent]
        line = " ".join(str(number // 1000) for number in numbers)
        with open(file, "a") as truth:
            truth.write(f"{time.time_ns() // 1_000_000} {line}\n")


async def main():
    with ProcessPoolExecutor(1) as pool:
        server = await asyncio.start_server(
            lambda reader, writer: serve(pool, reader, writer), "127.0.0.1", int(os.environ["PORT"])
        )
        if os.environ.get("TRUTH"):
            noting = asyncio.create_task(note(os.environ["TRUTH"]))
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, server.close)
        try:
            await server.serve_forever()
        except asyncio.CancelledError:
            # The server was closed, and the pool ends its process.
            pass


if __name__ == "__main__":
    asyncio.run(main())
