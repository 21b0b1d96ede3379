"""Exits with 0 if all requirements in the arguments, or in the files after -r, are installed for this interpreter. A
line that it does not understand counts as missing: installing once too often is harmless."""

import importlib.metadata
import json
import os
import pathlib
import re
import sys

try:
    from packaging.requirements import Requirement
except ImportError:
    try:
        from pip._vendor.packaging.requirements import Requirement
    except ImportError:
        Requirement = None


def distribution(name):
    try:
        return importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def holds(text, extra=""):
    if Requirement is None:
        plain = re.fullmatch(r"([A-Za-z0-9._-]+)(?:\s*==\s*([A-Za-z0-9.!+]+))?", text)
        there = plain and distribution(plain[1])
        return bool(there) and plain[2] in (None, there.version)
    requirement = Requirement(text)
    if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
        return True
    there = distribution(requirement.name)
    return (
        there is not None
        and requirement.specifier.contains(there.version, prereleases=True)
        and brings(there, requirement.extras)
    )


def brings(there, extras):
    return all(holds(text, extra) for extra in extras for text in there.requires or ())


def folder_holds(text, base):
    path, _, extras = text.partition("[")
    url = pathlib.Path(os.path.join(base, path)).resolve().as_uri()
    for there in importlib.metadata.distributions():
        direct = json.loads(there.read_text("direct_url.json") or "{}")
        if direct.get("url", "").rstrip("/") == url:
            return brings(there, [extra.strip() for extra in extras.rstrip("]").split(",") if extra])
    return False


def file_holds(name):
    base = os.path.dirname(os.path.abspath(name))
    with open(name, encoding="utf-8") as file:
        lines = file.read().replace("\\\n", " ").splitlines()
    return all(line_holds(re.sub(r"(^|\s)#.*", "", line).strip(), base) for line in lines)


def line_holds(line, base):
    option, _, rest = line.partition(" ")
    if option in ("-r", "--requirement"):
        return file_holds(os.path.join(base, rest.strip()))
    if option in ("-e", "--editable"):
        return folder_holds(rest.strip(), base)
    # Where a package came from does not matter once it is installed.
    if not line or line.startswith("-"):
        return True
    line = re.split(r"\s+--hash", line)[0]
    if line.startswith((".", "/")):
        return folder_holds(line, base)
    return holds(line)


def main(arguments):
    if arguments[:1] == ["-r"]:
        return all(file_holds(name) for name in arguments[1:])
    return all(holds(text) for text in arguments)


try:
    sys.exit(0 if main(sys.argv[1:]) else 1)
except Exception as error:
    sys.exit(str(error))
