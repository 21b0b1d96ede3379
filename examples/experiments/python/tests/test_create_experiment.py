"""This folder's own functions, without a server around them: the contract's cases, at `0` and at `0:tuned`."""

import json
import os
import random
import subprocess
from pathlib import Path

import pytest
from experiments import OutcomeInvalid, OutcomeMalformed, OutcomeValid

import create_experiment
import create_experiment_tuned
from number_json import number_json

pytestmark = pytest.mark.skipif("TIERUP_URL" in os.environ, reason="TIERUP_URL names another server")

CASES = json.loads((Path(__file__).parent.parent.parent / "contract.json").read_text(encoding="utf-8"))
OUTCOMES = {200: OutcomeValid, 400: OutcomeMalformed, 422: OutcomeInvalid}


def bytes_of(case):
    if "hex" in case:
        return bytes.fromhex(case["hex"])
    body = case["body"]
    return (body if isinstance(body, str) else "".join(text * times for text, times in body)).encode()


@pytest.fixture(params=[create_experiment, create_experiment_tuned], ids=["0", "0:tuned"])
def create(request):
    return request.param.create_experiment


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_the_contract(create, case):
    assert create(bytes_of(case)) == OUTCOMES[case["status"]](case["answer"])


def test_the_tuned_one_reads_most_of_what_is_right():
    right = [case for case in CASES if case["status"] == 200]
    read = [case for case in right if create_experiment_tuned.quickly(bytes_of(case), None) == case["answer"].encode()]
    assert len(read) > 0.7 * len(right)


def test_the_contract_has_its_cases():
    assert len(CASES) >= 150


def test_a_fingerprint_is_the_md5_of_name_and_time(create):
    def named(name):
        return OutcomeValid(CASES[0]["answer"].replace("new_home_page", name))

    body = bytes_of(CASES[0])
    # $ printf new_home_page-1700000000 | md5sum
    assert create(body, 1_700_000_000) == named("8cee5114650cd4092bbf5ccb020dd8c1")
    assert create(body, None) == named("new_home_page")


def test_numbers_are_written_as_javascript_writes_them():
    choose = random.Random(1)
    numbers = [0.0, -0.0, 5e-324, 1e-7, 1e-6, 1.5e-6, 9.999e-7, 1e-5, 0.1 + 0.2, 33.3, 100.0, 65_000.5]
    numbers += [choose.random() * 10.0 ** choose.randrange(-12, 6) for _ in range(2000)]
    script = "console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0)).map(String)))"
    done = subprocess.run(["node", "-e", script], input=json.dumps(numbers), capture_output=True, text=True, check=True)
    assert [number_json(number) for number in numbers] == json.loads(done.stdout)
    assert [float(number_json(number)) for number in numbers] == numbers
