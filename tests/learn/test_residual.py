"""Nets that see planes: torch and ONNX Runtime say the same, they play, they learn, and foreign files are refused."""

import json
from dataclasses import replace

import numpy as np
import onnx
import pytest

import turnsmith as ts
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.compile.rng import stream
from turnsmith.contract.trainings import TrainingContext
from turnsmith.learn import alphazero
from turnsmith.learn import residual_training as residual_net
from turnsmith.learn.batched_selfplay import SLOTS, manner_of, play
from turnsmith.nets import residual, runtime
from turnsmith.nets.dense import Net, fresh
from turnsmith.play.observe import observer
from turnsmith.search.alphazero import AlphaZero, read

torch = pytest.importorskip("torch")
SMALL = "connect_four:width=4,height=4,connect=3"
TINY = alphazero.AlphaZeroSettings(
    rounds=3, games=256, simulations=8, quick=4, careful=0.5, channels=8, blocks=2, rate=0.003, batch=64, anchored=0,
    proof=0, compare=0,
)  # fmt: skip


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A net of two rounds on a small board, fit for boards of any size."""
    folder = tmp_path_factory.mktemp("planes")
    alphazero.train(replace(TINY, any_size=True), TrainingContext(folder, 2, game_text=SMALL))
    return ts.load(SMALL), folder


@pytest.mark.parametrize("size", [None, (4, 5)])
def test_torch_and_onnx_runtime_say_the_same(tmp_path, size):
    """Also in batches of other sizes, and for boards of other sizes where the net is made for all."""
    torch.manual_seed(1)
    net = residual_net.Residual(3, size, 8, 3, 5, 2)
    for block in net.blocks:
        torch.nn.init.normal_(block.second.weight, std=0.1)
    residual_net.export(net, tmp_path / "net.onnx", (3, 4, 5), "a test", {"kind": "alphazero"})
    played = residual.read_planes_net(tmp_path / "net.onnx")
    assert (played.outputs, played.planes, played.size) == (7, 3, size)
    for height, width in [(4, 5)] if size else [(4, 5), (7, 3)]:
        inputs = np.random.default_rng(0).integers(0, 2, (9, 3, height, width)).astype(np.uint8)
        with torch.no_grad():
            said = net(torch.from_numpy(inputs)).numpy()
        assert np.allclose(played(inputs), said, atol=1e-5)
        assert np.allclose(played(inputs[:2]), said[:2], atol=1e-5)
        assert said.std(axis=0).max() > 0


def test_it_plays_by_planes(trained):
    """In an arena, compiled and interpreted alike, and on a board of another size."""
    game, folder = trained
    text = f"alphazero:net={folder / 'net-2.onnx'},simulations=24"
    table = ts.arena(game, [text, "random"], games=60, seed=1)
    assert (table.returns[table.seating == 0] == 1.0).mean() > 0.7
    player, boards = ts.player(text, game), game.board()
    ready, views = player.prepare(game, boards), game.start().view(0)
    acts, found = np.arange(4, dtype=np.int32), []
    for how in (compiled, interpreted):
        memory, report = np.zeros(ready.memory, np.uint8), np.zeros(7)
        rest = (acts, ready.data, memory, ready.params, report, stream(1, 0))
        decide = player.decider()
        if how is compiled:
            from turnsmith.play import step

            action = compiled(step.ask)(game, boards, views, acts, player.where(game), *rest[1:])
        else:
            action = interpreted(decide)(game, boards[0], views[0], *rest)
        found.append((int(action), report.round(5).tolist()))
    assert found[0] == found[1]


def test_a_killed_training_goes_on_the_same(trained, tmp_path):
    _, folder = trained
    work = TrainingContext(tmp_path, 1, game_text=SMALL)
    alphazero.train(replace(TINY, any_size=True, rounds=2), work)
    (tmp_path / "net-1.onnx").unlink()
    alphazero.train(replace(TINY, any_size=True), work)
    for name in ("net-1.onnx", "net-2.onnx", "curve.jsonl"):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_a_rival_plays_and_nobody_learns_from_it(trained):
    """In the last of the batches it has one seat of every game: half of its decisions are noted."""
    game, folder = trained
    boards, net = game.board(), read(folder / "net-2.onnx")
    sees, manner = observer(game, boards, "planes"), manner_of(AlphaZero(simulations=4, noise=1.0), 4, 1.0, 1)
    one, two = (play(game, boards, sees, net, rival, manner, 7, workers, lambda *_: None)
                for rival, workers in ((None, 1), (net, 2)))  # fmt: skip
    assert len(one.ends) == len(two.ends) == 8 * SLOTS
    last = one.game >= 7 * SLOTS
    assert np.array_equal(one.policy[~last], two.policy[two.game < 7 * SLOTS])
    share = (two.game >= 7 * SLOTS).sum() / last.sum()
    assert 0.35 < share < 0.65
    assert (one.policy.max(axis=1) > 0).all()


def test_every_symmetry_is_seen(trained):
    """A row looks as it is or mirrored, its policy likewise."""
    game, folder = trained
    sample = alphazero.joined([dict(np.load(folder / "rows-2.npz"))], [game.board()])
    sees = observer(game, game.board(), "planes")
    looker = alphazero.SampleView(game, game.board(), sees, sample, stream(0, 0), True)
    uneven = [not np.array_equal(each, each[:, :, ::-1]) for each in looker(np.arange(len(sample.mover)))[0].numpy()]
    row = int(np.flatnonzero((sample.policy >= 0).all(axis=1) & uneven)[0])
    inputs, policy, last = (part.numpy() for part in looker(np.full(64, row)))
    same = (inputs == inputs[0]).all(axis=(1, 2, 3))
    assert 16 < same.sum() < 48
    assert (inputs[~same] == inputs[0][:, :, ::-1]).all()
    assert (last[~same] == last[0][:, :, ::-1]).all()
    assert np.allclose(policy[~same], policy[0][::-1], atol=1e-6)


def test_foreign_nets_are_refused(trained, tmp_path):
    game, folder = trained
    with pytest.raises(ts.BadInput, match="train one for it"):
        ts.arena(
            "connect_four:width=5,height=4,connect=3", [f"alphazero:net={folder / 'net-2.onnx'}", "random"], games=2
        )
    with pytest.raises(ts.BadInput, match="no planes"):
        ts.arena("pig", [f"alphazero:net={folder / 'net-2.onnx'}", "random"], games=2)
    (tmp_path / "broken.onnx").write_bytes((folder / "net-2.onnx").read_bytes()[:-100])
    with pytest.raises(ts.BadInput, match="no net of ours"):
        ts.arena(game, [f"alphazero:net={tmp_path / 'broken.onnx'}", "random"], games=2)
    about = {"kind": "alphazero", "game": "x", "sees": json.loads("{}")}
    Net(fresh((32, 5), 0), "", about).write(tmp_path / "dense.onnx", "a test")
    with pytest.raises(ts.BadInput, match="was trained for x"):
        ts.arena(game, [f"alphazero:net={tmp_path / 'dense.onnx'}", "random"], games=2)


def forged(path, size=7, weight=1.0, before=(), about=True):
    """A net that sees 3 planes of 4 by 5, declares 7 numbers and gives `size`, as it finds only when it is asked."""
    kind, make = onnx.TensorProto, onnx.helper.make_node
    nodes = [
        make("Cast", ["planes"], ["seen"], to=kind.FLOAT),
        make("Flatten", ["seen"], ["flat"]),
        *before,
        make("MatMul", [before[-1].output[0] if before else "flat", "weights"], ["whole"]),
        make("ReduceMax", ["flat"], ["most"], axes=[0, 1], keepdims=0),
        make("Mul", ["most", "none"], ["nothing"]),
        make("Add", ["nothing", "size"], ["real"]),
        make("Cast", ["real"], ["end"], to=kind.INT64),
        make("Slice", ["whole", "start", "end", "axis"], ["said"]),
    ]
    numbers = {
        "weights": np.full((60, 7), weight, np.float32), "none": np.zeros(1, np.float32),
        "size": np.full(1, size, np.float32), "start": np.zeros(1, np.int64), "axis": np.ones(1, np.int64),
    }  # fmt: skip
    helper = onnx.helper
    given = helper.make_tensor_value_info("planes", kind.UINT8, ["rows", 3, 4, 5])
    found = helper.make_tensor_value_info("said", kind.FLOAT, ["rows", 7])
    parts = [onnx.numpy_helper.from_array(part, name) for name, part in numbers.items()]
    model = helper.make_model(
        helper.make_graph(nodes, "forged", [given], [found], parts),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
    )  # fmt: skip
    if about:
        helper.set_model_props(model, {"turnsmith": json.dumps({"kind": "alphazero"})})
    path.write_bytes(model.SerializeToString())
    return path


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"size": 2}, r"declares \(7,\) numbers a position and gives \(2,\)"),
        ({"weight": np.nan}, "not finite .in weights"),
        ({"weight": -np.inf}, "not finite .in weights"),
        ({"weight": 3e38}, "answers with numbers that are not finite"),
        ({"before": [onnx.helper.make_node("Log", ["flat"], ["log"])]}, "answers with numbers that are not finite"),
        ({"before": [onnx.helper.make_node("Transpose", ["flat"], ["turned"])]}, "cannot be asked"),
        ({"about": False}, "other inputs than planes"),
    ],
)
def test_a_net_that_lies_is_refused_when_it_is_opened(tmp_path, how, why):
    """Fewer numbers than declared, numbers that are none, and answers that do not come row by row."""
    assert residual.read_planes_net(forged(tmp_path / "true.onnx")).outputs == 7
    with pytest.raises(ts.BadInput, match=rf"net\.onnx .*{why}.*; export it again"):
        residual.read_planes_net(forged(tmp_path / "net.onnx", **how))


def test_nothing_beyond_an_answer_is_read(tmp_path):
    """A net that answers in another size later than it did at first gives no answer, and nothing is copied."""
    net = residual.read_planes_net(forged(tmp_path / "net.onnx"))
    seen, out = np.ones((2, 3, 4, 5), np.uint8), np.zeros((2, 7), np.float32)
    net.listener((3, 4, 5))(2, seen.ctypes.data, out.ctypes.data)
    assert (out == 60.0).all()
    late = replace(net, run=lambda inputs: net.run(inputs)[:, :2])
    with pytest.raises(ValueError, match="another size"):
        late.listener((3, 4, 5))(2, seen.ctypes.data, out.ctypes.data)


def test_a_net_that_never_answers_is_refused(tmp_path, monkeypatch):
    """One that loops for ever is stopped after the time it has."""
    monkeypatch.setattr(runtime, "PATIENCE", 0.2)
    helper, kind = onnx.helper, onnx.TensorProto
    body = helper.make_graph(
        [helper.make_node("Identity", ["going"], ["goes"]), helper.make_node("Sin", ["x"], ["y"])], "body",
        [helper.make_tensor_value_info(name, of, shape) for name, of, shape in
         [("turn", kind.INT64, []), ("going", kind.BOOL, []), ("x", kind.FLOAT, None)]],
        [helper.make_tensor_value_info("goes", kind.BOOL, []), helper.make_tensor_value_info("y", kind.FLOAT, None)],
    )  # fmt: skip
    yes = helper.make_node("Constant", [], ["yes"], value=helper.make_tensor("yes", kind.BOOL, [], [True]))
    loop = helper.make_node("Loop", ["", "yes", "flat"], ["looped"], body=body)
    with pytest.raises(ts.BadInput, match="answers nothing within"):
        residual.read_planes_net(forged(tmp_path / "net.onnx", before=[yes, loop]))
