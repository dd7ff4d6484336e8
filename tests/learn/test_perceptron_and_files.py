"""Small nets: the same answers from NumPy, ONNX Runtime and compiled code; files whole or refused."""

import itertools

import numpy as np
import onnxruntime
import pytest

import turnsmith as ts
from turnsmith.kernel import compiled
from turnsmith.learn import fit
from turnsmith.learn.files import read_arrays, read_json, write_arrays, write_whole
from turnsmith.learn.perceptron import dense, flat, predict, read_onnx, relu, softmax_into, write_onnx


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


def test_checkpoints_come_back_and_refuse_what_does_not_fit(tmp_path):
    """A checkpoint returns every number; other rows, other settings or fewer epochs are refused."""
    settings, path = fit.Settings(hidden=(4,), epochs=3), tmp_path / "net.npz"
    begun = fit.begin(6, 2, settings)
    begun.epoch, begun.history = 2, [{"log_loss": 0.5, "accuracy": 0.75}]
    fit.save(begun, settings, "rows", path)
    again = fit.resume(path, "rows", settings)
    assert (again.epoch, again.history) == (2, begun.history)
    assert np.array_equal(flat(again.layers), flat(begun.layers))
    with pytest.raises(ts.BadInput, match="other rows"):
        fit.resume(path, "others", settings)
    with pytest.raises(ts.BadInput, match=r"rate=0\.01"):
        fit.resume(path, "rows", fit.Settings(hidden=(4,), rate=0.1))
    with pytest.raises(ts.BadInput, match="2 epochs"):
        fit.resume(path, "rows", fit.Settings(hidden=(4,), epochs=1))
    write_arrays(path, {"weights0": np.zeros(3)})
    with pytest.raises(ts.BadInput, match="not a checkpoint"):
        fit.resume(path, "rows")
