"""The classic games against OpenSpiel's rules, move by move in random games, and by published counts."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import minimax

import turnsmith as ts
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.games.backgammon.rules import BAR, ROLLS
from turnsmith.play.position import Position


def same(position, action):
    return action


def breakthrough(position, action):
    """OpenSpiel numbers cells without gaps, six ways to go and whether the move captures."""
    pawn, turn, seat, width = action // 3, action % 3, position.mover, int(position.board.width)
    target = pawn + (7 + turn if seat == 0 else turn - 9)
    takes = int(position.state.pawns[1 - seat]) >> target & 1
    return ((pawn // 8 * width + pawn % 8) * 6 + 3 * seat + turn) * 2 + takes


PAIRED = [
    ("tic_tac_toe", "tic_tac_toe", same, 200),
    ("connect_four", "connect_four", same, 60),
    ("hex:size=3", "hex(board_size=3)", same, 200),
    ("hex", "hex(board_size=11)", same, 30),
    ("breakthrough", "breakthrough", breakthrough, 40),
    ("breakthrough:width=5,height=6", "breakthrough(rows=6,columns=5)", breakthrough, 60),
    ("go:repetition=draw", "go(board_size=9)", same, 25),
    ("go:size=4,komi=0.5,repetition=draw", "go(board_size=4,komi=0.5)", same, 200),
    ("go:size=2,komi=0.5,repetition=draw", "go(board_size=2,komi=0.5)", same, 300),
]


@pytest.mark.parametrize(("ours", "name", "number", "games"), PAIRED, ids=[ours for ours, *_ in PAIRED])
def test_open_spiel_plays_the_same_game(ours, name, number, games):
    """Mover, legal moves and returns are OpenSpiel's at every position of random games."""
    game, other, random = ts.load(ours), pyspiel.load_game(name), np.random.default_rng(7)
    results = set()
    for seed in range(games):
        position, theirs = game.start(seed), other.new_initial_state()
        while not theirs.is_terminal():
            actions = position.actions.tolist()
            numbers = {number(position, action): action for action in actions}
            assert position.mover == theirs.current_player()
            assert sorted(numbers) == theirs.legal_actions()
            chosen = int(random.choice(sorted(numbers)))
            position.push(numbers[chosen])
            theirs.apply_action(chosen)
        assert position.mover == OVER
        assert list(position.outcome.returns) == theirs.returns()
        results.add(position.outcome.returns[0])
    assert {-1.0, 1.0} <= results
    assert 0.0 in results or ours != "go:size=2,komi=0.5,repetition=draw"  # where positions come again


def perft(text, depth):
    """How many sequences of so many moves there are."""
    return sum(ts.perft(text, depth).values())


def test_numbers_of_games_are_the_known_ones():
    """Of tic-tac-toe there are 255,168 games: 1,440 of five moves and so on; nine moves are made in 127,872 of them."""
    ends = [0, 0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872]
    longer = [perft("tic_tac_toe", depth) for depth in range(1, 10)]
    for depth, count in enumerate(longer, start=1):  # who has not ended after d moves has 9 - d more
        assert count == (ends[depth] if depth == 9 else ends[depth] + longer[depth] / (9 - depth))
    assert sum(ends) == 255_168


def test_breakthrough_can_go_as_many_ways_as_others_have_counted():
    """And the first moves of the left and the right half are mirror images."""
    assert [perft("breakthrough", depth) for depth in range(1, 5)] == [22, 484, 11_132, 256_036]
    by_move = list(ts.perft("breakthrough", 3).values())
    assert by_move == by_move[::-1]


def test_outcomes_of_chance_are_moves_to_be_counted():
    """Kuhn's three cards in six orders, then two moves each; after a deal in words, the moves alone."""
    assert ts.perft("kuhn", 3) == {"J": 4, "Q": 4, "K": 4}
    dealt = Position(ts.load("kuhn"), draws_chance=False).push("J").push("Q")
    assert ts.perft(dealt, 2) == {"check": 2, "bet": 2}
    assert ts.perft(dealt.push("check").push("check"), 1) == {}
    with pytest.raises(ts.BadInput, match="depth=0 must be 1 to 100"):
        ts.perft("kuhn", 0)


