"""Small fully connected nets as plain numbers: written to and read from ONNX, run inside compiled code.

A net is a list of layers (weights float32[inputs, outputs], biases float32[outputs]), ReLU between them and softmax
behind the last. Compiled code gets them as one float32 array, each layer's weights row by row, then its biases.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.game import Array
from turnsmith.learn.files import write_whole
from turnsmith.texts import BadInput

Layers = list[tuple[Array, Array]]

# ---------------------------------------------------------------- inside compiled code


def add_rows(weights: Any, start: int, inputs: Any, outputs: Any) -> None:
    """outputs += inputs · the matrix that begins at weights[start]; zeros among the inputs cost nothing."""
    width = outputs.shape[0]
    for row in range(inputs.shape[0]):
        value = inputs[row]
        if value != 0.0:
            part = weights[start + row * width : start + (row + 1) * width]
            for column in range(width):
                outputs[column] += value * part[column]


def dense(weights: Any, start: int, inputs: Any, outputs: Any) -> Any:
    """outputs = inputs · matrix + biases of the layer at weights[start]; returns where the next layer begins."""
    end = start + inputs.shape[0] * outputs.shape[0]
    for column in range(outputs.shape[0]):
        outputs[column] = weights[end + column]
    add_rows(weights, start, inputs, outputs)
    return end + outputs.shape[0]


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
    raised = np.exp(values - values.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def write_onnx(layers: Layers, path: Path, about: str, last: str | None = "Softmax") -> None:
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
        graph, producer_name="turnsmith", doc_string=about, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    onnx.checker.check_model(model)
    write_whole(path, lambda target: target.write(model.SerializeToString()))


def read_onnx(path: Path) -> Layers:
    """The layers of a net that ``write_onnx`` wrote."""
    import onnx
    from onnx import numpy_helper

    try:
        found = {part.name: numpy_helper.to_array(part) for part in onnx.load(path).graph.initializer}
        layers = [(found[f"weights{index}"], found[f"biases{index}"]) for index in range(len(found) // 2)]
    except Exception as error:  # protobuf's own exceptions have no public base
        raise BadInput(f"{path} is not a net of ours ({type(error).__name__}); export it again") from None
    if not layers:
        raise BadInput(f"{path} holds no layers; export it again")
    return layers
