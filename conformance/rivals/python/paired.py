"""Times rows side by side: every round gives each row one slice, in an order of its own. What is compared is compared
within a round, so that whatever else the machine does falls on all of them."""

import random
import time

SLICE = 0.02
ROUNDS = 21


def compare(title, rows):
    """`rows` are (name, call without arguments); the first is what the others are compared with. Prints a table."""
    repeats = {name: _repeats(call) for name, call in rows}
    times = {name: [] for name, _ in rows}
    for _ in range(ROUNDS):
        for name, call in random.sample(rows, len(rows)):
            times[name].append(_slice(call, repeats[name]))
    print(f"\n| {title} | one call | x the first | 10-90 % |\n|---|--:|--:|--:|")
    first = times[rows[0][0]]
    for name, _ in rows:
        ratios = sorted(mine / reference for mine, reference in zip(times[name], first))
        low, middle, high = (ratios[round(part * (ROUNDS - 1))] for part in (0.1, 0.5, 0.9))
        print(f"| {name} | {_time(sorted(times[name])[ROUNDS // 2])} | {middle:.2f} | {low:.2f}-{high:.2f} |", flush=True)


def _repeats(call):
    count = 1
    while count < 1_000_000 and (spent := _slice(call, count) * count) < SLICE:
        count = min(count * 10, max(count + 1, int(count * SLICE / max(spent, 1e-9))))
    return count


def _slice(call, count):
    """Seconds for one call, over `count` of them."""
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def _time(seconds):
    return f"{seconds * 1e6:.2f} us" if seconds < 1e-3 else f"{seconds * 1e3:.2f} ms"
