"""The type of an array in annotations: of any shape and of any kind of number; docstrings say which."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
