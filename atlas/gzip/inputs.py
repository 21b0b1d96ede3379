"""Writes the inputs: catalogues of products that were made up, as JSON.

`python3 inputs.py`, in this folder. The same bytes each time.
"""

import json
from pathlib import Path
from random import Random

# The number of products in each size.
SIZES = {"small": 3, "medium": 90, "large": 900}
WORDS = "steel oak blue light quiet folding outdoor kitchen travel winter cotton large small spare round".split()
KINDS = "chair lamp table bottle jacket knife mat shelf clock brush".split()


def product(random: Random) -> dict:
    words = random.sample(WORDS, 3)
    kind = random.choice(KINDS)
    return {
        "sku": f"{random.randrange(16**8):08x}",
        "name": f"{words[0]} {kind}",
        "description": f"A {words[1]} and {words[2]} {kind}, sold in boxes of {random.randrange(1, 25)}.",
        "price_cents": random.randrange(199, 99_900),
        "in_stock": random.random() < 0.8,
        "tags": sorted(words),
    }


def main() -> None:
    Path("inputs").mkdir(exist_ok=True)
    for name, count in SIZES.items():
        random = Random(name)
        products = {"products": [product(random) for _ in range(count)], "page": 1}
        Path(f"inputs/{name}.json").write_text(json.dumps(products) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
