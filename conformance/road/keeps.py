#!/usr/bin/env python3
"""What a rollout keeps: `keeps.py TIERUP hand-over [--times 20]`, or `keeps.py TIERUP clock LIBFAKETIME`.

`hand-over`: a new proxy takes over the address of the old one, again and again, while 32 clients ask on connections that they keep, and new
ones come. Every request must be answered, and rightly.

`clock`: the clock of the proxy, and then that of the judge, jumps by an hour, back, and by a day, while the candidate has a weight (Debian's
`faketime`). Every request must be answered, and no step up to a third of the traffic may be shorter than the minute that it needs by a clock that
is never set.
"""
import argparse
import asyncio
import collections
import pathlib
import random
import time

from world import World, machine

seen = collections.Counter()


async def client(world, number, is_over):
    """Asks one request after another; a client that is told `Connection: close` connects again."""
    while not is_over():
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", world.port)
        except OSError as error:
            seen[f"refused: {error}"] += 1
            continue
        try:
            for _ in range(random.randrange(1, 400)):
                item = random.randrange(500)
                writer.write(world.head("GET", f"/items/{item}", f"203.0.{number}.1", f"key-{number}"))
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                body = await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
                is_right = head.startswith(b"http/1.1 200") and b'"/items/%d"' % item in body
                seen["right" if is_right else "wrong"] += 1
                if b"connection: close" in head or is_over():
                    break
                await asyncio.sleep(0.005)
        except (OSError, asyncio.IncompleteReadError) as error:
            seen[f"lost: {error!r}"] += 1
        writer.transport.abort()


async def hand_overs(world, times):
    for _ in range(times):
        old = world.shadow
        world.shadow = world.start_shadow()
        await asyncio.sleep(1.5)
        old.terminate()
        while old.poll() is None:
            await asyncio.sleep(0.05)
        seen["hand-overs"] += 1


async def jumps(world, clocks):
    rose = time.monotonic()
    for program in ("shadow", "ramp"):
        for jump in ("+3600", "+0", "-3600", "+86400", "+0"):
            before = len(world.decisions())
            pathlib.Path(clocks[program]).write_text(jump)
            await asyncio.sleep(20)
            since = [decision["decision"] for decision in world.decisions()[before:]]
            seen["jumps"] += 1
            if "advance" in since:
                seen["rose too soon" if time.monotonic() - rose < 60 else "rose in time"] += 1
                rose = time.monotonic()
            print(f"{program} {jump}: {since or 'no decision'}", flush=True)
            if world.ramp.poll() is not None:
                return


async def main():
    options = argparse.ArgumentParser()
    options.add_argument("tierup")
    options.add_argument("what", choices=("hand-over", "clock"))
    options.add_argument("library", nargs="?")
    options.add_argument("--times", type=int, default=20)
    options = options.parse_args()
    is_clock = options.what == "clock"
    print(machine())
    steps = is_clock and "10%,15%,20%,25%,99%"
    with World(options.tierup, steps, shadow=() if is_clock else ("--reuse-port",), faked=options.library) as world:
        await world.ready()
        is_done = False
        crowd = asyncio.gather(*[client(world, number, lambda: is_done) for number in range(8 if is_clock else 32)])
        if is_clock:
            while len(world.decisions()) < 2:
                await asyncio.sleep(0.2)
            await jumps(world, world.clocks)
            print(world.why(4))
        else:
            await hand_overs(world, options.times)
        is_done = True
        await crowd
    print(dict(seen))
    did_nothing = is_clock and not seen["rose in time"]
    raise SystemExit(did_nothing or any(word.startswith(("wrong", "lost", "refused", "rose too soon")) for word in seen))


asyncio.run(main())
