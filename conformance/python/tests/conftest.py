"""Every variant, each of which must be built."""

import json
from pathlib import Path

import pytest

import conformance

RECORD = json.loads((Path(__file__).parents[2] / ".tierup/python/built.json").read_text())

# All variants in Rust that can run a call of the package. All must be built, as the tests would pass without testing one that is not.
VARIANTS = ["1:spawn", "1:pool", "2:core", "3:native", "3:async"]

MISSING = [name for name in VARIANTS if not RECORD["variants"].get(name, {}).get("built")]
UNKNOWN = [name for name, entry in RECORD["variants"].items() if entry["built"] and name not in VARIANTS]
if MISSING:
    reasons = {name: RECORD["variants"].get(name, {}).get("reason", "not asked for") for name in MISSING}
    raise SystemExit(f"not built: {reasons}: run `tierup build` first")
if UNKNOWN:
    raise SystemExit(f"built, but not tested here: {', '.join(UNKNOWN)}: name it in {__file__}")


@pytest.fixture(scope="module", params=VARIANTS)
def tier(request):
    return request.param


@pytest.fixture(scope="module")
def c(tier):
    """The package bound to a variant."""
    with conformance.bind(tier=tier) as binding:
        yield binding


@pytest.fixture
def path(tmp_path):
    """Of a rollout's control file."""
    return tmp_path / "rollout"
