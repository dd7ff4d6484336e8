"""Mastermind's players: exact results, play off the tree, both worlds, refusals, and what they say of their guesses."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from mastermind_reference import Reference, answer

import turnsmith as ts
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.compile.rng import stream
from turnsmith.games.mastermind import advice, players, trees
from turnsmith.play.player import POLICY, CompiledPlayer
from turnsmith.play.step import ask

reference = cache(Reference)

COMPILED = [name for name, kind in players.PLAYERS.items() if issubclass(kind, CompiledPlayer)]
"""All but `eyes`, who is asked in Python."""


def exact(name, text):
    """The exact result of a player on a board."""
    game = ts.load(text)
    return ts.player(name, game).exact(game, game.board())


@pytest.mark.parametrize(
    ("name", "total", "most"),
    [
        ("knuth", 5801, 5),
        ("entropy", 5722, 6),
        ("expected-size", 5696, 6),
        ("most-parts", 5668, 6),
        ("optimal", 5625, 6),
        ("random-unique", 12915, 10),
    ],
)
def test_exact_totals(name, total, most):
    """Over all 1296 secrets the player needs exactly the known number of guesses."""
    found = exact(name, "mastermind")
    assert (found.games, found.total, found.max) == (1296, total, most)
    assert found.mean == Fraction(total, 1296)
    assert sum(found.histogram.values()) == 1296


@pytest.mark.parametrize(
    ("text", "mean"), [("colors=4,pegs=2", 7.609), ("colors=4,pegs=4", 9.826), ("colors=6", 9.965)]
)
def test_random_is_known_in_closed_form(text, mean):
    """Any code, each time anew: the chance to miss so far, summed over the tries."""
    found = exact("random", f"mastermind:{text}")
    codes = found.games
    assert found.mean == sum((1 - Fraction(1, codes)) ** k for k in range(10))
    assert float(found.mean) == pytest.approx(mean, abs=5e-4)
    assert sum(found.histogram.values()) == pytest.approx(codes)


def test_random_unique_runs_out_of_codes():
    """Where there are fewer codes than tries, each code is guessed in the end."""
    assert exact("random-unique", "mastermind:colors=3,pegs=1").histogram == {1: 1, 2: 1, 3: 1}


@pytest.mark.parametrize("name", ["eliminate", "eliminate-frequency"])
@pytest.mark.parametrize(("colors", "pegs"), [(4, 2), (3, 3), (4, 3)])
def test_lots_are_averaged_out(name, colors, pegs):
    """The expectation is that of following every guess it may draw, in fractions."""
    small = reference(colors, pegs)
    found = exact(name, f"mastermind:colors={colors},pegs={pegs},tries=20")
    total = small.by_lot(tuple(range(len(small.codes))), name == "eliminate-frequency")
    assert found.total == pytest.approx(float(total), abs=1e-9)


@pytest.mark.parametrize(
    ("name", "text", "mean"),
    [
        ("eliminate", "colors=4,pegs=4", 3.74941609313788),
        ("eliminate", "colors=6", 4.64352333821497),
        ("eliminate-frequency", "colors=4,pegs=2", 2.8125),
        ("eliminate-frequency", "colors=4,pegs=4", 3.87372287326389),
        ("eliminate-frequency", "colors=6", 4.65539768207055),
    ],
)
def test_lots_on_the_standard_boards(name, text, mean):
    """The values of larger boards, to nine digits."""
    assert exact(name, f"mastermind:{text}").mean == pytest.approx(mean, abs=1e-9)


def test_few_tries_cap_the_result():
    """Codes that take longer than the tries count as the last one, for lots and for trees alike."""
    for name in ("eliminate", "knuth"):
        long, short = exact(name, "mastermind:colors=4,pegs=2"), exact(name, "mastermind:colors=4,pegs=2,tries=3")
        assert short.max == 3
        assert short.histogram[3] == pytest.approx(sum(long.histogram[k] for k in long.histogram if k >= 3))
        broken = long.histogram[3]
        told = {"broken in 3 guesses": broken, "not broken in 3 guesses": short.histogram[3] - broken}
        assert short.endings == pytest.approx(told), "who broke a code with the last guess did break it"
        assert list(long.endings) == [f"broken in {long.max} guesses"]


def test_two_seats_have_no_exact_result():
    """Against a maker there is nothing to average over."""
    assert all(exact(name, "mastermind:colors=4,pegs=2,maker=seat") is None for name in COMPILED)


def test_the_tree_and_the_machine_code_agree():
    """Breaking every code by machine code takes what the exported tree announces."""
    game = ts.load("mastermind:colors=5,pegs=3")
    for name in ("knuth", "optimal"):
        who = ts.player(name, game)
        plan = who.strategy(game, game.board())
        assert who.exact(game, game.board()).total == plan.sizes().sum()


@pytest.mark.parametrize("name", [n for n in COMPILED if n != "random"])
def test_compiled_and_interpreted_decide_alike(name):
    """On and off the tree, and as the maker, a decision is the same in both worlds."""
    for text in ("mastermind:colors=3,pegs=2", "mastermind:colors=3,pegs=2,maker=seat"):
        game = ts.load(text)
        who = ts.player(name, game)
        for seed in range(4):
            position = game.start(seed)
            while position.outcome is None and len(position.history) < 7:
                ready, acts = who.prepare(game, position.boards), position.actions
                views = position.view(position.mover)
                chosen = []
                for how in (compiled, interpreted):
                    rest = (np.zeros(ready.memory, np.uint8), ready.params, np.zeros(POLICY + len(acts)), stream(seed))
                    chosen.append(int(how(ask)(game, position.boards, views, acts, who.where(game), ready.data, *rest)))
                assert chosen[0] == chosen[1]
                position.push(int(acts[(seed * 5 + 3 * len(position.history)) % len(acts)]))  # a foreign move


@pytest.mark.parametrize("name", ["knuth", "entropy", "expected-size", "most-parts"])
def test_off_the_tree_the_criterion_decides(name):
    """After foreign guesses the choice is the best by the same criterion, all guesses looked at."""
    game, small = ts.load("mastermind:colors=4,pegs=3"), reference(4, 3)
    who = ts.player(name, game)
    for history in ([40, 63], [40, 0, 21], [17, 5, 5], [9, 63, 62]):
        position = ts.position(game, history=history)
        left = [c for c in range(64) if all(small.table[g, c] == small.table[g, history[0]] for g in history[1:])]
        assert who.act(position).action == small.best_guess(name, left)


def test_off_the_tree_optimal_is_still_optimal():
    """After foreign guesses the rest is solved: the guess it makes leads to the least cost there is."""
    game, small = ts.load("mastermind:colors=3,pegs=3"), reference(3, 3)
    who = ts.player("optimal", game)
    for history in ([13, 26], [5, 0], [20, 25, 24]):
        position = ts.position(game, history=history)
        left = [c for c in range(27) if all(small.table[g, c] == small.table[g, history[0]] for g in history[1:])]
        parts = small.parts(who.act(position).action, left)
        cost = len(left) + sum(small.least(tuple(part)) for given, part in parts.items() if given != small.win)
        assert cost == small.least(tuple(left))


def test_random_players_keep_their_promises():
    """random-unique never repeats a guess; the others guess only what is still possible, each of those they may."""
    game, small, drawn = ts.load("mastermind:colors=3,pegs=2"), reference(3, 2), set()
    for seed in range(12):
        position = game.start(seed)
        while position.outcome is None:
            position.push(ts.player("random-unique", game).act(position).action)
        assert len(set(position.history[1:])) == len(position.history[1:])
        for name, may in (("eliminate", list), ("eliminate-frequency", small.frequent)):
            position, left = game.start(seed), list(range(9))
            while position.outcome is None:
                guess = ts.player(name, game).act(position).action
                assert guess in may(left)
                drawn.add((name, tuple(left), guess))
                left = small.parts(guess, left)[int(small.table[guess, position.history[0]])]
                position.push(guess)
    assert len({guess for name, left, guess in drawn if name == "eliminate-frequency" and len(left) == 9}) > 2


def test_a_maker_that_keeps_the_secret_open():
    """As the maker a planner gives the answer that leaves the most codes, and the game still ends."""
    game, small = ts.load("mastermind:colors=4,pegs=2,maker=seat"), reference(4, 2)
    breaker, maker = ts.player("knuth", game), ts.player("optimal", game)
    position, left = game.start(), list(range(16))
    while position.outcome is None:
        guess = breaker.act(position).action
        position.push(guess)
        parts, decision = small.parts(guess, left), maker.act(position)
        assert len(parts[decision.action]) == max(map(len, parts.values()))
        assert f"the answer leaves {len(parts[decision.action])}" in decision.note
        left = parts[decision.action]
        position.push(decision.action)
    assert position.outcome.returns == (-4.0, 4.0)


@pytest.mark.parametrize(("name", "text"), [("knuth", "colors=9,pegs=7"), ("optimal", "colors=8,pegs=5")])
def test_too_large_boards_are_refused_at_once(name, text, monkeypatch):
    """A board that a method cannot plan for is refused with the limit before any work is done."""
    monkeypatch.setattr(trees, "load", lambda *_: pytest.fail("began to plan"))
    game = ts.load(f"mastermind:{text}")
    who = ts.player(name, game)
    for ask_for in (who.exact, who.strategy, who.check):
        with pytest.raises(ts.BadInput, match=r"codes are more than the [0-9,]+ it can plan for; take fewer"):
            ask_for(game, game.board())


def test_other_games_are_refused():
    """The game's players know what they cannot play."""
    pig = ts.load("pig")
    with pytest.raises(ts.BadInput, match="it plays Mastermind only"):
        players.Knuth().check(pig, pig.board())


