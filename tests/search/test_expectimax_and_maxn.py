"""Expectimax and max^n: exact expectations, any number of seats, and one imagined world where something is hidden."""

import pytest
from asking import GOOFSPIEL, THICKET, ask, plain_values, random_history

import turnsmith as ts
from turnsmith.compile import kernel
from turnsmith.search import expectimax, maxn
from turnsmith.search.solve import Solve


@pytest.mark.parametrize(("name", "seats"), [("expectimax", 1), ("expectimax", 2), ("maxn", 2), ("maxn", 3)])
def test_expectations_equal_plain_recursion(name, seats):
    """With chance and any number of seats, a search of any depth has the value of plain recursion of that depth."""
    for thicket in range(20):
        game = ts.load(f"{THICKET}:thicket={thicket},chance=true,seats={seats}")
        known = {}
        for seed in range(2):
            position = ts.position(game, seed, random_history(game, seed, seed))
            for depth in range(1, 7):
                answer = ask(game, f"{name}:depth={depth}", position.history)
                plain = plain_values(game, position, depth, known)[position.mover]
                assert answer.value == pytest.approx(plain, abs=1e-12), (thicket, seed, depth)


def test_star_pruning_looks_at_less():
    """Windows that pass through chance leave positions out: fewer than max^n looks at for the same value."""
    game = ts.load("pig:target=15")
    pruned, full = ask(game, "expectimax:depth=6"), ask(game, "maxn:depth=6")
    assert pruned.value == pytest.approx(full.value, abs=1e-12)
    assert pruned.work < full.work / 2


def test_expectimax_agrees_with_the_solution_of_pig():
    """In endgames of Pig that a few decisions finish, the value tends to the solved one as the search deepens."""
    game = ts.load("pig:target=8")
    position = ts.position(game, 0, random_history(game, 6, 5))
    solved = Solve().act(position).value
    errors = [abs(ask(game, f"expectimax:depth={d},table=20", position.history).value - solved) for d in (2, 6, 10)]
    assert errors[2] < errors[1] < errors[0]
    assert errors[2] < 0.01


def test_three_seats_of_pig():
    """With three seats, the one who rolls at the brink of the target expects a win, and to go first is better."""
    game = ts.load("pig:target=6,players=3")
    assert -0.5 < ask(game, "maxn:depth=5").value < 1.0
    winning = game.start()
    while winning.state.turn_total < 6 and winning.outcome is None:
        winning.push("roll")
    answer = ask(game, "maxn:depth=2", winning.history)
    assert winning.words(answer.action) == "hold"
    assert answer.value == 1.0


def test_hidden_games_are_played_in_one_imagined_world():
    """Where something is hidden they take one possible world for the truth, and the note says so."""
    position = ts.load(GOOFSPIEL).start()
    for text in ("expectimax:depth=2", "maxn:depth=2"):
        assert "in one imagined world of what is hidden" in ts.player(text).act(position).note


def test_limits_and_refusals():
    """Nodes bound the work even inside chance, and expectimax leaves more than two seats to max^n."""
    for name in ("expectimax", "maxn"):
        assert ask("pig", f"{name}:nodes=500").work == 500
        assert ask("pig", f"{name}:time=0.02").depth > 0
    with pytest.raises(ts.BadInput, match="this game has 3; maxn plays any number"):
        ask("pig:players=3", "expectimax")


@pytest.mark.parametrize("module", [expectimax, maxn])
def test_a_recursive_search_compiles_once(module):
    """No literal reaches it: it would be compiled a second time, and that is not found again in the cache."""
    ask("pig", f"{module.__name__.rpartition('.')[2]}:depth=2")
    for signature in kernel.dispatcher(module.search).signatures:  # none, where all of it came from the cache
        assert "Literal" not in str(signature)
