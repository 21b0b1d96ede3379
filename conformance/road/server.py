"""The smallest server that the scripts of this folder need: HTTP/1.1 over asyncio, the same answers on every side.

    python3 server.py NAME PORT [bad]

The sides differ as two real servers do in what is no function's: `Server` (so a client learns its side), the longest head, conditions
and ranges. With `bad`, every twentieth answer is a 500.
"""
import asyncio
import gzip
import json
import random
import sys
import time
import urllib.parse

ROWS = json.dumps([{"id": number, "name": f"row {number}", "price": number * 7 % 1000 / 10} for number in range(30_000)])
BOMBS = [gzip.compress(f"{ROWS[:-1]}, {number}]".encode(), 1) for number in range(8)]  # 1.7 MB of JSON, each another
WIDE = gzip.compress(b"x" * (16 << 20), 9)


def work(milliseconds):
    ends = time.thread_time() + milliseconds / 1000
    while time.thread_time() < ends:
        pass


async def answer(name, path, query, head):
    """The status, further headers and the body."""
    is_candidate = name == "candidate"
    number = lambda key, most: min(float(query.get(key, 0)), most)
    if len(head) > (8_000 if is_candidate else 30_000):
        return 431, [], b"too long\n"
    if is_candidate and b"\r\nif-none-match:" in head.lower():
        return 304, [], b""
    if not is_candidate and b"\r\nrange:" in head.lower():
        return 206, ["Content-Range: bytes 0-3/16"], b"part"
    match path.split("/")[1]:
        case "items":
            return 200, [], json.dumps({"path": path, "price": sum(path.encode()) % 100, "tags": ["a", "b"]}).encode()
        case "search" | "slow" | "rest":
            await asyncio.sleep(number("ms", 3_000) / 1000)
            return 200, [], b"slow\n"
        case "work":
            work(number("ms", 200))
            return 200, [], b"worked\n"
        case "poll":
            await asyncio.sleep(number("s", 60))
            return 200, [], b"polled\n"
        case "now":
            return 200, [], json.dumps({"now": time.time(), "odd": random.random()}).encode()
        case "big":
            return 200, [], b"0123456789abcdef" * 60_000
        case "bomb":
            return 200, ["Content-Encoding: gzip"], BOMBS[0]
        case "other-bomb":
            return 200, ["Content-Encoding: gzip"], random.choice(BOMBS)
        case "wide":
            return 200, ["Content-Encoding: gzip"], WIDE
        case "fail":
            return 500, [], b"failed\n"
    return 404, [], b"nothing\n"


async def serve(name, is_bad, reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            method, target, _ = head.split(b"\r\n")[0].decode("latin-1").split(" ")
            url = urllib.parse.urlsplit(target)
            length = 0
            for line in head.lower().split(b"\r\n"):
                if line.startswith(b"content-length:"):
                    length = int(line[15:])
                if line.startswith(b"transfer-encoding:"):
                    while (size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16)) > 0:
                        await reader.readexactly(size + 2)
                    await reader.readuntil(b"\r\n")
            await reader.readexactly(length)
            status, headers, body = await answer(name, url.path, dict(urllib.parse.parse_qsl(url.query)), head)
            if is_bad and random.random() < 0.05:
                status = 500
            headers = ["HTTP/1.1 %d -" % status, f"Server: {name}", "Content-Type: application/json", *headers]
            if status != 304:
                headers.append(f"Content-Length: {len(body)}")
            writer.write("\r\n".join([*headers, "", ""]).encode() + (b"" if method == "HEAD" else body))
            await writer.drain()
    except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError, OSError):
        pass
    finally:
        writer.close()


async def main():
    name, port, is_bad = sys.argv[1], int(sys.argv[2]), "bad" in sys.argv[3:]
    handle = lambda reader, writer: serve(name, is_bad, reader, writer)
    async with await asyncio.start_server(handle, "127.0.0.1", port, limit=1 << 20, backlog=4096) as server:
        await server.serve_forever()


asyncio.run(main())
