#!/usr/bin/env python3
"""How fast the page of a large profile is painted, and how much memory a large file takes.

Writes 100,000 distinct stacks and a file of 50 MB of stacks, lets `tierup profile` make pages of both, and opens them in
Chromium, light and dark, with an empty cache each time. Exits with 1 if a page takes 2 s or more to its first paint.

    conformance/profile/flame.py [--runs 5] [--tierup target/release/tierup] [--chromium chromium]
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LONGEST = 2.0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5, help="of each page")
    parser.add_argument("--tierup", default=str(HERE.parents[1] / "target/release/tierup"))
    parser.add_argument("--chromium", default="chromium")
    options = parser.parse_args()
    tierup = shutil.which(options.tierup)
    if tierup is None:
        parser.error(f"there is no program {options.tierup}: build it, or name it with --tierup")
    slowest = 0.0
    with tempfile.TemporaryDirectory(prefix="tierup-flame-") as folder:
        for name, stacks, least in [("100,000 stacks", 100_000, 0), ("50 MB of stacks", 0, 50_000_000)]:
            file, page = Path(folder) / "stacks.txt", Path(folder) / "page.html"
            lines = write(file, stacks, least)
            seconds, peak, output = made(tierup, file, page)
            if output is not None:
                print(f"{name}: refused: {output}")
                continue
            size = file.stat().st_size / 1e6
            print(f"{name}: {lines:,} lines, {size:.1f} MB; page of {page.stat().st_size / 1e6:.1f} MB after {seconds:.1f} s, "
                  f"peak memory {peak / 1e6:.0f} MB")
            for scheme in ["light", "dark"]:
                opened = [shown(options.chromium, page, scheme) for _ in range(options.runs)]
                slowest = max(slowest, *(paint for paint, _ in opened))
                paint, graph = (spread([one[place] for one in opened]) for place in (0, 1))
                print(f"  {scheme}: first paint after {paint}, the graph is there after {graph}; {options.runs} runs")
    sys.exit(0 if slowest < LONGEST else 1)


def spread(seconds):
    return f"{statistics.median(seconds):.2f} s [{min(seconds):.2f}, {max(seconds):.2f}]"


def write(file, stacks, least):
    """Writes distinct stacks, nine calls deep, until there are `stacks` of them and `least` bytes. As in real profiles, few are hot."""
    lines = size = 0
    with open(file, "w") as out:
        while lines < stacks or size < least:
            frames = [f"f{depth}_{lines % (10 + 5 * depth**3)} (/srv/app/m{depth}.js:{depth + 1})" for depth in range(8)]
            line = ";".join(frames) + f";leaf{lines} (/srv/app/leaf.js:{lines + 1}) {1 + 1000 // (lines + 1)}\n"
            out.write(line)
            lines, size = lines + 1, size + len(line)
    return lines


def made(tierup, file, page):
    """Makes a page. Returns the seconds, the peak memory in bytes, and the message if `tierup` refused."""
    page.unlink(missing_ok=True)
    began = time.monotonic()
    process = subprocess.Popen(
        [tierup, "profile", str(file), "--host", "node", "--sample", "1", "--format", "html", "--output", str(page)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    refused = said.strip().splitlines()[0] if process.returncode != 0 else None
    return time.monotonic() - began, usage.ru_maxrss * 1024, refused


def shown(chromium, page, scheme):
    """Seconds from the start of the navigation to the first paint, and to the end of the page's script, which draws the
    graph. Both are measured by the browser's own clock."""
    with tempfile.TemporaryDirectory(prefix="tierup-chromium-") as profile:
        (to_read, to_write), (from_read, from_write) = os.pipe(), os.pipe()

        def descriptors():
            # These copies get numbers above 4, so that the two `dup2` below close neither of them.
            read, write = os.dup(to_read), os.dup(from_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        process = subprocess.Popen(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--no-first-run", f"--user-data-dir={profile}", "--window-size=1280,900", "about:blank"],
            preexec_fn=descriptors, close_fds=False, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            # Files that it leaves behind when it is killed are removed with its profile.
            env=os.environ | {"TMPDIR": profile},
        )
        os.close(to_read)
        os.close(from_write)
        browser = Pipe(os.fdopen(to_write, "wb"), os.fdopen(from_read, "rb"))
        try:
            targets = browser.call("Target.getTargets")["targetInfos"]
            target = next(one["targetId"] for one in targets if one["type"] == "page")
            session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            scheme = [{"name": "prefers-color-scheme", "value": scheme}]
            browser.call("Emulation.setEmulatedMedia", session, features=scheme)
            browser.call("Page.enable", session)
            browser.call("Page.navigate", session, url=page.as_uri())
            asked = "performance.getEntriesByType('paint').find((it) => it.name === 'first-paint')?.startTime ?? 0"
            ended = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
            boxes = "document.querySelectorAll('#flame [data-box]').length"
            for _ in range(600):
                time.sleep(0.1)
                answer = browser.call("Runtime.evaluate", session, expression=f"[{asked}, {ended}, {boxes}]", returnByValue=True)
                painted, drawn, count = answer["result"]["value"]
                if painted > 0 and drawn > 0 and count > 0:
                    return painted / 1000, drawn / 1000
            sys.exit(f"{page} was not painted within a minute")
        finally:
            # Its other processes still write into the folder, which is removed after this.
            process.terminate()
            process.wait()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
                time.sleep(0.5)


class Pipe:
    """Chromium's developer tools over pipes: JSON, each message ended by a zero."""

    def __init__(self, to, back):
        self.to, self.back, self.number = to, back, 0

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self.to.write(json.dumps(message).encode() + b"\0")
        self.to.flush()
        while True:
            received = bytearray()
            while (byte := self.back.read(1)) != b"\0":
                if not byte:
                    sys.exit("Chromium has ended")
                received += byte
            answer = json.loads(received)
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']['message']}")
                return answer["result"]


if __name__ == "__main__":
    main()
