# Made by tierup; the same in every package.
"""Loads the package that `tierup build` made, or its tier 0, the server's own functions, if there is none."""

import sys as _sys
from importlib.machinery import SourceFileLoader as _SourceFileLoader

from ._place import place as _place

_init = _place()
# The other modules are imported from the same place.
__path__ = [str(_init.parent)]
_SourceFileLoader(__name__, str(_init)).exec_module(_sys.modules[__name__])
