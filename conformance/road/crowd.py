#!/usr/bin/env python3
"""What a crowd can do to others: `crowd.py TIERUP [--seconds 20]`.

6,000 clients connect and send nothing, 80 wait for an answer that takes a minute, and 100 ask at once for compressed answers of 1.7 MB
(each other than the last) and of 16 MiB (from 16 KB), all copied and compared. Meanwhile others ask, each on a connection of its own. It prints how
long these waited, and the proxy's peak of memory.
"""
import argparse
import asyncio
import multiprocessing
import random
import resource
import statistics
import time

from world import World, machine, memory


async def idle(world):
    """A client that says nothing, and comes back 5 to 15 s after its place was given to another."""
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", world.port)
            await reader.read()
            writer.transport.abort()
        except OSError:
            pass
        await asyncio.sleep(random.uniform(5, 15))


async def bomb(world, number):
    path = "/wide" if number % 2 else "/other-bomb"
    reader, writer = await asyncio.open_connection("127.0.0.1", world.port, limit=1 << 22)
    writer.write(world.head("GET", f"{path}?{number}", f"198.51.100.{number}", f"key-{number}", headers=["Connection: close"]))
    if not (await reader.read(-1)).startswith(b"HTTP/1.1 200"):
        raise SystemExit("an answer broke off")
    writer.close()


async def crowd(world):
    """The idle and waiting clients. They run in a process of their own, so that others do not wait for their computations."""
    tasks = []
    for number in range(6_000):
        tasks.append(asyncio.ensure_future(idle(world)))
        if number % 100 == 99:
            await asyncio.sleep(0.05)
    tasks += [asyncio.ensure_future(world.ask("GET", f"/poll?s=60&{number}", "198.51.100.1", "poll", patience=90)) for number in range(80)]
    await asyncio.gather(*tasks)


async def bombs(world):
    await asyncio.gather(*[bomb(world, number) for number in range(100)])


def beside(what, world):
    process = multiprocessing.get_context("fork").Process(target=lambda: asyncio.run(what(world)))
    process.start()
    return process


async def others(world, took, seconds, per_second=50):
    async def one(number):
        began = time.perf_counter()
        answer = await world.ask("GET", f"/items/{number % 500}", f"203.0.{number >> 8 & 3}.{number & 255}", f"other-{number}")
        took.append((time.perf_counter() - began) * 1000 if answer.startswith(b"HTTP/1.1 200") else float("inf"))

    tasks = []
    for number in range(int(seconds * per_second)):
        tasks.append(asyncio.ensure_future(one(number)))
        await asyncio.sleep(1 / per_second)
    await asyncio.gather(*tasks)


def said(name, took, world):
    took.sort()
    share = lambda part: took[min(int(len(took) * part), len(took) - 1)]
    within = sum(time <= 100 for time in took) / len(took)
    print(f"| {name} | {len(took)} | {statistics.median(took):.1f} | {share(0.99):.1f} | {took[-1]:.1f} | {within:.2%} | "
          f"{memory(world.shadow):.0f} |", flush=True)


async def main():
    options = argparse.ArgumentParser()
    options.add_argument("tierup")
    options.add_argument("--seconds", type=float, default=20)
    options = options.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    print(f"{machine()}\n")
    print("| beside | others' requests | median ms | p99 ms | most ms | within 100 ms | the proxy's peak, MiB |\n|---|---|---|---|---|---|---|")
    with World(options.tierup) as world:
        await world.ready()
        took = []
        await others(world, took, options.seconds)
        said("nobody", took, world)
        idle_ones = beside(crowd, world)
        await asyncio.sleep(8)
        took = []
        await others(world, took, options.seconds)
        said("6,000 idle clients, 80 long polls", took, world)
        took = []
        bombers = beside(bombs, world)
        await others(world, took, options.seconds)
        said("and 100 compressed answers at once", took, world)
        bombers.join(60)
        print(f"\n{'all of the 100 came whole' if bombers.exitcode == 0 else 'some of the 100 broke off'}; the proxy has "
              f"{memory(world.shadow, 'VmRSS'):.0f} MiB at the end")
        idle_ones.terminate()
        idle_ones.join()


asyncio.run(main())
