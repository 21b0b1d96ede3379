"""Every variant that was built."""

import json
from pathlib import Path

import pytest

import conformance

RECORD = json.loads((Path(__file__).parents[2] / ".tierup/python/built.json").read_text())

# The variants that run inside a call of the package, e.g. `3:native`.
BUILT = [name for name, entry in RECORD["variants"].items() if entry["built"] and name != "4:server"]
if len(BUILT) < 4:
    raise SystemExit(f"built are only {', '.join(BUILT)}: run `tierup build` first")


@pytest.fixture(scope="module", params=BUILT)
def tier(request):
    return request.param


@pytest.fixture(scope="module")
def c(tier):
    """The package bound to a variant."""
    with conformance.bind(tier=tier) as binding:
        yield binding
