"""This folder's own function, without a server around it: the contract's cases."""

import json
import os
import random
import subprocess
from pathlib import Path

import pytest
from experiments import OutcomeInvalid, OutcomeMalformed, OutcomeValid

from create_experiment import create_experiment
from number_json import number_json

pytestmark = pytest.mark.skipif("TIERUP_URL" in os.environ, reason="TIERUP_URL names another server")

CASES = json.loads((Path(__file__).parent.parent.parent / "contract.json").read_text(encoding="utf-8"))
OUTCOMES = {200: OutcomeValid, 400: OutcomeMalformed, 422: OutcomeInvalid}


def bytes_of(case):
    if "hex" in case:
        return bytes.fromhex(case["hex"])
    body = case["body"]
    return (body if isinstance(body, str) else "".join(text * times for text, times in body)).encode()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_the_contract(case):
    assert create_experiment(bytes_of(case)) == OUTCOMES[case["status"]](case["answer"])


def test_the_contract_has_its_cases():
    assert len(CASES) >= 150


def test_a_fingerprint_is_the_md5_of_name_and_time():
    def named(name):
        return OutcomeValid(CASES[0]["answer"].replace("new_home_page", name))

    body = bytes_of(CASES[0])
    # $ printf new_home_page-1700000000 | md5sum
    assert create_experiment(body, 1_700_000_000) == named("8cee5114650cd4092bbf5ccb020dd8c1")
    assert create_experiment(body, None) == named("new_home_page")


def test_numbers_are_written_as_javascript_writes_them():
    choose = random.Random(1)
    numbers = [0.0, -0.0, 5e-324, 1e-7, 1e-6, 1.5e-6, 9.999e-7, 1e-5, 0.1 + 0.2, 33.3, 100.0, 65_000.5]
    numbers += [choose.random() * 10.0 ** choose.randrange(-12, 6) for _ in range(2000)]
    script = "console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0)).map(String)))"
    done = subprocess.run(["node", "-e", script], input=json.dumps(numbers), capture_output=True, text=True, check=True)
    assert [number_json(number) for number in numbers] == json.loads(done.stdout)
    assert [float(number_json(number)) for number in numbers] == numbers
