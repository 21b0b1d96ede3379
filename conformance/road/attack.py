#!/usr/bin/env python3
"""Attacks ramps from 20 addresses: `attack.py TIERUP [--tries 9] [--first 0] [--kinds a,b] [--beside 3] [--seconds 75]
[--private]`.

Each try is a world of its own: a candidate as good as control, ordinary traffic, and an attacker who knows what each side is, takes keys
until they are on the side that he wants, and sends the worst of his kind. He wins if the ramp ends, or if it rises before its time. In `hide`
the candidate is bad, and he wins if it rises. With `--private` everybody's address is a private one, as on a company's network, and the
trusted proxy reports it all the same.
"""
import argparse
import asyncio
import itertools
import random
import re
import time

from world import World, machine

NUMBER = 20
PUBLIC, PRIVATE = "198.51", "10.0"


class Attacker:
    def __init__(self, world):
        self.world = world
        self.keys = {}
        self.sent = 0

    async def key(self, address, side):
        """A key of this address on that side. The header `Server` tells the side; weights only rise, so the candidate's keys stay with it."""
        known = self.keys.setdefault((address, side), [])
        if known and random.random() < 0.7:
            return random.choice(known)
        for _ in range(60):
            key = f"odd-{random.getrandbits(64):x}"
            answer = await self.ask("GET", "/items/1", address, key)
            found = re.search(rb"server: (\w+)", answer.lower())
            if found and found[1].decode() == side:
                known.append(key)
                return key
        return None

    async def ask(self, *arguments, **more):
        self.sent += 1
        try:
            return await self.world.ask(*arguments, **more)
        except OSError:
            return b""

    async def sided(self, side, method, target, address, **more):
        key = await self.key(address, side)
        if key:
            await self.ask(method, target, address, key, **more)


# Each kind of attack is one request from one address, which is repeated from all addresses at the same time.


async def time_outs(he, address):
    """forged time-outs: on the candidate's side, something slow, and gone after 1.2 s"""
    await he.sided("candidate", "GET", "/slow?ms=3000", address, leave=1.2)


async def owed(he, address):
    """bodies owed: a length, or chunks, and no end; gone after 1.2 s"""
    headers, body = random.choice(((["Content-Length: 5"], b""), (["Transfer-Encoding: chunked"], b"1\r\nx\r\n"), (["Content-Length: 9"], b"1")))
    await he.sided("candidate", "GET", f"/items/{random.randrange(500)}", address, headers=headers, body=body, leave=1.2)


async def leaves(he, address):
    """leaving at once: on the candidate's side, after 0 to 0.9 s"""
    target = random.choice(("/slow?ms=1000", "/slow?ms=1000", f"/items/{random.randrange(500)}"))
    await he.sided("candidate", "GET", target, address, leave=random.choice((0.001, 0.3, 0.9)))


async def fails(he, address):
    """requests that every server answers with 500, on the candidate's side"""
    await he.sided("candidate", "GET", f"/fail?{random.random()}", address)


async def odd(he, address):
    """what servers treat differently: If-None-Match (304, control 200), heads of 17,000 bytes (431, control 200), Range (200, control 206)"""
    headers = random.choice((["If-None-Match: *"], ["X-Long: " + "x" * 17_000], ["Range: bytes=0-3"]))
    method = random.choice(("GET", "GET", "HEAD"))
    await he.ask(method, f"/items/{random.randrange(500)}", address, f"{address}-{random.random()}", headers=headers)


async def noise(he, address):
    """answers that differ each time, plain and compressed"""
    await he.ask("GET", random.choice(("/now", "/now", f"/now/{random.random()}", "/other-bomb")), address, f"{address}-{random.random()}")


async def slow(he, address):
    """slow reads, heads and bodies that trickle, connections that never end, and a flood of HEAD, on the candidate's side"""
    key = await he.key(address, "candidate")
    how = random.randrange(4)
    if how == 0:
        await asyncio.gather(*[he.ask("HEAD", "/big", address, key) for _ in range(20)])
        return
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", he.world.port, limit=1024)
        head = he.world.head(*(("POST", "/items/1") if how == 2 else ("GET", "/big")), address, key, headers=["Content-Length: 20"] if how == 2 else [])
        if how == 1:
            writer.write(head)
            for _ in range(20):
                await reader.read(512)
                await asyncio.sleep(0.3)
        else:
            for byte in itertools.islice(head if how == 3 else head + b"x" * 20, 0, len(head) + 19, 7):
                writer.write(bytes([byte]) * (how == 3) or head[:1])
                await asyncio.sleep(0.1)
        writer.transport.abort()
    except OSError:
        pass


async def tricks(he, address):
    """hop-by-hop names, forged addresses, two keys, upgrades, other methods, requests in one packet, framing"""
    headers = random.choice((
        ["Connection: close, cookie, x-forwarded-for"], ["Connection: x-tierup-shadow", "X-Tierup-Shadow: 1"], ["Cookie: session=a; session=b"],
        ["Connection: upgrade", "Upgrade: websocket"], ["Forwarded: for=192.0.2.9", "X_Forwarded_For: 192.0.2.9", "X-Real-IP: 192.0.2.9"],
        ["Transfer-Encoding: chunked", "Content-Length: 4"], ["Content-Length: 4", "Content-Length: 5"], ["TE: trailers", "Trailer: x"],
        ["Expect: 100-continue", "Content-Length: 3"], ["Host: elsewhere"]))
    method = random.choice(("GET", "GET", "POST", "PUT", "OPTIONS", "TRACE", "DELETE", "HEAD"))
    forged = ".".join(str(random.randrange(1, 255)) for _ in range(4))
    body = random.choice((b"", b"0\r\n\r\n", b"abc", he.world.head("GET", "/fail", address) * 3))
    await he.sided("candidate", method, random.choice(("/slow?ms=2000", "/fail", "/items/7", "*", "http://elsewhere/x")), address,
                   headers=headers, body=body, forged=forged, leave=random.choice((0.2, 1.2)))


