"""An eye: reads pictures of a board of 6 colours, 4 pegs and 10 tries, and says how sure it is of everything.

The net (``eye_net``) was trained on drawn boards alone; it is played without torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled
from turnsmith.games.mastermind.cameras import warp
from turnsmith.games.mastermind.pixels import shape_of
from turnsmith.nets.files import until_changed
from turnsmith.nets.runtime import Session

COLORS, PEGS, TRIES, ANSWERS = 6, 4, 10, 14
HEIGHT, WIDTH = shape_of(PEGS, TRIES)
SHIPPED = Path(__file__).with_name("eye.onnx")
CURE = "train one: turnsmith train mastermind eye"


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


@until_changed
def _session(path: Path) -> Session:
    session = Session(path, CURE, ("pegs", "answers", "corners"))
    if session.sides != (HEIGHT, WIDTH, 3) or session.answers != ((TRIES, PEGS, COLORS + 1), (TRIES, ANSWERS), (4, 2)):
        raise BadInput(f"{path} is an eye for other boards; {CURE}")
    return session


def read(pictures: Array, path: Path = SHIPPED) -> list[Reading]:
    """What is on pictures, uint8[n, HEIGHT, 3 · WIDTH]."""
    outputs = _session(path)(pictures.reshape(-1, HEIGHT, WIDTH, 3))
    return [Reading(*parts) for parts in zip(*outputs, strict=True)]


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
