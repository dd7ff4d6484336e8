"""Convolutional nets that see a game's planes, run by ONNX Runtime: residual, with global pooling, trained by torch
(``residual_net``). They say a score a move and what is to be expected, as the dense nets of ``nets`` do.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.game import Array
from turnsmith.texts import BadInput


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
        """float32[rows, outputs] for uint8[rows, planes, height, width]."""
        return self.run(inputs)

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Whether it can see planes of this shape."""
        return len(shape) == 3 and shape[0] == self.planes and self.size in (None, shape[1:])

    def listener(self, shape: tuple[int, ...]) -> Callable[[int, int, int], None]:
        """What answers compiled code for planes of this shape: see ``kernel.ask_python_about``."""
        asked, answered = int(np.prod(shape)), 4 * self.outputs

        def listen(rows: int, inputs: int, outputs: int) -> None:
            seen = np.ctypeslib.as_array((ctypes.c_uint8 * (rows * asked)).from_address(inputs))
            said = np.ascontiguousarray(self.run(seen.reshape(rows, *shape)), np.float32)
            ctypes.memmove(outputs, said.ctypes.data, rows * answered)

        return listen


def read_planes_net(path: Path) -> PlanesNet:
    """A net that ``export`` wrote; anything else is refused."""
    import onnx
    import onnxruntime

    content = path.read_bytes()
    try:
        model = onnx.load_model_from_string(content)
        about = json.loads({each.key: each.value for each in model.metadata_props}["turnsmith"])
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        (given,), (found,) = session.get_inputs(), session.get_outputs()
        _, planes, *size = given.shape
        outputs = int(found.shape[1])
    except Exception:  # neither protobuf's exceptions nor ONNX Runtime's have a public base
        raise BadInput(f"{path} is no net of ours; name an ONNX file that a training or an export wrote") from None
    if given.type != "tensor(uint8)" or found.type != "tensor(float)" or len(size) != 2 or not isinstance(about, dict):
        raise BadInput(f"{path} is a net of other inputs than planes; export it again")
    fixed = (int(size[0]), int(size[1])) if all(isinstance(each, int) for each in size) else None

    def run(inputs: Array) -> Array:
        return np.asarray(session.run([found.name], {given.name: inputs})[0])

    return PlanesNet(content, outputs, int(planes), fixed, about, run)