async def work(he, address):
    """what costs far more than others' requests, on the candidate's side; and large compressed answers"""
    target = random.choice(("/work?ms=30", "/work?ms=30", "/work?ms=30", "/bomb", "/wide"))
    await he.sided("candidate", "GET", target, address)
    await asyncio.sleep(1)


async def dear(he, address):
    """few requests that cost far more than others', on the candidate's side: one a second, so that it has hardly more to do in numbers"""
    await asyncio.sleep(random.uniform(0, 40))
    await he.sided("candidate", "GET", "/work?ms=200", address)


async def late(he, address):
    """answers that take 1.5 s, read to the end, so many that they are most of the candidate's"""
    await asyncio.gather(*[he.sided("candidate", "GET", "/slow?ms=1500", address) for _ in range(8)])


async def everything(he, address):
    """all of these in turn"""
    await random.choice((time_outs, owed, leaves, fails, odd, noise, tricks))(he, address)


async def hide(he, address):
    """to hide a bad candidate (5 % answer 500): failures on control's side, and good answers on the candidate's"""
    if random.random() < 0.5:
        await he.sided("control", "GET", "/fail", address)
    else:
        await he.sided("candidate", "GET", f"/items/{random.randrange(500)}", address)


async def nothing(he, address):
    """no attack: what the ramp does by itself"""
    await asyncio.sleep(1)


async def alone(he, address):
    """no attack, and the bad candidate of `hide`: how often it rises by itself"""
    await asyncio.sleep(1)


KINDS = {kind.__name__: kind for kind in (time_outs, owed, leaves, fails, odd, noise, slow, tricks, work, dear, late, everything, hide, nothing, alone)}
#: The kinds with a bad candidate, and the kinds without an attack.
BAD, CONTROLS = (hide, alone), ("nothing", "alone")
#: The steps of the ramps, in turns.
STEPS = ("10%,99%", "1%,99%", "50%,99%")
HOLD = 5


async def one(tierup, kind, number, seconds, is_private):
    addresses = [f"{PRIVATE if is_private else PUBLIC}.{100 + number}.7" for number in range(NUMBER)]
    with World(tierup, STEPS[number % len(STEPS)], is_bad=kind in BAD, is_private=is_private) as world:
        await world.ready()
        ends = time.time() + seconds
        is_over = lambda: time.time() > ends or world.ramp.poll() is not None
        he = Attacker(world)

        async def from_address(address):
            # In every second try, the attack begins after the first step, so until then the judge knows only ordinary traffic.
            while number % 2 and not is_over() and len(world.decisions()) < 2:
                await asyncio.sleep(0.2)
            while not is_over():
                await kind(he, address)
                await asyncio.sleep(0.05)

        await asyncio.gather(world.people(until=is_over), *map(from_address, addresses))
        decisions = world.decisions()
        ended = [" ".join(decision["reasons"]) for decision in decisions if decision["decision"] == "roll back"]
        rises = [decision["at"] for decision in decisions if decision["decision"] in ("begin", "advance", "ready")]
        is_early = any(later - earlier < HOLD for earlier, later in itertools.pairwise(rises))
        told = " > ".join(decision["decision"] for decision in decisions)
        print(f"{kind.__name__} {number} ({STEPS[number % len(STEPS)]}): {told or 'held'}; {he.sent} requests of his", flush=True)
        print("   ", "; ".join(ended) or world.why().replace("\n", "\n    "), flush=True)
        return kind, bool(ended), (is_early or len(rises) > 2) if kind in BAD else is_early


async def main():
    options = argparse.ArgumentParser()
    options.add_argument("tierup")
    options.add_argument("--tries", type=int, default=9)
    options.add_argument("--first", type=int, default=0, help="the number of the first try of each kind")
    options.add_argument("--kinds", default=",".join(name for name in KINDS if name not in CONTROLS))
    options.add_argument("--beside", type=int, default=3)
    options.add_argument("--seconds", type=float, default=75)
    options.add_argument("--private", action="store_true")
    options = options.parse_args()
    print(f"{machine()}; {NUMBER} {'private' if options.private else 'public'} addresses")
    places = asyncio.Semaphore(options.beside)

    async def placed(kind, number):
        async with places:
            return await one(options.tierup, kind, number, options.seconds, options.private)

    kinds = [KINDS[name] for name in options.kinds.split(",")]
    ends = await asyncio.gather(*[placed(kind, number) for number in range(options.first, options.first + options.tries) for kind in kinds])
    print("\n| kind | tries | ramps ended | advanced early |\n|---|---|---|---|")
    for kind in kinds:
        of = [end for end in ends if end[0] is kind]
        print(f"| {kind.__doc__} | {len(of)} | {sum(end[1] for end in of)} | {sum(end[2] for end in of)} |")


asyncio.run(main())
