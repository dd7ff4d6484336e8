"""Negamax: exact values, plain minimax, limits, the quickest win, its line and what it refuses."""

import dataclasses

import numpy as np
import pytest
from asking import SMALL_CHESS, THICKET, Asked, ask, plain_values, random_history

import turnsmith as ts
from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import OVER
from turnsmith.play import step
from turnsmith.search.negamax import MOST_LOUD


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


@pytest.mark.parametrize("how", ["scouts=false", "aspiration=true", "aspiration=true,scouts=false,order=false"])
def test_windows_change_no_value(how):
    """Without scouts, or looked for near the last value, it is that of plain minimax."""
    for thicket in range(12):
        game = ts.load(f"{THICKET}:thicket={thicket}")
        position = game.start()
        for depth in (3, 6):
            plain = plain_values(game, position, depth)
            assert ask(game, f"negamax:depth={depth},{how}").value == plain[position.mover], (thicket, depth)


@pytest.mark.parametrize(("name", "seats"), [("negamax", 2), ("expectimax", 2), ("maxn", 3)])
def test_depth_in_turns_equals_plain_recursion(name, seats):
    """A seat that decides again comes no nearer to the depth."""
    differ = 0
    for thicket in range(12):
        game = ts.load(f"{THICKET}:thicket={thicket},seats={seats},chance={str(name != 'negamax').lower()}")
        position = game.start()
        for depth in range(1, 4):
            plain = plain_values(game, position, depth, turns=True)[position.mover]
            assert ask(game, f"{name}:depth={depth},turns=true").value == pytest.approx(plain, abs=1e-12)
            differ += abs(plain - plain_values(game, position, depth)[position.mover]) > 1e-9
    assert differ > 5


def best_loud(game, board, state, alpha, beta, left):
    """What the seat that moved last has when both stand still or make loud moves, by the simplest alpha-beta."""
    mover, out = game.to_move(board, state), np.zeros(2)
    if mover == OVER:
        game.returns(board, state, out)
        return out[1 - int(state.seat)]
    game.evaluate(board, state, out)
    best, acts = out[mover], np.zeros(int(board.actions), np.int32)
    for action in acts[: game.legal(board, state, acts)] if left > 0 else ():
        if best < beta and game.loud(board, state, int(action)):
            after = np.array([state])
            game.apply(board, after[0], int(action))
            best = max(best, best_loud(game, board, after[0], -beta, -max(alpha, best), left - 1))
    return -best


def test_quiescence_looks_at_loud_moves_beyond_the_depth():
    """At depth 1 the value is the best over all moves of what loud moves come to, also where that changes it."""
    game, tried = ts.load(SMALL_CHESS), 0
    for seed in range(40):
        position = ts.position(game, 0, random_history(game, 50, seed))
        answer = ask(game, "negamax:depth=1", position.history)
        changes = answer.value != ask(game, "negamax:depth=1,quiescence=false", position.history).value
        if not changes or np.count_nonzero(position.state.cells) > 12:
            continue
        results, tried = [], tried + 1
        with np.errstate(over="ignore"):
            for action in position.actions:
                after = position.view(position.mover).copy()
                game.apply(position.board, after[0], int(action))
                results.append(best_loud(game, position.board, after[0], -1.0, 1.0, MOST_LOUD))
        assert answer.value == max(results)
        if tried == 3:
            return
    raise AssertionError(f"only {tried} positions are changed")


def test_what_may_change_the_value_looks_at_less():
    """Late moves reduced, and turns passed, leave positions out; both find the same wins in the end."""
    game = ts.load(SMALL_CHESS)
    position = ts.position(game, 0, random_history(game, 10, 3))
    full = ask(game, "negamax:depth=6,skips=false,table=20", position.history).work
    assert ask(game, "negamax:depth=6,skips=true,table=20", position.history).work < full
    assert ask(game, "negamax:depth=6,skips=false,reductions=true,table=20", position.history).work < full
    game, value = ts.load("connect_four:width=4,height=4"), connect_four_solver(4, 4)
    assert ask(game, "negamax:depth=16,reductions=true").value == value(0, 0)


def test_order_changes_work_alone():
    """What the game expects of moves saves positions and leaves the value as it is."""
    game = ts.load(SMALL_CHESS)
    position = ts.position(game, 0, random_history(game, 12, 1))
    text = "negamax:depth=4,skips=false,table=20"
    ordered, plain = (ask(game, f"{text},order={order}", position.history) for order in ("true", "false"))
    assert ordered.value == plain.value
    assert ordered.work < plain.work


def count_leaves(cells, side, depth, width=5):
    """Sequences of moves of small chess, by rules written once more: `cells` a text from a1 on, white in capitals."""
    total, letters = 0, "PNBRQK" if side == 0 else "pnbrqk"
    for start, piece in enumerate(cells):
        if piece not in letters:
            continue
        kind, ahead = piece.upper(), 1 if side == 0 else -1
        straight, diagonal = [(0, 1), (0, -1), (1, 0), (-1, 0)], [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        jumps = [(x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y)]
        ways = {"R": straight, "B": diagonal, "N": jumps, "P": [(-1, ahead), (0, ahead), (1, ahead)]}
        for right, up in ways.get(kind, straight + diagonal):
            x, y = start % width + right, start // width + up
            while 0 <= x < width and 0 <= y < len(cells) // width:
                to = y * width + x
                there = cells[to]
                is_free, is_theirs = there == ".", there != "." and there.isupper() != (side == 0)
                if (is_free or is_theirs) and (kind != "P" or (is_free if right == 0 else is_theirs)):
                    last = y in (0, len(cells) // width - 1)
                    put = letters[4] if kind == "P" and last else piece
                    after = "".join(put if i == to else "." if i == start else c for i, c in enumerate(cells))
                    total += 1 if depth == 1 else 0 if there in "kK" else count_leaves(after, 1 - side, depth - 1)
                if not is_free or kind in "PNK":
                    break
                x, y = x + right, y + up
    return total


def test_perft_of_small_chess():
    """The compiled rules and rules written independently count the same sequences."""
    game = ts.load(SMALL_CHESS)
    states, acts = np.zeros(5, game.State), np.zeros((5, 900), np.int32)
    game.setup(game.board()[0], states[0])
    counts = [compiled(step.perft)(game, game.board(), states, depth, acts) for depth in range(1, 5)]
    assert counts == [count_leaves("RNBQKPPPPP..........pppppqkbnr", 0, depth) for depth in range(1, 5)]


def test_history_is_no_part_of_the_default_hash():
    """States that only remember different pasts have one hash; any other field counts."""
    game = ts.load(SMALL_CHESS)
    one, other = (np.zeros(1, game.State) for _ in range(2))
    game.setup(game.board()[0], one[0])
    other[:] = one
    other[0].seen[7] = 5
    with np.errstate(over="ignore"):
        assert game.hash(None, one[0]) == game.hash(None, other[0])
        other[0].quiet = 1
        assert game.hash(None, one[0]) != game.hash(None, other[0])
    with pytest.raises(ts.BadInput, match="history must be a tuple of fields of its State"):
        dataclasses.replace(game, history=("past",))


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
    counts = [compiled(step.perft)(game, game.board(), states, depth, acts) for depth in range(1, 9)]
    assert counts == [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]