@pytest.mark.parametrize("size", [2, 3])
def test_hex_is_won_by_the_first_moves_that_win_in_open_spiel(size):
    """Solved by both, each first move is worth the same."""
    game, other = ts.load(f"hex:size={size}"), pyspiel.load_game(f"hex(board_size={size})")
    player, won = ts.player("solve", game), 0
    for action in range(size * size):
        worth = minimax.alpha_beta_search(other, other.new_initial_state().child(action), maximizing_player_id=0)[0]
        assert player.act(game.start().push(action)).value == -worth
        won += worth == 1.0
    assert 0 < won < size * size


@pytest.mark.parametrize("players", [2, 3, 4])
def test_kuhn_poker_is_open_spiels(players):
    """The whole tree: movers, moves, chances, returns, and what the mover cannot tell apart."""
    game = ts.load(f"kuhn:players={players}")
    theirs, pairs = pyspiel.load_game(f"kuhn_poker(players={players})").new_initial_state(), set()
    found = [(Position(game, draws_chance=False), theirs)]
    for position, theirs in found:  # which grows meanwhile
        assert position.actions.tolist() == theirs.legal_actions()
        if theirs.is_terminal():
            assert position.returns.tolist() == theirs.returns()
        elif theirs.is_chance_node():
            assert position.mover == CHANCE
            assert list(zip(position.actions.tolist(), position.chances, strict=True)) == theirs.chance_outcomes()
        else:
            assert position.mover == theirs.current_player()
            pairs.add((position.view(position.mover).tobytes(), theirs.information_state_string()))
        found += [(position.after([action]), theirs.child(action)) for action in theirs.legal_actions()]
    assert len(pairs) == len({view for view, _ in pairs}) == len({known for _, known in pairs})
    assert len(pairs) == {2: 12, 3: 48, 4: 160}[players]


@pytest.mark.parametrize("cards", [4, 13])
def test_goofspiel_is_open_spiels(cards):
    """Prizes, hands, points and returns are those of its simultaneous moves."""
    game, other = ts.load(f"goofspiel:cards={cards}"), pyspiel.load_game(f"goofspiel(num_cards={cards})")
    random = np.random.default_rng(3)
    for _ in range(60):
        position, theirs = Position(game, draws_chance=False), other.new_initial_state()
        while not theirs.is_terminal():
            if theirs.is_chance_node():
                assert position.mover == CHANCE
                assert list(zip(position.actions.tolist(), position.chances, strict=True)) == theirs.chance_outcomes()
                theirs.apply_action(draw(position, random))
                continue
            moves = []
            for seat in range(2):
                assert position.mover == seat
                assert position.actions.tolist() == theirs.legal_actions(seat)
                moves.append(draw(position, random))
            theirs.apply_actions(moves)
        while position.mover != OVER:  # OpenSpiel plays the last card of each by itself
            assert len(position.actions) == 1
            draw(position, random)
        assert position.returns.tolist() == theirs.returns()


def draw(position, random):
    """Make any move; which."""
    action = int(random.choice(position.actions))
    position.push(action)
    return action


# ---------------------------------------------------------------- backgammon, whose moves OpenSpiel makes two at a time


def test_a_backgammon_board_stays_as_the_viewer_sees_it():
    """Seat 1 plays 8 3, and the checker is on its point 3 and on the other's 22 at once; words stay the mover's."""
    position = ts.load("backgammon").start(1)

    def part(side, key):
        root = ElementTree.fromstring(position.picture(side))
        return next(each for each in root if each.get("data-key") == key)

    assert (part(1, "8").get("data-word"), part(0, "17").get("data-word")) == ("8", "8")
    for words in ("8 3", "24 20"):
        position.push(words)
        stones = [
            [each.get("fill") for each in part(*at) if each.tag.endswith("circle")] for at in ((1, "3"), (0, "22"))
        ]
        assert stones == [["#d1495b"]] * 2
    assert position.mover == 0
    assert position.picture() == position.picture(0)


