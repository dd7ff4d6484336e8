"""Small nets: the same answers from NumPy, ONNX Runtime and compiled code; files whole or refused."""

import io
import itertools
import zipfile

import numpy as np
import onnxruntime
import pytest
import torch

import turnsmith as ts
from turnsmith.compile.kernel import compiled
from turnsmith.learn import fit
from turnsmith.nets.dense import (
    Net,
    dense,
    evaluator,
    flat,
    fresh,
    module_of,
    predict,
    read_net,
    read_onnx,
    relu,
    softmax_into,
    write_onnx,
)
from turnsmith.nets.files import read_arrays, read_json, write_arrays, write_whole


def some_layers(*sizes):
    """Layers of random numbers, biases too."""
    random = np.random.default_rng(5)
    pairs = itertools.pairwise(sizes)
    return [(random.normal(0, 0.3, pair).astype("f4"), random.normal(0, 1, pair[1]).astype("f4")) for pair in pairs]


def forward(weights, inputs, hidden, sums, out):
    """A net of one hidden layer."""
    begin = dense(weights, 0, inputs, hidden)
    relu(hidden)
    dense(weights, begin, hidden, sums)
    softmax_into(sums, out)


def test_three_ways_to_one_answer(tmp_path):
    """NumPy, ONNX Runtime and compiled code predict the same chances to 1e-6; what was written is what is read."""
    layers = some_layers(9, 7, 3)
    write_onnx(layers, tmp_path / "net.onnx", "a test")
    again = read_onnx(tmp_path / "net.onnx")
    assert np.array_equal(flat(layers), flat(again))
    inputs = np.random.default_rng(6).normal(0, 1, (20, 9)).astype(np.float32)
    session = onnxruntime.InferenceSession(tmp_path / "net.onnx", providers=["CPUExecutionProvider"])
    (theirs,) = session.run(None, {"position": inputs})
    assert predict(layers, inputs) == pytest.approx(theirs, abs=1e-6)
    hidden, sums, out = np.zeros(7, np.float32), np.zeros(3, np.float32), np.zeros(3)
    for row, expected in zip(inputs, theirs, strict=True):
        compiled(forward)(flat(layers), row, hidden, sums, out)
        assert out == pytest.approx(expected, abs=1e-6)


def test_damaged_files_are_refused_by_name(tmp_path):
    """Rubbish in place of a net, of arrays or of JSON is one sentence that names the file."""
    rubbish = tmp_path / "rubbish"
    rubbish.write_bytes(b"\x00\x01rubbish")
    for read in (read_onnx, read_arrays, read_json):
        with pytest.raises(ts.BadInput, match="rubbish"):
            read(rubbish)


def test_every_kind_of_damage_to_arrays_is_refused(tmp_path):
    """What zlib, lzma, zipfile and NumPy's header reader raise is the same sentence, and so is an array that lacks."""
    path, raised = tmp_path / "arrays.npz", set()
    header = b"\x93NUMPY\x01\x00\x16\x00{'descr': (('<f8')\n    \n"

    def written(packing, flags=0, content=None):
        out, member = io.BytesIO(), io.BytesIO()
        np.save(member, np.arange(500.0) ** 2)
        with zipfile.ZipFile(out, "w", packing) as archive:
            archive.writestr("numbers.npy", content or member.getvalue())
        raw = bytearray(out.getvalue())
        listed = raw.index(b"PK\x01\x02")
        raw[6], raw[listed + 8] = raw[6] | flags, raw[listed + 8] | flags
        return raw

    def broken(packing):
        raw = written(packing)
        raw[60:90] = bytes(30)
        return raw

    unknown = written(zipfile.ZIP_STORED)
    unknown[8] = unknown[unknown.index(b"PK\x01\x02") + 10] = 97
    for raw in (
        broken(zipfile.ZIP_DEFLATED), broken(zipfile.ZIP_LZMA), broken(zipfile.ZIP_BZIP2),
        written(zipfile.ZIP_STORED, flags=1), unknown, written(zipfile.ZIP_STORED, content=header),
    ):  # fmt: skip
        path.write_bytes(raw)
        with pytest.raises(ts.BadInput, match=r"arrays\.npz cannot be read .*; remove it") as refusal:
            read_arrays(path)
        raised.add(str(refusal.value).partition("(")[2].partition(")")[0])
    assert {"error", "LZMAError", "RuntimeError", "NotImplementedError"} <= raised
    write_arrays(path, {"numbers": np.arange(3)})
    with pytest.raises(ts.BadInput, match="holds no 'weights'"):
        read_arrays(path)["weights"]


def test_a_file_is_whole_or_not_there(tmp_path):
    """Writing that fails leaves the old file and nothing else."""
    path = tmp_path / "deep" / "file"
    write_whole(path, lambda target: target.write(b"old"))

    def fail(target):
        target.write(b"ne")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_whole(path, fail)
    assert [each.read_bytes() for each in path.parent.iterdir()] == [b"old"]


class Cut(Exception):
    """The end of a fit before its time."""


