"""What type checkers see."""

import subprocess
import sys
from pathlib import Path


def test_the_stubs_are_right_and_no_wider_than_they_must_be():
    package = Path(__file__).parents[2] / ".tierup/python/src/conformance"
    targets = [str(Path(__file__).parent / "typed.py"), str(package / "__init__.pyi"), str(package / "_types.py")]
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--warn-unused-ignores", "--cache-dir=/dev/null", *targets],
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
