"""Trees as arrays, and the original program's files of them."""

import random
import struct

import numpy as np
import pytest
from drawn import homeguard_map, mutated
from hypothesis import given, settings
from hypothesis import strategies as st

from turnsmith.common.errors import BadInput
from turnsmith.maps.files import iwonformat
from turnsmith.maps.files.iwonformat import HEAD, read_run, read_tensor, read_trees, run_of, write_run, write_tensor
from turnsmith.maps.tree import PADDING, SIDES, Trees, nodes, reachable_best, stack


def grown(seed, trees=3, branches=6, layers=4, sides=()):
    """Random trees whose branches share their first actions now and then."""
    dice = np.random.default_rng(seed)
    actions = dice.integers(0, 3, (trees, branches, layers)).astype(np.int16)
    scores = (5 * dice.integers(-3, 4, actions.shape)).astype(np.int16)
    shapes = {name: (trees, branches, layers // 2 + (name == "positions"), 2) for name in sides}
    found = {name: dice.integers(0, 9, shape).astype(np.int16) for name, shape in shapes.items()}
    return Trees(actions, scores, reachable_best(actions, scores), found)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), trees=st.sampled_from([1, 2, 200]), branches=st.integers(1, 7))
def test_what_can_be_reached_is_what_branches_of_the_same_beginning_reach(seed, trees, branches):
    """As worked out branch by branch; nodes are shared by branches of the same beginning, and by no others."""
    dice = np.random.default_rng(seed)
    actions, scores = dice.integers(0, 3, (2, trees, branches, 4)).astype(np.int16)
    best, node = reachable_best(actions, scores), nodes(actions)
    for tree in {0, trees - 1}:
        for branch in range(branches):
            for layer in range(4):
                same = (actions[tree, :, : layer + 1] == actions[tree, branch, : layer + 1]).all(axis=1)
                assert best[tree, branch, layer] == scores[tree, same, -1].max()
                assert ((node[:, :, layer] == node[tree, branch, layer])[tree] == same).all()
                assert not (node[:, :, layer] == node[tree, branch, layer])[np.arange(trees) != tree].any()


def test_branches_that_are_not_there_stay_so():
    """What could be reached of padding is padding, and it shares nodes with nothing."""
    actions, scores = (np.array([[[0, 1], [0, 2], [PADDING, PADDING]]], np.int16) for _ in range(2))
    assert reachable_best(actions, scores)[0].tolist() == [[2, 1], [2, 2], [PADDING, PADDING]]


def test_trees_of_different_sizes_are_put_together():
    """The largest says how many branches there are, or a share of all trees; what is lacking is padding."""
    sizes = (2, 3, 3, 4, 9)
    parts = [grown(size, 1, size, sides=("positions",)) for size in sizes]
    whole = stack(parts)
    assert whole.is_there.sum(axis=1).tolist() == [2, 3, 3, 4, 9]
    clipped = stack(parts, 0.8)
    assert clipped.actions.shape == (5, 4, 4)
    assert clipped.is_there.sum(axis=1).tolist() == [2, 3, 3, 4, 4]
    assert (clipped.best[4] == parts[4].best[0, :4]).all()
    assert (clipped.sides["positions"][0, 2:] == PADDING).all()
    assert len(stack([whole, parts[0]])) == 6
    assert len(whole[1:3]) == 2


def test_trees_that_do_not_fit_together_are_refused():
    """Shapes, types and sides are checked when trees are made."""
    good = grown(1)
    for change, reason in (
        ({"scores": good.scores[:, :3]}, r"scores of trees must be int16 of the shape \(3, 6, 4\)"),
        ({"best": good.best.astype(np.int32)}, "best of trees must be int16"),
        ({"actions": good.actions[0]}, "trees are arrays of trees × branches × layers"),
        ({"layers_a_round": 3}, "4 layers cannot be rounds of 3"),
        ({"sides": {"hp": good.scores}}, "hp of trees must be int16 of the shape .* × units"),
        ({"sides": {"mood": good.scores}}, "trees have no side 'mood'"),
    ):
        with pytest.raises(BadInput, match=reason):
            Trees(**{**vars(good), **change})
    with pytest.raises(BadInput, match="there are no trees"):
        stack([])


# ---------------------------------------------------------------- files


def test_a_tensor_is_as_its_description_says(tmp_path):
    """Twelve bytes of shape and two a number, the lowest byte first."""
    path = tmp_path / "x.iwonformat"
    write_tensor(path, np.array([[[1, -2], [PADDING, 256]]], np.int16))
    assert path.read_bytes() == struct.pack("<III", 1, 2, 2) + struct.pack("<hhhh", 1, -2, 32767, 256)
    assert read_tensor(path).tolist() == [[[1, -2], [PADDING, 256]]]


