"""Convolutional nets that see a game's planes, run by ONNX Runtime: residual, with global pooling, trained by torch
(``residual_net``). They say a score a move and what is to be expected, as the dense nets of ``nets`` do.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.nets.runtime import Session


@dataclass(frozen=True)
class PlanesNet:
    """A net in a file, ready to be asked."""

    content: bytes = field(repr=False)
    outputs: int
    planes: int
    size: tuple[int, int] | None
    """Height and width, where it is made for one size."""
    about: dict[str, Any]
    run: Callable[[Array], Array] = field(repr=False)

    def __call__(self, inputs: Array) -> Array:
        """float32[rows, outputs], in one piece, for uint8[rows, planes, height, width]."""
        return self.run(inputs)

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether it can see planes of this shape."""
        return len(shape) == 3 and shape[0] == self.planes and self.size in (None, shape[1:])

    def listener(self, shape: tuple[int, ...]) -> Callable[[int, int, int], None]:
        """What answers compiled code for planes of this shape: see ``kernel.ask_python_about``."""
        asked = int(np.prod(shape))

        def listen(rows: int, inputs: int, outputs: int) -> None:
            seen = np.ctypeslib.as_array((ctypes.c_uint8 * (rows * asked)).from_address(inputs))
            answer = self.run(seen.reshape(rows, *shape))
            if answer.dtype != np.float32 or answer.shape != (rows, self.outputs):
                raise ValueError("an answer of another size")  # nothing beyond it may be copied
            ctypes.memmove(outputs, answer.ctypes.data, answer.nbytes)

        return listen


def read_planes_net(path: Path) -> PlanesNet:
    """A net that ``export`` wrote; anything else is refused."""
    session = Session(path)
    planes, height, width = session.sides if len(session.sides) == 3 else (None, None, None)
    if session.kind != np.uint8 or planes is None or not session.about:
        raise BadInput(f"{path} is a net of other inputs than planes; export it again")
    if len(session.answers) != 1 or len(session.answers[0]) != 1:
        raise BadInput(f"{path} is a net of other outputs than one list of numbers; export it again")
    size = None if height is None or width is None else (height, width)
    outputs = session.answers[0][0]
    return PlanesNet(session.content, outputs, planes, size, session.about, lambda inputs: session(inputs)[0])
