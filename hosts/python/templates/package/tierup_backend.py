# Made by tierup; the same in every package.
"""How pip installs this package: a build backend of PEP 517 and PEP 660 that delegates to two others.

`pip install -e .` makes a link to this folder with flit_core. It compiles nothing, and later builds of `tierup build`
are found. `pip install .` and `pip wheel .` make a wheel with everything that was built, for other machines of this
kind; maturin compiles the extension module for it.
"""

import shutil
from pathlib import Path

HERE = Path.cwd()
MATURIN = "maturin >=1.9,<2"


def get_requires_for_build_editable(config_settings=None):
    return []


def prepare_metadata_for_build_editable(metadata_directory, config_settings=None):
    from flit_core import buildapi

    return buildapi.prepare_metadata_for_build_editable(metadata_directory, config_settings)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    from flit_core import buildapi

    return buildapi.build_editable(wheel_directory, config_settings, metadata_directory)


def get_requires_for_build_wheel(config_settings=None):
    return [MATURIN]


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    import maturin

    return maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    import maturin

    # The record is beside this package's source in place, and within it in a wheel.
    record = HERE / "built.json"
    if not record.exists():
        raise SystemExit("nothing was built yet: run `tierup build` first")
    [package] = [folder for folder in (HERE / "src").iterdir() if (folder / "_interface.py").exists()]
    copy = package / "built.json"
    shutil.copyfile(record, copy)
    try:
        return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    finally:
        copy.unlink()
