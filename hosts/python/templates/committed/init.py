# Made by tierup; the same in every package.
"""Loads the package that `tierup build` made, if there is one; otherwise its tier 0, the server's own functions."""

import sys as _sys
from importlib.machinery import SourceFileLoader as _SourceFileLoader

from ._place import place as _place

_init = _place()
# The other modules are imported from there as well.
__path__ = [str(_init.parent)]
_SourceFileLoader(__name__, str(_init)).exec_module(_sys.modules[__name__])
