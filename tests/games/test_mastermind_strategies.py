"""Mastermind's strategies: known values, exact ties, the proof of the optimum, trees on disk and exported."""

import json
import re
from functools import cache
from itertools import product

import numpy as np
import pytest
from mastermind_reference import Reference, answer

import turnsmith as ts
from turnsmith.games.mastermind import rules, strategy, trees

reference = cache(Reference)


@cache
def plan_of(name, colors, pegs):
    """A strategy for a board, built afresh."""
    boards = rules.tables({"colors": colors, "pegs": pegs})
    return trees.StrategyTree(name, boards, trees.build(boards, name))


def decisions(plan):
    """{history of (guess, answer): guess} of a tree."""
    histories = {0: ()}
    for above, given, row in plan.links():
        histories[row] = (*histories[above], (int(plan.tree[above, 0]), given))
    return {history: int(plan.tree[row, 0]) for row, history in histories.items()}


@pytest.mark.parametrize(
    ("name", "colors", "pegs", "total"),
    [
        ("knuth", 4, 2, 45),
        ("knuth", 4, 4, 919),
        ("knuth", 6, 4, 5801),
        ("entropy", 6, 4, 5722),
        ("expected-size", 6, 4, 5696),
        ("most-parts", 6, 4, 5668),
        ("optimal", 4, 2, 45),
        ("optimal", 4, 4, 905),
        ("optimal", 5, 4, 2463),
        ("optimal", 6, 3, 854),
        ("optimal", 9, 3, 3596),
        ("optimal", 6, 4, 5625),
    ],
)
def test_known_totals(name, colors, pegs, total):
    """The sum of guesses over all secrets is the known one."""
    assert plan_of(name, colors, pegs).sizes().sum() == total


@pytest.mark.parametrize("name", ["knuth", "entropy", "expected-size", "most-parts"])
@pytest.mark.parametrize(("colors", "pegs"), [(2, 1), (4, 2), (3, 3), (4, 3), (2, 5), (5, 4)])
def test_symmetry_changes_no_decision(name, colors, pegs):
    """Looking at one guess of each orbit finds the tree that looking at all guesses finds, tie for tie."""
    small = reference(colors, pegs)
    plan, total = small.plan(lambda left: small.best_guess(name, left))
    mine = plan_of(name, colors, pegs)
    assert decisions(mine) == plan
    assert mine.sizes().sum() == total


@pytest.mark.parametrize(("colors", "pegs"), [(12, 1), (3, 2), (4, 2), (2, 3), (3, 3), (2, 4)])
def test_optimal_is_least(colors, pegs):
    """No strategy at all needs fewer guesses: the search agrees with trying everything."""
    small = reference(colors, pegs)
    if pegs == 1:
        assert plan_of("optimal", colors, pegs).sizes().sum() == colors * (colors + 1) // 2
    else:
        assert plan_of("optimal", colors, pegs).sizes().sum() == small.least(tuple(range(len(small.codes))))


def test_entropy_ties_are_exact():
    """Parts whose products of n ** n are equal cost exactly the same, and a part of one costs nothing."""
    cost = np.concatenate([[0], np.cumsum(strategy.gains(strategy.ENTROPY, 400))])
    assert cost[1] == 0
    assert cost[6] == 3 * cost[2] + 2 * cost[3]  # 6^6 = (2^2)^3 (3^3)^2
    assert cost[4] == 4 * cost[2]
    assert cost[12] == 12 * cost[2] + 4 * cost[3]
    assert cost[300] / 2**42 == pytest.approx(300 * np.log2(300), abs=1e-8)


def test_every_code_is_broken_in_its_tree():
    """Walking the tree with the answers of each secret ends on that secret."""
    plan, small = plan_of("optimal", 5, 4), reference(5, 4)
    for secret in range(625):
        row = 0
        while plan.tree[row, 0] != secret:
            row = plan.tree[row, 1 + small.table[plan.tree[row, 0], secret]]
            assert row > 0


def test_trees_are_kept_on_disk(tmp_path, monkeypatch):
    """A stored tree is read again; a damaged or unfitting file is replaced by a new tree."""
    monkeypatch.setenv("TURNSMITH_CACHE", str(tmp_path))
    boards = rules.tables({"colors": 4, "pegs": 2})
    tree = trees.load(boards, "knuth")
    file = trees.stored(boards, "knuth")
    sound = file.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(trees, "build", lambda *_: pytest.fail("built although it was stored"))
        assert np.array_equal(trees.load(boards, "knuth"), tree)
    for damage in (b"", b"no archive", sound[: len(sound) // 2], sound[:80] + b"????" + sound[84:]):
        file.write_bytes(damage)
        assert np.array_equal(trees.load(boards, "knuth"), tree)
    with file.open("wb") as target:
        np.savez_compressed(target, tree=tree[:, ::-1])
    assert np.array_equal(trees.load(boards, "knuth"), tree)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_only_strategies_are_sound():
    """An array that loops, forgets a code or has the wrong shape is no strategy."""
    boards = rules.tables({"colors": 4, "pegs": 2})
    tree = plan_of("knuth", 4, 2).tree
    assert trees.is_sound(boards, tree)
    loops, forgets = tree.copy(), tree.copy()
    above, given = np.argwhere(loops[:, 1:])[-1]
    loops[above, 1 + given] = 1
    forgets[forgets[:, 0] == 9, 0] = 0
    for wrong in (loops, forgets, tree[:-1], tree[:, :-1], tree.astype(np.int64), tree[:0]):
        assert not trees.is_sound(boards, wrong)


def test_json_is_the_whole_plan():
    """Following the exported guesses breaks every code with the announced number of guesses."""
    document = json.loads(plan_of("knuth", 4, 2).json())
    total = 0
    for secret in product("abcd", repeat=2):
        node = document["first"]
        total += 1
        while node["guess"] != " ".join(secret):
            node = node["answers"]["{}+{}".format(*answer(node["guess"].split(), secret))]
            total += 1
    assert total == document["guesses"] == 45
    assert (document["codes"], document["first"]["codes"], document["player"]) == (16, 16, "knuth")


def test_graphviz_has_a_node_a_row():
    """The GraphViz text names every row once and joins it to the one above."""
    plan = plan_of("optimal", 4, 2)
    dot = plan.dot()
    assert dot.startswith('digraph "optimal" {')
    assert dot.rstrip().endswith("}")
    assert len(re.findall(r'^  n\d+ \[label="[a-d] [a-d]\\n\d+"\];$', dot, re.MULTILINE)) == len(plan.tree)
    assert len(re.findall(r'^  n\d+ -> n\d+ \[label="\d\+\d"\];$', dot, re.MULTILINE)) == len(plan.tree) - 1


def test_strategy_of_a_player():
    """A player hands out its plan for the board it plays on."""
    game = ts.load("mastermind:colors=4,pegs=2")
    plan = ts.player("knuth", game).strategy(game, game.board())
    assert json.loads(plan.json())["guesses"] == 45
