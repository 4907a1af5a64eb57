"""The window. The only package that knows Qt."""

import builtins
import sys

import PySide6.QtCore  # noqa: F401 - what it changes is changed back

from .overrides import guard_overrides

# Behind every later import PySide6 reads and keeps the source of the module, to look for its own
# `from __feature__ import`, which nothing here uses: a tenth of the start, and 16 MB.
builtins.__import__ = getattr(builtins, "__orig_import__", builtins.__import__)

if sys.version_info < (3, 12):
    guard_overrides()
