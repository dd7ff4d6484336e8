"""Negamax: exact values, plain minimax, limits, the quickest win, its line and what it refuses."""

import numpy as np
import pytest
from asking import THICKET, Asked, ask, plain_values, random_history

import turnsmith as ts
from turnsmith.compile import kernel
from turnsmith.play import step


def connect_four_solver(width, height):
    """A solver that shares nothing with the package: ``value(mine, other)`` by memoised alpha-beta on bitboards."""
    tall = height + 1
    bottom = sum(1 << x * tall for x in range(width))
    cells = bottom * ((1 << height) - 1)
    columns = [((1 << height) - 1) << x * tall for x in sorted(range(width), key=lambda x: abs(2 * x - width + 1))]
    known = {}

    def completing(stones):
        """Cells that would complete a line of four."""
        found = (stones << 1) & (stones << 2) & (stones << 3)
        for way in (tall - 1, tall, tall + 1):
            pair = (stones << way) & (stones << 2 * way)
            found |= pair & ((stones << 3 * way) | (stones >> way))
            pair = (stones >> way) & (stones >> 2 * way)
            found |= pair & ((stones >> 3 * way) | (stones << way))
        return found

    def value(mine, other, alpha=-1, beta=1):
        filled = mine | other
        moves = (filled + bottom) & cells
        if not moves:
            return 0
        if completing(mine) & moves:
            return 1
        danger = completing(other) & cells & ~filled
        if danger & moves:
            moves &= danger
            if moves & (moves - 1):
                return -1
        moves &= ~(danger >> 1)  # a stone below would let the other seat complete its line
        if not moves:
            return -1
        key = mine + filled + bottom
        low, high = known.get(key, (-1, 1))
        alpha, beta = max(alpha, low), min(beta, high)
        if alpha >= beta:
            return low if low >= beta else high
        best, floor = -1, alpha
        for column in columns:
            if moves & column and best < beta:
                best = max(best, -value(other, mine | (moves & column), -beta, -floor))
                floor = max(floor, best)
        known[key] = (low, best) if best <= alpha else (best, high) if best >= beta else (best, best)
        return best

    return value


@pytest.mark.parametrize(("width", "height"), [(4, 4), (5, 4), (5, 5)])
def test_small_connect_four_boards_have_their_exact_values(width, height):
    """Deep enough, negamax finds the values of whole boards and of positions on them that a brute force finds."""
    game = ts.load(f"connect_four:width={width},height={height}")
    value = connect_four_solver(width, height)
    start = ask(game, "negamax:depth=42,table=20")
    assert start.value == value(0, 0)
    assert start.depth == width * height  # nothing less proves a draw
    found = set()
    for seed in range(60):
        history = random_history(game, width + height - 3 + seed % 6, seed)
        position = ts.position(game, 0, history)
        mine, other = (int(position.state.stones[seat]) for seat in (position.mover, 1 - position.mover))
        answer = ask(game, "negamax:depth=42", history)
        assert answer.value == value(mine, other), history
        found.add(answer.value)
    assert found == {-1.0, 0.0, 1.0}


@pytest.mark.parametrize("name", ["negamax", "expectimax", "maxn"])
def test_searches_equal_plain_minimax(name):
    """Pruned, ordered and remembered, a search of any depth has exactly the value of plain minimax of that depth."""
    for thicket in range(25):
        game = ts.load(f"{THICKET}:thicket={thicket}")
        position, known = game.start(), {}
        for depth in range(1, 8):
            plain = plain_values(game, position, depth, known)
            assert ask(game, f"{name}:depth={depth}").value == plain[position.mover], (thicket, depth)


def test_the_table_forgets_nothing_it_should_not():
    """A table of 16 entries, or one full of an earlier decision's entries, changes no value."""
    for thicket in range(25):
        game = ts.load(f"{THICKET}:thicket={thicket},places=30")
        kept = Asked(game, "negamax:depth=5")
        for seed in range(4):
            position = ts.position(game, 0, random_history(game, seed, seed))
            tiny = ask(game, "negamax:depth=5,table=4", position.history)
            assert kept(position).value == tiny.value == plain_values(game, position, 5)[position.mover]


def test_limits_are_kept():
    """Nodes are never exceeded, time ends a search without other limits, and both leave a legal move."""
    for nodes in (1, 10, 1000):
        answer = ask("connect_four", f"negamax:nodes={nodes}")
        assert answer.work == nodes
    assert 0 < ask("connect_four", "negamax:time=0.02").depth < 42
    assert ask("connect_four", "negamax:depth=3,time=100").depth == 3
    assert ask("connect_four", "negamax").depth == 6


def test_a_win_is_taken_at_once():
    """A win at hand is played, whatever else wins later."""
    answer = ask("connect_four", "negamax:depth=9", [3, 0, 3, 1, 3, 0])  # three on top of each other
    assert (answer.action, answer.value, answer.depth) == (3, 1.0, 1)


def test_a_lost_position_is_held_as_long_as_it_can_be():
    """Of moves that all lose, one is chosen after which the other seat needs the longest to win."""
    game, held = ts.load("connect_four:width=5,height=4"), 0
    for seed in range(200):
        position = ts.position(game, 0, random_history(game, 7, seed))
        answer = ask(game, "negamax:depth=20", position.history)
        if answer.value < 0 and answer.depth > 2:
            needs = {a: ask(game, "negamax:depth=20", [*position.history, a]).depth for a in position.actions}
            assert needs[answer.action] == max(needs.values()), position
            held += min(needs.values()) < max(needs.values())
    assert held > 5


def test_the_note_tells_the_best_line():
    """The line in the note is legal to its end and ends with the win the value promises."""
    game = ts.load("connect_four")
    position = ts.position(game, 0, [2, 2, 3, 3])
    decision = ts.player("negamax:depth=9").act(position)
    assert decision.value == 1.0
    positions, _, line = decision.note.partition(": ")
    assert positions.endswith("depth 3")
    for move in line.split(", "):
        position.push(move)
    assert position.outcome.winner == 0


def test_ties_are_broken_at_random():
    """Equal moves are chosen by the seed, so that two searches do not play one match for ever."""
    even = "connect_four:connect=5"  # where every unfinished position counts as even
    assert len({ask(even, "negamax:depth=2", seed=seed).action for seed in range(30)}) == 7


def test_refusals_say_what_to_use_instead():
    """A game with chance, or without two seats, is refused in a sentence that names another search."""
    with pytest.raises(ts.BadInput, match="chance has moves in this game; expectimax and mcts"):
        ask("pig", "negamax")
    with pytest.raises(ts.BadInput, match="this game has 3; maxn plays any number"):
        ask(f"{THICKET}:seats=3", "negamax")
    for text, reason in [("depth=121", "must be 0"), ("nodes=-1", "must be 0"), ("table=30", "must be 4 to 24")]:
        with pytest.raises(ts.BadInput, match=reason):
            ts.player(f"negamax:{text}")


def test_perft_of_connect_four():
    """The number of move sequences from the start is the known one, to depth 8."""
    game = ts.load("connect_four")
    states, acts = np.zeros(9, game.State), np.zeros((9, 7), np.int32)
    counts = [kernel.compiled(step.perft)(game, game.board(), states, depth, acts) for depth in range(1, 9)]
    assert counts == [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]
