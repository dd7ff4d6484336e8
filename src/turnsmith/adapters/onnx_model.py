"""A linear policy as an ONNX model of opset 15, in single precision as engines have it.

In: `inputs` float[rows, inputs], `possible` float[rows, actions], 1 for what can be done and 0 for what cannot. Out:
`scores` float[rows, actions], `action` int64[rows], the place of the greatest possible score, the first of equals.
"""

from __future__ import annotations

import json

import numpy as np

from turnsmith.nets.linear_policy import LinearPolicy

OPSET = 15
LEAST = np.float32(-3e38)
"""What counts as the score of an impossible action."""


def model_bytes(policy: LinearPolicy) -> bytes:
    """The model; its metadata are the policy's document without the matrix."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes = [
        helper.make_node("MatMul", ["inputs", "matrix"], ["scores"]),
        helper.make_node("Greater", ["possible", "half"], ["can"]),
        helper.make_node("Where", ["can", "scores", "least"], ["open"]),
        helper.make_node("ArgMax", ["open"], ["action"], axis=1, keepdims=0, select_last_index=0),
    ]
    numbers = [
        numpy_helper.from_array(policy.matrix.astype(np.float32), "matrix"),
        numpy_helper.from_array(np.array(0.5, np.float32), "half"),
        numpy_helper.from_array(np.array(LEAST, np.float32), "least"),
    ]
    rows, columns = policy.matrix.shape
    ends = [("inputs", rows), ("possible", columns), ("scores", columns)]
    given, mask, scores = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["rows", n]) for name, n in ends)
    action = helper.make_tensor_value_info("action", TensorProto.INT64, ["rows"])
    graph = helper.make_graph(nodes, "linear_policy", [given, mask], [scores, action], numbers)
    opset = [helper.make_opsetid("", OPSET)]
    title = f"{policy.origin.player} of {policy.origin.game}"
    model = helper.make_model(graph, producer_name="turnsmith", doc_string=title, opset_imports=opset, ir_version=8)
    about = {name: part for name, part in policy.document().items() if name != "matrix"}
    helper.set_model_props(model, {"turnsmith": json.dumps(about, ensure_ascii=False)})
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString())
