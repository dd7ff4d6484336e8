"""An eye: reads pictures of a board of 6 colours, 4 pegs and 10 tries, and says how sure it is of everything.

The net (``eye_net``) was trained on drawn boards alone; it is played without torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.game import Array
from turnsmith.games.mastermind.cameras import warp
from turnsmith.games.mastermind.pixels import shape_of
from turnsmith.kernel import compiled
from turnsmith.texts import BadInput

COLORS, PEGS, TRIES, ANSWERS = 6, 4, 10, 14
HEIGHT, WIDTH = shape_of(PEGS, TRIES)
SHIPPED = Path(__file__).with_name("eye.onnx")


@dataclass(frozen=True)
class Reading:
    """What stands on a board, in chances."""

    pegs: Array
    """float32[TRIES, PEGS, COLORS + 1]: of every colour, and last of an empty place."""
    answers: Array
    """float32[TRIES, ANSWERS]"""
    corners: Array
    """float32[4, 2]: where the board is in the picture, see ``cameras``."""

    @property
    def turns(self) -> int:
        """Rows that hold a guess: up to the first that is rather empty."""
        empty = self.pegs[:, :, COLORS].mean(axis=1) > 0.5
        return int(np.argmax(empty)) if empty.any() else TRIES


@lru_cache(maxsize=4)
def _session(path: Path, stamp: int) -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        if [each.name for each in session.get_outputs()] != ["pegs", "answers", "corners"]:
            raise ValueError("other outputs")
    except Exception as error:  # its own exceptions have no public base
        raise BadInput(
            f"{path} is no eye ({type(error).__name__}); train one: turnsmith train mastermind eye"
        ) from None
    return session


def read(pictures: Array, path: Path = SHIPPED) -> list[Reading]:
    """What is on pictures, uint8[n, HEIGHT, 3 · WIDTH]."""
    if not path.is_file():
        raise BadInput(f"there is no file {path}; train an eye: turnsmith train mastermind eye")
    found = _session(path, path.stat().st_mtime_ns).run(None, {"pictures": pictures.reshape(-1, HEIGHT, WIDTH, 3)})
    return [Reading(*each) for each in zip(*found, strict=True)]


def fitted(picture: Array) -> Array:
    """uint8[HEIGHT, 3 · WIDTH]: any picture, uint8[height, width, 3], as large as the eye wants it, with bars where its
    sides have another proportion."""
    height, width = picture.shape[:2]
    shrunk = min(HEIGHT / height, WIDTH / width)
    times = max(1, int(1 / shrunk))  # means over squares first: a photograph has a hundred pixels for each of ours
    rows, columns = height // times * times, width // times * times
    small = picture[:rows, :columns].reshape(rows // times, times, columns // times, times, 3).mean(axis=(1, 3))
    across, down = WIDTH / (width * shrunk), HEIGHT / (height * shrunk)
    matrix = np.array([[across, 0.0, 0.5 - across / 2], [0.0, down, 0.5 - down / 2], [0.0, 0.0, 1.0]])
    out = np.zeros((HEIGHT, 3 * WIDTH), np.uint8)
    flat = np.ascontiguousarray(small.round().astype(np.uint8).reshape(rows // times, -1))
    compiled(warp)(flat, matrix, np.zeros(3, np.uint8), out)
    return out