def train(file, epochs=4, cut=None, about="rows", **settings):
    """A tiny fit with dropout, cut off while an epoch is judged; returns its parameters and what was said of it."""
    inputs = torch.from_numpy(np.random.default_rng(1).normal(0, 1, (64, 5)).astype("f4"))
    module = module_of(fresh((5, 4, 1), seed=3), dropout=0.5)
    judged = []

    def judge():
        judged.append(1)
        if len(judged) == cut:
            raise Cut
        return {"error": float((module(inputs)[:, 0] - inputs[:, 1]).square().mean())}

    def loss(chosen):
        return (module(inputs[chosen])[:, 0] - inputs[chosen, 1]).square().mean()

    how = fit.FittingSettings(
        **{"hidden": (4,), "dropout": 0.5, "epochs": epochs, "batch": 16, "schedule": "cycle", **settings}
    )
    done = fit.fit(module, loss, np.arange(64), how, judge, file, about)
    return [part.detach().numpy() for part in module.parameters()], done


def test_a_fit_that_was_cut_off_ends_the_same(tmp_path):
    """Resumed from its checkpoint, a fit gives the same parameters, history and file as one that was not stopped."""
    whole, said = train(tmp_path / "whole.npz")
    for cut in (2, 2):
        with pytest.raises(Cut):
            train(tmp_path / "cut.npz", cut=cut)
    again, found = train(tmp_path / "cut.npz")
    assert [part.tobytes() for part in again] == [part.tobytes() for part in whole]
    assert found.history == said.history
    assert len(said.history) == 4
    assert (tmp_path / "cut.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert said.history[-1]["error"] < said.history[0]["error"]
    best = min(range(4), key=lambda epoch: said.history[epoch]["error"])
    assert np.array_equal(said.best[0], whole[0]) == (best == 3)


def test_checkpoints_refuse_what_does_not_fit(tmp_path):
    """Other rows, other settings, another shape or fewer epochs are refused, and so is another file."""
    path = tmp_path / "net.npz"
    train(path, schedule="constant", epochs=2)
    train(path, schedule="constant", epochs=3)  # more of the same is no other fit
    for wrong, match in (
        ({"about": "others", "schedule": "constant"}, "other rows"),
        ({"rate": 0.1, "schedule": "constant"}, r"rate=0\.01"),
        ({"epochs": 1, "schedule": "constant"}, "3 epochs"),
        ({"epochs": 3}, "schedule=constant"),
    ):
        with pytest.raises(ts.BadInput, match=match):
            train(path, **wrong)
    write_arrays(path, {"weights0": np.zeros(3)})
    with pytest.raises(ts.BadInput, match="not a checkpoint"):
        train(path)


def test_a_net_keeps_what_it_says_of_itself(tmp_path):
    """Layers, last function and words come back; the compiled forward pass gives what torch gives, at any depth."""
    inputs = np.random.default_rng(6).normal(0, 1, (20, 9)).astype(np.float32)
    for sizes in ((9, 1), (9, 7, 3), (9, 8, 7, 6, 2)):
        net = Net(some_layers(*sizes), "Sigmoid", {"game": "nim", "numbers": [1, 2]})
        net.write(tmp_path / "net.onnx", "a test")
        again = read_net(tmp_path / "net.onnx")
        assert (again.last, again.about) == (net.last, net.about)
        with torch.no_grad():
            theirs = module_of(net.layers)(torch.from_numpy(inputs)).numpy()
        assert again(inputs) == pytest.approx(theirs, abs=1e-5)


def test_nets_of_other_shapes_are_refused(tmp_path):
    """Layers that do not fit, numbers that are not finite and functions we do not play with are one sentence each."""
    good, path = some_layers(4, 3, 2), tmp_path / "net.onnx"
    wrong = {
        "do not fit": [good[0], (np.zeros((5, 2), np.float32), good[1][1])],
        "not finite .in weights0": [(good[0][0] * np.float32(np.nan), good[0][1]), good[1]],
        "not finite .in biases1": [good[0], (good[1][0], good[1][1] + np.float32(np.inf))],
        "so large": [(good[0][0] * np.float32(1e30), good[0][1]), (good[1][0] * np.float32(1e30), good[1][1])],
    }
    for match, layers in wrong.items():
        write_onnx(layers, path, "a test")
        with pytest.raises(ts.BadInput, match=match):
            read_net(path)
    write_onnx(good, path, "a test", "Tanh")
    with pytest.raises(ts.BadInput, match="other layers"):
        read_net(path)


def test_any_net_is_asked_of_many_positions_at_once(tmp_path):
    """Dense nets of ours run compiled, others by ONNX Runtime, to the same numbers; nonsense is refused."""
    path, inputs = tmp_path / "net.onnx", np.random.default_rng(2).normal(0, 1, (50, 4)).astype(np.float32)
    for last in ("Softmax", "Sigmoid", "Tanh"):  # the last is none that we play with
        write_onnx(some_layers(4, 3, 2), path, "a test", last)
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        assert evaluator(path)(inputs) == pytest.approx(session.run(None, {"position": inputs})[0], abs=1e-6)
    path.write_bytes(b"nonsense")
    with pytest.raises(ts.BadInput, match="is no net of ours"):
        evaluator(path)
    with pytest.raises(ts.BadInput, match="there is no file"):
        evaluator(tmp_path / "missing.onnx")