@settings(max_examples=25, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10**6), trees=st.integers(1, 5), sides=st.sets(st.sampled_from(list(SIDES))))
def test_a_run_comes_back(tmp_path_factory, seed, trees, sides):
    """Maps, the three tensors under the original's names, and what stands beside them."""
    run = tmp_path_factory.mktemp("run") / "07-06_14-20"
    found = grown(seed, trees, sides=sides)
    maps = [homeguard_map(seed + number, label=number // 2) for number in range(trees)]
    written = write_run(run, maps, found, "a header\n")
    assert [path.name for path in written[:4]] == [
        run.name, *(f"{run.name}.{name}.iwonformat" for name in ("treeLAInds", "treeScores", "treeMinmaxes"))
    ]  # fmt: skip
    back_maps, back = read_run(run)
    assert back_maps == maps
    for name in ("actions", "scores", "best"):
        assert (getattr(back, name) == getattr(found, name)).all()
    assert set(back.sides) == sides
    assert all((back.sides[name] == found.sides[name]).all() for name in sides)
    assert {run_of(path) for path in written} == {run}


def test_a_run_that_is_written_again_leaves_nothing_of_the_old_one(tmp_path):
    """Sides that the new trees do not have are gone."""
    run = tmp_path / "x"
    write_run(run, [homeguard_map(1)] * 3, grown(1, sides=("positions", "used_portal")))
    write_run(run, [homeguard_map(1)] * 2, grown(2, trees=2))
    maps, trees = read_run(run)
    assert (len(maps), len(trees), dict(trees.sides)) == (2, 2, {})
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "byte 0: the file ends within its shape"),
        (bytes(11), "byte 11: the file ends within its shape"),
        (struct.pack("<III", 1, 0, 2), "byte 4: the shape 1 × 0 × 2 has no numbers"),
        (struct.pack("<III", 1, 1, 2) + bytes(3), "byte 15: the file is too short: the shape 1 × 1 × 2 takes 16 bytes"),
        (struct.pack("<III", 1, 1, 2) + bytes(5), "byte 16: the file is too long"),
        (b"\xff" * 12, "byte 0: the shape 4,294,967,295 × .* has more than 4,294,967,296 numbers"),
        (struct.pack("<III", 65536, 16384, 1) + bytes(9), "byte 21: the file is too short"),
    ],
)
def test_a_damaged_tensor_is_refused_by_byte(tmp_path, data, reason):
    """Before any memory is taken for what its shape promises."""
    path = tmp_path / "x.iwonformat"
    path.write_bytes(data)
    with pytest.raises(BadInput, match=f"x.iwonformat: {reason}"):
        read_tensor(path)


def test_files_of_different_runs_are_refused(tmp_path):
    """Other shapes, other numbers of maps, padding that does not agree, files that are missing."""
    run = tmp_path / "x"

    def again():
        write_run(run, [homeguard_map(1)] * 3, grown(1, sides=("hp",)))

    def put(name, tensor):
        write_tensor(tmp_path / f"x.{name}.iwonformat", tensor)

    good = grown(1)
    gap, part, first = good.scores.copy(), good.best.copy(), good.scores.copy()
    gap[1, 2], part[1, 2, 1], first[0, 0, 0] = PADDING, PADDING, PADDING
    negative = good.actions.copy()
    negative[2, 0, 0] = -1
    for damage, reason in (
        (lambda: put("treeScores", good.scores[:2]), r"treeScores.iwonformat: byte 0: the shape 2 × 6 × 4 is not that"),
        (
            lambda: put("treeScores", gap),
            "treeLAInds.iwonformat: byte 76: tree 1, branch 2, layer 0: a branch is 32767",
        ),
        (lambda: put("treeMinmaxes", part), "treeMinmaxes.iwonformat: byte 78: tree 1, branch 2, layer 1"),
        (lambda: put("treeLAInds", negative), "byte 108: tree 2, branch 0, layer 0: an action is below 0"),
        (lambda: put("treeHp", good.scores), "treeHp.iwonformat: byte 0: there are 3 rows for 18 branches"),
        (lambda: (tmp_path / "x.treeScores.iwonformat").unlink(), "there is no file .*treeScores"),
        (lambda: run.unlink(), "there is no file .*x, the maps of the run; without it the run is not complete"),
        (lambda: run.write_text(run.read_text() + "\n\n\n" + run.read_text()[5:]), "there are 6 maps, but 3 trees"),
    ):
        again()
        damage()
        with pytest.raises(BadInput, match=reason):
            read_run(run)
    behind = {name: getattr(good, name).copy() for name in ("actions", "scores", "best")}
    for name, tensor in behind.items():
        tensor[1, 2] = PADDING
        put(iwonformat.NAMES[name], tensor)
    with pytest.raises(BadInput, match=r"treeScores.iwonformat: byte .*tree 1, branch 3, layer 0: a tree has at least"):
        read_trees(run)
    with pytest.raises(BadInput, match="there are 1 maps and 3 trees"):
        write_run(tmp_path / "y", [homeguard_map(1)], good)
    with pytest.raises(BadInput, match="a tensor is int16 of three dimensions"):
        write_tensor(tmp_path / "y", good.actions[0])
    assert not (tmp_path / "y").exists()


def test_any_damage_to_a_run_is_refused_in_one_line_or_does_no_harm(tmp_path):
    """Random changes of a tensor: what is read has the right shape, all else is refused in a line that names a byte."""
    run, dice, lines = tmp_path / "x", random.Random(1), []
    write_run(run, [homeguard_map(1)] * 3, grown(1))
    file = tmp_path / "x.treeScores.iwonformat"
    data = file.read_bytes()
    for _ in range(150):
        file.write_bytes(mutated(data, dice))
        try:
            assert len(read_run(run)[1]) == 3
        except BadInput as error:
            lines.append(str(error))
    assert len(lines) > 50
    assert all("byte " in line and "\n" not in line for line in lines)
    assert len(data) == HEAD + 2 * 3 * 6 * 4
