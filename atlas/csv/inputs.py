"""Writes the inputs: orders that were made up, as CSV.

`python3 inputs.py`, in this folder. The same bytes each time.
"""

import csv
from pathlib import Path
from random import Random

# The number of orders in each size.
SIZES = {"small": 20, "medium": 600, "large": 6_000}
CITIES = ["Lima", "Oslo", "Kyōto", "Wien", "Accra", "Québec", "Frankfurt, Main", "Washington, D.C.", "Perth", "Pune"]
NAMES = ["Ada", "Bo", "Chi", "Dov", "Eve", 'Jo "Joe"', "Kim", "Lea"]


def main() -> None:
    Path("inputs").mkdir(exist_ok=True)
    for size, count in SIZES.items():
        random = Random(size)
        with open(f"inputs/{size}.csv", "w", encoding="utf-8", newline="") as file:
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(["order", "date", "customer", "city", "items", "amount"])
            for number in range(count):
                date = f"2026-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}"
                city, name = random.choice(CITIES), random.choice(NAMES)
                rows.writerow([100_000 + number, date, name, city, random.randrange(1, 9), random.randrange(99, 99_999)])


if __name__ == "__main__":
    main()
