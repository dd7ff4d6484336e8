"""Small fully connected nets as plain numbers: trained by torch, kept as ONNX, run inside compiled code.

A net is a list of layers (weights float32[inputs, outputs], biases float32[outputs]), ReLU between them and softmax,
sigmoid or nothing behind the last. Compiled code gets them as one float32 array, each layer's weights row by row, then
its biases.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra
from turnsmith.compile.kernel import compiled, scratch
from turnsmith.nets.files import write_whole
from turnsmith.nets.runtime import Session, model_in, told_by

Layers = list[tuple[Array, Array]]
GREATEST = 1e6
"""Of the numbers that a net may be asked about: features are about 1, and counts not much more."""

# ---------------------------------------------------------------- inside compiled code


BLOCK = 256


def add_rows(weights: Any, start: int, inputs: Any, outputs: Any) -> None:
    """outputs += inputs · the matrix that begins at weights[start]; zeros among the inputs cost next to nothing.

    Four rows at a time, found before, keep processors busy: 2 to 4 times as fast as row after row.
    """
    width, here = np.uint64(outputs.shape[0]), np.uint64(start)  # unsigned: an index that cannot be negative
    rows, bits = scratch(BLOCK, np.uint64), inputs.view(np.int32)  # whole numbers are sooner known not to be 0
    for first in range(0, inputs.shape[0], BLOCK):
        count = 0
        for row in range(first, min(first + BLOCK, inputs.shape[0])):
            rows[count] = row
            count += 1 if bits[row] != 0 else 0
        at = 0
        while at + 4 <= count:
            a, b, c, d = rows[at], rows[at + 1], rows[at + 2], rows[at + 3]
            one, two, three, four = inputs[a], inputs[b], inputs[c], inputs[d]
            a, b, c, d = here + a * width, here + b * width, here + c * width, here + d * width
            for column in range(width):
                near, far = one * weights[a + column] + two * weights[b + column], three * weights[c + column]
                outputs[column] += near + (far + four * weights[d + column])
            at += 4
        while at < count:
            value, a = inputs[rows[at]], here + rows[at] * width
            for column in range(width):
                outputs[column] += value * weights[a + column]
            at += 1


def dense(weights: Any, start: int, inputs: Any, outputs: Any) -> Any:
    """outputs = inputs · matrix + biases of the layer at weights[start]; returns where the next layer begins."""
    end = np.uint64(start + inputs.shape[0] * outputs.shape[0])
    for column in range(np.uint64(outputs.shape[0])):
        outputs[column] = weights[end + column]
    add_rows(weights, start, inputs, outputs)
    return start + (inputs.shape[0] + 1) * outputs.shape[0]


def relu(values: Any) -> None:
    for place in range(values.shape[0]):
        if values[place] < 0.0:
            values[place] = 0.0


def softmax_into(values: Any, out: Any) -> None:
    """out (float64) = the chances that `values` stand for."""
    greatest, total = values[0], 0.0
    for place in range(values.shape[0]):
        greatest = max(greatest, values[place])
    for place in range(values.shape[0]):
        out[place] = math.exp(np.float64(values[place]) - np.float64(greatest))
        total += out[place]
    for place in range(values.shape[0]):
        out[place] /= total


def forward(weights: Any, sizes: Any, inputs: Any, one: Any, other: Any) -> Any:
    """The outputs before their last function, of a net of any depth; sizes: int64, inputs first.

    `one` and `other`: float32, as long as the widest hidden layer; the outputs are the beginning of one of them.
    """
    begin, values = 0, inputs
    for layer in range(sizes.shape[0] - 1):
        outputs = one[: sizes[layer + 1]] if layer % 2 == 0 else other[: sizes[layer + 1]]
        begin = dense(weights, begin, values, outputs)
        if layer + 2 < sizes.shape[0]:
            relu(outputs)
        values = outputs
    return values


def forward_all(weights: Any, sizes: Any, inputs: Any, one: Any, other: Any, out: Any) -> None:
    """The kernel for many positions: float32[rows, inputs] to float32[rows, outputs]."""
    for row in range(inputs.shape[0]):
        out[row, :] = forward(weights, sizes, inputs[row], one, other)


# ---------------------------------------------------------------- in Python


def flat(layers: Layers) -> Array:
    """All numbers in one float32 array, as compiled code wants them."""
    return np.concatenate([part.astype(np.float32).reshape(-1) for layer in layers for part in layer])


def predict(layers: Layers, inputs: Array) -> Array:
    """float32[rows, classes]: the chances for inputs[rows, …]."""
    values = inputs.astype(np.float32)
    for number, (weights, biases) in enumerate(layers):
        values = values @ weights + biases
        if number + 1 < len(layers):
            np.maximum(values, 0.0, out=values)
    return _softmax(values)


def _softmax(values: Array) -> Array:
    raised = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def sizes_of(layers: Layers) -> tuple[int, ...]:
    """Inputs, hidden numbers, outputs."""
    return (len(layers[0][0]), *(len(biases) for _, biases in layers))


def fresh(sizes: tuple[int, ...], seed: int) -> Layers:
    """Layers to begin with: uniform weights that keep the variance of what passes through, no biases."""
    random = np.random.default_rng(seed)
    layers: Layers = []
    for above, below in itertools.pairwise(sizes):
        far = np.sqrt(6.0 / (above + below))
        layers.append((random.uniform(-far, far, (above, below)).astype(np.float32), np.zeros(below, np.float32)))
    return layers


def module_of(layers: Layers, dropout: float = 0.0) -> Any:
    """The same net as a torch module, without its last function; `dropout` is behind the first layer."""
    torch = extra("torch")
    parts: list[Any] = []
    for number, (weights, biases) in enumerate(layers):
        part = torch.nn.Linear(*weights.shape)
        with torch.no_grad():
            part.weight.copy_(torch.tensor(weights.T, dtype=torch.float32))
            part.bias.copy_(torch.tensor(biases, dtype=torch.float32))
        parts.append(part)
        if number + 1 < len(layers):
            parts.append(torch.nn.ReLU())
            if number == 0 and dropout > 0.0:
                parts.append(torch.nn.Dropout(dropout))
    return torch.nn.Sequential(*parts)


def layers_of(parameters: list[Array]) -> Layers:
    """The layers of a module from its parameters, as ``fit`` keeps them or ``module_of(…).parameters()`` are."""
    return [(np.ascontiguousarray(w.T), b) for w, b in zip(parameters[::2], parameters[1::2], strict=True)]


@dataclass(frozen=True)
class Net:
    """A dense net and what it says of itself."""

    layers: Layers
    last: str = ""
    """What is behind the last layer: Softmax, Sigmoid or nothing."""
    about: dict[str, Any] = field(default_factory=dict)
    """What JSON can hold: which game, what it sees, how it was trained."""

    @cached_property
    def weights(self) -> Array:
        """All layers as compiled code wants them, put together once: many small batches are asked about."""
        return flat(self.layers)

    def __call__(self, inputs: Array) -> Array:
        """float32[rows, outputs] for float32[rows, inputs], before the last function."""
        sizes = np.array(sizes_of(self.layers))
        out, wide = np.zeros((len(inputs), sizes[-1]), np.float32), int(sizes[1:].max())
        rooms = np.zeros(wide, np.float32), np.zeros(wide, np.float32)
        compiled(forward_all)(self.weights, sizes, np.ascontiguousarray(inputs, np.float32), *rooms, out)
        return out

    def write(self, path: Path, title: str) -> None:
        write_onnx(self.layers, path, title, self.last or None, self.about)


def read_net(path: Path) -> Net:
    """A net that ``Net.write`` wrote; anything else is refused."""
    model, layers = _read(path)
    kinds = [node.op_type for node in model.graph.node]
    last = "" if kinds[-1] == "Gemm" else kinds[-1]
    expected = [*(["Gemm", "Relu"] * len(layers))[:-1], *([last] if last else [])]
    if kinds != expected or last not in ("", "Softmax", "Sigmoid"):
        raise BadInput(f"{path} is a net of other layers than turnsmith plays with; train one: turnsmith train value")
    return Net(layers, last, told_by(model, path))


def evaluator(path: Path) -> Callable[[Array], Array]:
    """What a net in a file says of many positions at once: dense nets of ours by compiled code, any others by ONNX
    Runtime, on one thread. Both take one array of observations and give the first output."""
    try:
        net = read_net(path)
    except BadInput:
        if not path.is_file():
            raise
    else:
        last = {"": lambda raw: raw, "Sigmoid": lambda raw: 1.0 / (1.0 + np.exp(-raw)), "Softmax": _softmax}
        return lambda inputs: np.asarray(last[net.last](net(inputs)), np.float32)
    session = Session(path)
    return lambda inputs: session(inputs)[0]


def write_onnx(
    layers: Layers, path: Path, title: str, last: str | None = "Softmax", about: dict[str, Any] | None = None
) -> None:
    """Write a net as ONNX: input `position` float[rows, n], output `chances` float[rows, k], or bare scores."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes, numbers, source = [], [], "position"
    for index, (weights, biases) in enumerate(layers):
        ends_here = index + 1 == len(layers)
        after = last if ends_here else "Relu"
        for name, part in (("weights", weights), ("biases", biases)):
            numbers.append(numpy_helper.from_array(np.ascontiguousarray(part, np.float32), f"{name}{index}"))
        target = "chances" if ends_here else f"hidden{index}"
        summed = f"sum{index}" if after else target
        nodes.append(helper.make_node("Gemm", [source, f"weights{index}", f"biases{index}"], [summed]))
        if after:
            nodes.append(helper.make_node(after, [summed], [target]))
        source = target
    ends = [("position", layers[0][0].shape[0]), ("chances", layers[-1][0].shape[1])]
    first, final = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", size]) for name, size in ends)
    graph = helper.make_graph(nodes, "perceptron", [first], [final], numbers)
    model = helper.make_model(
        graph, producer_name="turnsmith", doc_string=title, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    if about:
        helper.set_model_props(model, {"turnsmith": json.dumps(about)})
    onnx.checker.check_model(model)
    write_whole(path, lambda target: target.write(model.SerializeToString()))


def read_onnx(path: Path) -> Layers:
    """The layers of a net that ``write_onnx`` wrote."""
    return _read(path)[1]


def _read(path: Path) -> tuple[Any, Layers]:
    """A model and its layers, which fit one behind the other and give finite numbers for all inputs up to GREATEST."""
    from onnx import numpy_helper

    _, model = model_in(path)
    try:
        parts = {part.name: numpy_helper.to_array(part) for part in model.graph.initializer}
        layers = [(parts[f"weights{index}"], parts[f"biases{index}"]) for index in range(len(parts) // 2)]
    except KeyError as missing:
        raise BadInput(f"{path} is not a net of ours (it has no {missing}); export it again") from None
    if not layers:
        raise BadInput(f"{path} holds no layers; export it again")
    above, reach = len(layers[0][0]) if layers[0][0].ndim else 0, GREATEST
    for weights, biases in layers:
        if weights.dtype != np.float32 or biases.dtype != np.float32 or weights.shape != (above, *biases.shape):
            raise BadInput(f"{path} holds layers that do not fit one behind the other; export it again")
        if biases.ndim != 1 or not biases.size or not above:
            raise BadInput(f"{path} holds layers of no use (empty, or not flat); export it again")
        above = len(biases)
        reach = float((np.abs(weights).sum(axis=0, dtype=np.float64) * reach + np.abs(biases)).max())
    if reach > float(np.finfo(np.float32).max):
        raise BadInput(f"{path} holds weights so large that its answers are not finite; train it again")
    return model, layers
