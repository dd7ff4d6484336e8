"""Nets in files: the door they are read through, and the one through which ONNX Runtime is asked.

A file may lie about what it holds, so nothing here relies on what it declares: a net is tried once when it is opened,
and what it answers is measured again at every call.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import lasting

AGAIN = "export it again"
"""The cure of a net that is damaged, where its own training is not known."""
PATIENCE = 10.0
"""Seconds in which a net must answer about a few positions."""
ROWS, SIDE = 3, 8
"""Of what a net is tried with: positions, and numbers along every side that it leaves open."""
KINDS = {"tensor(uint8)": np.uint8, "tensor(float)": np.float32}


def model_in(path: Path, cure: str = AGAIN) -> tuple[bytes, Any]:
    """A file's bytes and the ONNX model in them; every number that it learned is finite and in this file."""
    import onnx

    if not path.is_file():
        raise BadInput(f"there is no file {path}; name a net, or train one")
    content = path.read_bytes()
    try:
        model = onnx.load_model_from_string(content)
        weights = list(_weights_in(model.graph))
        if any(part.data_location == onnx.TensorProto.EXTERNAL for part in weights):
            raise BadInput(f"{path} keeps its numbers in other files, which are not read; {cure}")
        unsound = [part.name for part in weights if not _is_finite(onnx.numpy_helper.to_array(part))]
    except BadInput:
        raise
    except Exception:  # protobuf's own exceptions have no public base
        other = "name an ONNX file that a training or an export wrote" if cure == AGAIN else cure
        raise BadInput(f"{path} is no net of ours; {other}") from None
    if unsound:
        raise BadInput(f"{path} holds numbers that are not finite (in {unsound[0]}); {cure}")
    return content, model


def _weights_in(graph: Any) -> Iterator[Any]:
    """Every tensor that a graph was given, those of the graphs inside it too."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from _weights_in(inner)


def _is_finite(numbers: Array) -> bool:
    return numbers.dtype.kind != "f" or bool(np.isfinite(numbers).all())


def told_by(model: Any, path: Path, cure: str = AGAIN) -> dict[str, Any]:
    """What a model says of itself, empty where it says nothing."""
    text = {entry.key: entry.value for entry in model.metadata_props}.get("turnsmith", "{}")
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError, RecursionError):
        raise BadInput(f"{path} says nonsense of itself; {cure}") from None


class Session:
    """A net of one input that ONNX Runtime runs on one thread."""

    def __init__(self, path: Path, cure: str = AGAIN, outputs: tuple[str, ...] | None = None) -> None:
        """`outputs`: their names, where they must be these."""
        import onnxruntime

        self.path, self.cure = path, cure
        self.content, model = model_in(path, cure)
        self.about = told_by(model, path, cure)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4  # what is wrong with a net is said here, in one line
        try:
            self._session = onnxruntime.InferenceSession(self.content, options, providers=["CPUExecutionProvider"])
            (given,) = self._session.get_inputs()
            self.kind, self._name = KINDS[given.type], given.name
        except Exception as error:  # its own exceptions have no public base
            raise self._refusal(f"is no net of one input that ONNX Runtime reads ({type(error).__name__})") from None
        if outputs is not None and tuple(output.name for output in self._session.get_outputs()) != outputs:
            raise self._refusal(f"has other outputs than {', '.join(outputs)}")
        self.sides = tuple(side if isinstance(side, int) else None for side in given.shape[1:])
        """Lengths of what stands for one position, None where any will do."""
        self.answers = self._tried()
        """The shape of each output for one position."""

    def __call__(self, inputs: Array) -> list[Array]:
        """Each output, [rows, …], for what stands for some positions, [rows, …]."""
        answers = self._run(inputs)
        if tuple(array.shape for array in answers) != tuple((len(inputs), *answer) for answer in self.answers):
            raise self._refusal("answers in another shape than it did at first")
        return answers

    def _run(self, inputs: Array, options: Any = None) -> list[Array]:
        try:
            answers = self._session.run(None, {self._name: np.ascontiguousarray(inputs, self.kind)}, options)
            answers = [np.ascontiguousarray(array, np.float32) for array in answers]
        except Exception as error:
            raise self._refusal(f"cannot be asked ({type(error).__name__})") from None
        if not all(np.isfinite(array).all() for array in answers):
            raise self._refusal("answers with numbers that are not finite")
        return answers

    def _tried(self) -> tuple[tuple[int, ...], ...]:
        """Ask about a few positions and about one: the shapes of the answers for one position."""
        import onnxruntime

        inputs = np.zeros((ROWS, *(SIDE if side is None else side for side in self.sides)), self.kind)
        if self.kind == np.uint8:
            inputs[1] = 1  # other nets may read some numbers as indices, of which only 0 is sure to be one
        options, is_late = onnxruntime.RunOptions(), threading.Event()

        def stop() -> None:
            is_late.set()
            options.terminate = True

        timer = threading.Timer(PATIENCE, stop)
        timer.start()
        try:
            answers, one = self._run(inputs, options), self._run(inputs[:1], options)
        except BadInput:
            if is_late.is_set():
                raise self._refusal(f"answers nothing within {lasting(PATIENCE)}; take a smaller net") from None
            raise
        finally:
            timer.cancel()
        if any(array.shape[:1] != (ROWS,) for array in answers) or [array.shape for array in one] != [
            (1, *array.shape[1:]) for array in answers
        ]:
            raise self._refusal("does not answer row by row")
        declared = [tuple(output.shape[1:]) for output in self._session.get_outputs()]
        for array, shape in zip(answers, declared, strict=True):
            if len(shape) != array.ndim - 1 or any(
                isinstance(side, int) and side != real for side, real in zip(shape, array.shape[1:], strict=True)
            ):
                raise self._refusal(f"declares {shape} numbers a position and gives {array.shape[1:]}")
        return tuple(array.shape[1:] for array in answers)

    def _refusal(self, what: str) -> BadInput:
        return BadInput(f"{self.path} {what}; {self.cure}")
