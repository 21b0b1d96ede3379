//! Python's part of the CI file of a package.

use tierup_codegen::{Forge, Pipeline};

use crate::names;

pub(crate) fn pipeline(package: &str, forge: Forge) -> Pipeline {
    let module = names::module(package);
    Pipeline {
        registry: "Python's index",
        setup: "      - uses: actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0\n        with:\n          python-version: \"3.13\"\n",
        // `2:core` needs wasmtime, which not every system has a wheel of.
        call: format!(
            "set -eu\nrm -rf try\npython -m venv try\nPATH=\"$PWD/try/bin:$PWD/try/Scripts:$PATH\"\npython -m pip install --no-index --find-links . {package}\n\
             for tier in 1:spawn 3:native; do\n  \
             TIERUP_TIER=$tier python -c \"import {module}; rust = {module}.bind(); rust.ready(); rust.check_health(); rust.close()\"\n  \
             echo \"$tier: the golden answer\"\ndone\n"
        ),
        images: ["python:3.13-bookworm", "python:3.13-alpine3.22"],
        publish: match forge {
            Forge::GitHub => {
                "      - uses: pypa/gh-action-pypi-publish@76f52bc884231f62b9a034ebfe128415bbaabdfc # v1.12.4\n"
            }
            Forge::GitLab => {
                "  id_tokens:\n    PYPI_ID_TOKEN: { aud: pypi }\n  script:\n    - pip install 'twine>=6.1'\n    - twine upload packages/*.whl\n"
            }
        },
    }
}