def roll(position, outcome):
    """Who begins (None after the first roll) and the two numbers of an outcome of ours."""
    begun = bool(position.state.begun)
    return (None if begun else outcome % 2), tuple(sorted(ROLLS[outcome if begun else outcome // 2].tolist()))


def rolls(state):
    """The same of OpenSpiel's outcomes, which tell one die from the other, with their chances."""
    for outcome, chance in state.chance_outcomes():
        said = state.action_to_string(-1, outcome)
        starter = 0 if "X starts" in said else 1 if "O starts" in said else None
        yield outcome, (starter, tuple(sorted(map(int, said[-3:-1])))), chance


def checkers(state):
    """OpenSpiel's board as ours: of each seat, how many on its own points, the bar and off."""
    points = [[state.board(seat, place) for place in range(24)] for seat in range(2)]
    found = [[0, *points[0][::-1], state.board(0, 100)], [0, *points[1], state.board(1, 100)]]
    for own in found:
        own[0] = 15 - sum(own)
    return tuple(map(tuple, found))


def pairs_of_steps(position):
    """The boards after each two steps that can be made here, with the steps; where no second follows, after one."""
    for first in position.actions.tolist():
        after = position.after([first])
        goes_on = after.mover != OVER and np.count_nonzero(after.state.dice) == 1
        for steps in [[first, second] for second in after.actions.tolist()] if goes_on else [[first]]:
            yield tuple(map(tuple, position.after(steps).state.checkers.tolist())), steps


@pytest.mark.parametrize(("most", "scoring"), [(1, "winloss_scoring"), (3, "full_scoring")])
def test_backgammon_is_open_spiels(most, scoring):
    """Rolls, the boards that can be reached by both dice, and returns are OpenSpiel's in random games."""
    game, other = ts.load(f"backgammon:most={most}"), pyspiel.load_game(f"backgammon(scoring_type={scoring})")
    random, seen = np.random.default_rng(5), dict.fromkeys(("double", "pass", "hit", "off"), 0)
    for _ in range(12):
        position, theirs = Position(game, draws_chance=False), other.new_initial_state()
        while not theirs.is_terminal():
            if theirs.is_chance_node():
                assert position.mover == CHANCE
                chances = {
                    roll(position, a): c for a, c in zip(position.actions.tolist(), position.chances, strict=True)
                }
                expected = dict.fromkeys(chances, 0.0)
                for _, said, chance in rolls(theirs):
                    expected[said] += chance
                assert chances == pytest.approx(expected)
                outcome, said, _ = list(rolls(theirs))[int(random.integers(len(theirs.legal_actions())))]
                position.push(next(action for action in position.actions.tolist() if roll(position, action) == said))
                theirs.apply_action(outcome)
                seen["double"] += said[1][0] == said[1][1]
                continue
            assert position.mover == theirs.current_player()
            boards = dict(pairs_of_steps(position))
            reached = {checkers(theirs.child(action)): action for action in theirs.legal_actions()}
            assert set(boards) == set(reached)
            chosen = list(boards)[int(random.integers(len(boards)))]
            seen["pass"] += boards[chosen] == [0]
            seen["hit"] += chosen[1 - position.mover][BAR] > position.state.checkers[1 - position.mover, BAR]
            seen["off"] += chosen[position.mover][0] > position.state.checkers[position.mover, 0]
            for action in boards[chosen]:
                position.push(action)
            theirs.apply_action(reached[chosen])
        assert position.returns.tolist() == theirs.returns()
    assert min(seen.values()) > 20, seen
