"""The functions that stand for Rust's at tier 0: they take the same bodies, and find the same sums."""

import json
import os
import random

import json_sum
import pytest

import deep
import sum_items
import sum_items_tuned
from bad_body import BadBody

pytestmark = pytest.mark.skipif("TIERUP_URL" in os.environ, reason="TIERUP_URL names another server")

# A call at `1:spawn` takes milliseconds.
BODIES = 300 if os.environ.get("TIERUP_TIER", "").startswith("1") else 5_000

VALUES = ["0", "-0", "1", "7", "-42", "1000", "1.0", "2e3", "1.5", "5e-1", "50e-1", "1e400", "0.99999999999999999999"]
VALUES += ["4503599627370495", "9007199254740991", "-9007199254740993", "9007199254740991.4", "1" * 5000]
OTHERS = ["null", "true", '""', '"1"', "[]", "{}", '[[1],{"a":2}]', r'"\ud83e\udd80"', r'"\udc00"', "[" * 2000 + "]" * 2000]
KEYS = ["items", "items", "value", "value", "x", "é🦀", "", r"\u0069tems", r"valu\u0065", r"\ud800"]
SCRAPS = [*'{}[]",:\\0123456789.-+eEu \t\n\0é', '"items":', '"value":', "\ufeff", "null,", "NaN", "Infinity", "1e"]


def bodies():
    """Good ones, and what small changes make of them; always the same."""
    choose = random.Random(20_261_121)
    for _ in range(BODIES):
        body = document(choose).encode()
        for _ in range(choose.choice([0, 0, 1, 2])):
            at = choose.randrange(len(body) + 1)
            scrap = choose.choice([choose.choice(SCRAPS).encode(), body[max(0, at - 3) : at], bytes([choose.randrange(256)])])
            body = body[:at] + scrap + body[at + choose.randrange(4) :]
        yield body


def document(choose):
    def value():
        return choose.choice(VALUES[:8] if choose.random() < 0.9 else VALUES + OTHERS)

    def more():
        return f'"{choose.choice(KEYS)}":{choose.choice(VALUES + OTHERS)},' if choose.random() < 0.15 else ""

    def item():
        return f'{{{more()}"value":{value()}}}' if choose.random() < 0.98 else choose.choice(OTHERS)

    items = (" , " if choose.random() < 0.2 else ",").join(item() for _ in range(choose.randrange(6)))
    return f'{{{more()}"items":[{items}]}}'


def outcome(function, body):
    """The sum; which body is refused is what counts, not the words."""
    try:
        return function(body)
    except (BadBody, json_sum.CallError):
        return "refused"


def test_all_take_the_same_bodies_and_find_the_same_sums():
    tuned = {"tuned": "sum_items_tuned:sum_items"}
    sums = 0
    with json_sum.bind(baseline="sum_items:sum_items", baselines=tuned) as rust:
        for body in bodies():
            expected = outcome(sum_items.sum_items, body)
            assert outcome(rust.sum_items, body) == expected, body[:500]
            assert outcome(sum_items_tuned.sum_items, body) == expected, body[:500]
            sums += expected != "refused"
    # Otherwise this shows little.
    assert 0.2 * BODIES < sums < 0.9 * BODIES


def test_what_reads_any_depth_reads_as_json_does():
    good = 0
    for body in bodies():
        text = body.decode(errors="replace")
        try:
            expected = read(sum_items.decoder.decode, text)
        except RecursionError:
            # Here `json` cannot say; that is what `deep` is for.
            continue
        assert read(lambda text: deep.decode(text, sum_items.decoder), text) == expected, text[:500]
        good += expected != "refused"
    assert good > 0.2 * BODIES


def read(decode, text):
    try:
        return json.dumps(decode(text))
    except ValueError:
        return "refused"
