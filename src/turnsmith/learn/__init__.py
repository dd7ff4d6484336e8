"""Learning from games: columns on disk, honest splits and scores, small nets that play without their trainer."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

from turnsmith.texts import BadInput


def extra(library: str) -> Any:
    """A library that only learning needs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # cma would like to draw plots
        try:
            return importlib.import_module(library)
        except ImportError:
            raise BadInput(f"{library} is missing: pip install 'turnsmith[learn]'") from None
