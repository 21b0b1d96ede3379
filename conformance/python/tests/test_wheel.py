"""The package as a wheel: for machines that have neither Rust nor this folder."""

import os
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / ".tierup/python"

SCRIPT = """
import conformance
for tier in ("3:native", "2:core", "1:pool", "1:spawn"):
    with conformance.bind(tier=tier) as c:
        assert c.echo_text("x") == "x" and c.echo_point(conformance.Point(1.0, 2.0)) == conformance.Point(1.0, 2.0)
print(conformance.__file__)
"""


def test_a_wheel_has_everything_that_was_built(tmp_path):
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", str(tmp_path), str(PACKAGE)], check=True)
    [wheel] = tmp_path.iterdir()
    # The wheel is for every Python from 3.9 on.
    assert wheel.name.startswith("conformance-0.1.0-cp39-abi3-")
    # `built.json` is in the wheel, and in no other place.
    assert not (PACKAGE / "src/conformance/built.json").exists()

    there = tmp_path / "installed"
    subprocess.run([*pip, "install", "--no-deps", "--target", str(there), str(wheel)], check=True)
    # PYTHONPATH comes before the link to this folder, which the environment also has.
    environment = {**os.environ, "PYTHONPATH": str(there)}
    ended = subprocess.run([sys.executable, "-c", SCRIPT], env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(str(there))
    program = subprocess.run([there / "bin/conformance", "echo-text", "x"], env=environment, capture_output=True, text=True)
    assert (program.returncode, program.stdout) == (0, "x\n"), program.stderr
