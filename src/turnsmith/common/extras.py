"""Learning from games: runs that go on after a kill, honest splits and scores, nets that play without their trainer."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from typing import Any

from turnsmith.common.errors import BadInput


def extra(library: str, of: str = "learn") -> Any:
    """A library that a plain install goes without; `of` is the extra of turnsmith that brings it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # cma would like to draw plots
        try:
            return importlib.import_module(library)
        except ImportError:
            raise _missing(library, of) from None


def refuse_without(*libraries: str) -> None:
    """Refuse to begin what would need one of these later."""
    for library in libraries:
        if importlib.util.find_spec(library) is None:
            raise _missing(library)


def _missing(library: str, of: str = "learn") -> BadInput:
    return BadInput(f"{library} is missing: pip install 'turnsmith[{of}]'")