def test_a_hint_explains_itself():
    """A decision says how many codes remain, whether the guess may be it, and what each answer would leave."""
    game = ts.load("mastermind")
    note = ts.player("knuth", game).act(ts.position(game, history=[300])).note
    assert note.startswith("1,296 codes remain; a a b b may be it\n0+0 leaves 256, 0+1 leaves 256,")
    assert note.endswith("3+0 leaves 20, 4+0 leaves 1")


HISTORY = [("aabb", "1+0"), ("acdd", "1+1")]


def test_remaining_codes():
    """What a person reports leaves the codes that fit it."""
    boards = ts.load("mastermind").board()
    codes = enumerate(product(range(6), repeat=4))
    fit = [n for n, code in codes if answer((0, 0, 1, 1), code) == (1, 0) and answer((0, 2, 3, 3), code) == (1, 1)]
    assert advice.remaining(boards, HISTORY).tolist() == fit
    assert advice.diagnose(boards, HISTORY) is None


@pytest.mark.parametrize(
    ("history", "reason"),
    [
        ([("aabb", "1+0"), ("aabb", "0+1")], r"turn 2: no code answers 0\+1 to aabb and fits turn 1; .*: 1\+0$"),
        ([*HISTORY, ("aabb", "1+0"), ("acdd", "2+0")], r"turn 4: .* fits turns 1 to 3; possible there: 1\+1$"),
        ([("aaaa", "0+1")], r"turn 1: no code answers 0\+1 to aaaa; possible there: 0\+0, 1\+0, 2\+0, 3\+0, 4\+0$"),
        ([("aabb", "3+1")], r"turn 1: the answer 3\+1 cannot exist"),
        ([("aabb", "3+2")], r"turn 1: the answer 3\+2 counts 5 pegs, but a code has 4"),
        ([("aabb", "two")], r"turn 1: 'two' is not an answer; write red\+white"),
        ([("aabx", "1+0")], r"turn 1: 'aabx' is not a code here; write 4 letters of a to f"),
        ([("aabb", "1+0")] * 21, "a history of 21 turns is too long"),
    ],
)
def test_impossible_feedback_is_named(history, reason):
    """The first turn that no code fits is named with what could have been answered, and wrong notation is explained."""
    boards = ts.load("mastermind").board()
    with pytest.raises(ts.BadInput, match=reason) as error:
        advice.remaining(boards, history)
    assert advice.diagnose(boards, history) == str(error.value)
    assert "\n" not in str(error.value)
