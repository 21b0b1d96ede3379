"""Packages in which something was built, or seems to be."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from conformance._interface import ABI

HERE = Path(__file__).parent


class Package:
    """A copy of the package with this record of what was built, and with `program` as its executable.

    Code that uses it runs in a process of its own, as a process can load only one package of a name.
    """

    def __init__(self, variants, abi=ABI, program=None):
        self.folder = Path(tempfile.mkdtemp(prefix="tierup-"))
        shutil.copytree(os.environ["PACKAGE"], self.folder, dirs_exist_ok=True)
        record = {"abi": abi, "variants": variants}
        (self.folder / "built.json").write_text(json.dumps(record))
        if program is not None:
            artifacts = self.folder / "src/conformance/artifacts"
            artifacts.mkdir()
            (artifacts / "conformance").write_text(program)
            (artifacts / "conformance").chmod(0o755)

    def run(self, code, **environment):
        """The code's standard output and standard error."""
        ended = self.end(code, **environment)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout, ended.stderr

    def end(self, code, **environment):
        head = "import conformance, os, sys, threading, time\nfrom conformance import *\n"
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("TIERUP_")}
        paths = os.pathsep.join([str(self.folder / "src"), str(HERE)])
        return subprocess.run(
            [sys.executable, "-W", "error::ResourceWarning", "-c", head + code],
            env={**inherited, "PYTHONPATH": paths, **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )

    def close(self):
        shutil.rmtree(self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def built(*names):
    return {name: {"built": True} for name in names}
