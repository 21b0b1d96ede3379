"""CSV by the module csv, whose reader is written in C."""

import csv
from io import StringIO


def totals(text: str) -> dict[str, float]:
    rows = csv.reader(StringIO(text, newline=""))
    header = next(rows, [])
    if "city" not in header or "amount" not in header:
        return {}
    city, amount = header.index("city"), header.index("amount")
    sums: dict[str, float] = {}
    for row in rows:
        sums[row[city]] = sums.get(row[city], 0.0) + int(row[amount])
    return sums
