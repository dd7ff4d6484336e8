"""Three games written from the documentation alone: published counts, and the rules that are easy to get wrong."""

from collections import Counter
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.game import CHANCE, OVER, stream

STRANGERS = Path(__file__).parents[1] / "games_for_tests" / "strangers"
MINISHOGI, TRUMPS, QUORIDOR = (str(STRANGERS / f"{name}.py") for name in ("minishogi", "trumps", "quoridor"))


@pytest.fixture(autouse=True)
def numbers_wrap_around():
    """Rules that are called from Python mix hashes and random numbers as compiled ones do."""
    with np.errstate(over="ignore"):
        yield


@pytest.mark.parametrize("text", [f"{MINISHOGI}:moves=10", TRUMPS, f"{QUORIDOR}:side=5,walls=2,moves=20"])
def test_the_game_keeps_the_contract(text):
    """The laws hold, for short games on few positions."""
    report = ts.check(ts.load(text), positions=5, mutations=0)
    assert report.ok, report


@pytest.mark.parametrize(
    ("name", "counts"), [(MINISHOGI, [14, 181, 2512, 35401, 533203]), (QUORIDOR, [131, 16677, 2062264])]
)
def test_other_programs_count_the_same_sequences(name, counts):
    """The published perft of the first position, at every depth."""
    game = ts.load(name)
    assert [sum(ts.perft(game, depth).values()) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize("name", [MINISHOGI, TRUMPS, QUORIDOR])
def test_the_lesson_can_be_played(name):
    """Every move of the lesson is legal where it is made."""
    game = ts.load(name)
    for _, moves in game.lesson:
        position = game.start(0)
        for move in moves:
            position.push(move)


# ---------------------------------------------------------------- minishogi

PIECES = {letter: number for number, letter in enumerate("PSBRGK", 1)}


def shogi(game, rows, hand=""):
    """A state from rows of letters, capitals for seat 0, who is to move and holds these pieces."""
    state = np.zeros(1, game.State)[0]
    for cell, letter in enumerate("".join(rows)):
        if letter != ".":
            state.cells[cell] = PIECES[letter.upper()] + 16 * letter.islower()
    for letter in hand:
        state.hands[PIECES[letter]] += 1
    return state


def shogi_moves(game, state):
    out = np.zeros(2000, np.int32)
    count = game.legal(game.board()[0], state, out)
    return {game.words(game.board()[0], state, int(action)) for action in out[:count]}


def test_a_pawn_is_dropped_neither_beside_its_like_nor_to_give_mate():
    """A second pawn of a column, the far row and mate are ruled out for pawns; a gold may mate."""
    game = ts.load(MINISHOGI)
    moves = shogi_moves(game, shogi(game, ["k....", ".....", "G.S..", "...P.", "K...."], "PG"))
    drops = {move[2:] for move in moves if move.startswith("P ")}
    assert drops == {f"{column}{row}" for column in "abce" for row in "1234"} - {"a1", "a3", "c3"}

    mating = shogi_moves(game, shogi(game, ["k....", "..S..", "G....", "...P.", "K...."], "PG"))
    assert "P a4" not in mating
    assert "G a4" in mating
    assert "P b4" in mating


def test_a_piece_may_be_promoted_on_the_far_row_and_a_pawn_must_be():
    """Both to it and from it, once."""
    game = ts.load(MINISHOGI)
    moves = shogi_moves(game, shogi(game, ["...Sk", "P....", ".....", ".....", "K...."]))
    assert {"a4 a5 promote", "d5 c4 promote", "d5 c4 stay"} <= moves
    assert "a4 a5 stay" not in moves
    assert "a1 a2" in moves


def test_the_fourth_time_loses_for_the_first_seat():
    """Where nobody gave check all along."""
    position = ts.load(MINISHOGI).start()
    for move in ("e1 e2", "a5 a4", "e2 e1", "a4 a5") * 3:
        assert position.mover != OVER
        position.push(move)
    assert position.outcome.returns == (-1.0, 1.0)
    assert position.outcome.ending == "the same position for the fourth time"


@pytest.mark.parametrize(("seat", "returns"), [(0, [-1.0, 1.0]), (1, [1.0, -1.0])])
def test_who_gives_check_again_and_again_loses(seat, returns):
    """Whichever seat it is, and whoever made the last move."""
    game, out = ts.load(MINISHOGI), np.zeros(2)
    board, state = game.board()[0], shogi(game, ["....k", ".....", ".....", ".R...", "K...."])
    moves = [16 * 25 + 19, 4 * 25 + 3, 19 * 25 + 18, 3 * 25 + 4, 18 * 25 + 19]  # the rook follows the king, e and d
    if seat == 1:
        state = shogi(game, ["k....", "...r.", ".....", ".....", "....K"])
        moves = [24 * 25 + 19, 8 * 25 + 9, 19 * 25 + 18, 9 * 25 + 8, 18 * 25 + 19]
    for start_and_target in moves[:1] + moves[1:] * 3:
        assert game.to_move(board, state) != OVER
        game.apply(board, state, 2 * start_and_target)
    assert game.to_move(board, state) == OVER
    game.returns(board, state, out)
    assert out.tolist() == returns
    assert "check" in game.ending(board, state)


# ---------------------------------------------------------------- trumps


def held(bits):
    return {card for card in range(24) if int(bits) >> card & 1}


def views(game, games):
    """The views of the seats to move in random games."""
    random = np.random.default_rng(3)
    for seed in range(games):
        position = game.start(seed)
        while position.mover != OVER:
            yield position, position.seen_by(position.mover).state
            position.push(int(random.choice(position.actions)))


def test_nobody_is_dealt_a_suit_that_they_could_not_follow():
    """Resampled hands have the right number of cards, none of them seen elsewhere, and keep to the voids."""
    game, rng, void_hands = ts.load(TRUMPS), stream(5), 0
    board = game.board()[0]
    for position, view in views(game, 6):
        world = view.copy()
        game.resample(board, world, position.mover, rng)
        taken = held(world.gone) | {int(world.turned) - 1}
        for seat in range(3):
            hand = held(world.hands[seat])
            assert len(hand) == len(held(position.state.hands[seat]))
            assert not hand & taken
            taken |= hand
            voids = {suit for suit in range(4) if int(view.voids[seat]) >> suit & 1}
            assert not voids & {card // 6 for card in hand}
            void_hands += bool(voids and hand)
    assert void_hands > 20


def known_to_lack(mover, view):
    """Which of the others, counted from the mover, are known to lack a suit."""
    return [ahead for ahead in (1, 2) if view.voids[(mover + ahead) % 3]]


@pytest.mark.parametrize("ahead", [1, 2])
def test_every_deal_that_keeps_to_the_voids_is_as_likely(ahead):
    """Against all deals, listed one by one: how often each seat has each card, if one of them lacks a suit."""
    game, rng, samples = ts.load(f"{TRUMPS}:hand=2"), stream(5), 2000
    board = game.board()[0]
    tricks_begin = ((at.mover, view) for at, view in views(game, 40) if view.out == 0)
    mover, view = next(pair for pair in tricks_begin if known_to_lack(*pair) == [ahead])
    others = [seat for seat in range(3) if seat != mover]
    cards = set(range(24)) - held(view.gone) - held(view.hands[mover]) - {int(view.turned) - 1}
    deals = [
        deal
        for deal in permutations(sorted(cards), 2)
        if not any(int(view.voids[seat]) >> card // 6 & 1 for seat, card in zip(others, deal, strict=True))
    ]
    assert 0 < len(deals) < len(cards) * (len(cards) - 1)
    counts = Counter()
    for _ in range(samples):
        world = view.copy()
        game.resample(board, world, mover, rng)
        counts.update((seat, card) for seat in others for card in held(world.hands[seat]))
    for place, seat in enumerate(others):
        for card in cards:
            rate = sum(deal[place] == card for deal in deals) / len(deals)
            assert abs(counts[seat, card] - samples * rate) <= 5 * (samples * rate * (1 - rate)) ** 0.5


def test_suits_are_followed_and_trump_takes_the_trick():
    """The rules of a trick, worked out anew from the words of random games."""
    game, random, ruffs = ts.load(TRUMPS), np.random.default_rng(1), 0
    for seed in range(12):
        position, trick, tricks = game.start(seed), [], [0, 0, 0]
        trump = "♣♦♥♠"[(int(position.state.turned) - 1) // 6]
        while position.mover != OVER:
            seat = position.mover
            hand = {f"{'9TJQKA'[card % 6]}{'♣♦♥♠'[card // 6]}" for card in held(position.state.hands[seat])}
            following = {card for card in hand if trick and card[1] == trick[0][1][1]}
            assert set(position.legal) == (following or hand)
            card = str(random.choice(position.legal))
            position.push(card)
            trick.append((seat, card))
            if len(trick) == 3:
                led = trick[0][1][1]
                strength = [(2 * (suit == trump) + (suit == led), "9TJQKA".index(rank)) for _, (rank, suit) in trick]
                taker, best = trick[strength.index(max(strength))]
                tricks[taker] += 1
                ruffs += best[1] == trump != led
                assert position.mover in (taker, OVER)
                trick = []
        assert list(position.outcome.returns) == tricks
    assert ruffs > 3


# ---------------------------------------------------------------- quoridor


def test_a_wall_may_not_cut_a_pawn_off():
    """Four walls close all columns but one; what closes that one too is refused, and what leaves a way is not."""
    position = ts.load(QUORIDOR).start()
    for wall in ("a8h", "c8h", "e8h", "g8h"):
        position.push(wall)
    assert "h8v" not in position.legal
    assert "h7v" in position.legal


def test_walls_neither_cross_nor_overlap():
    """A wall takes its own place, the halves beside it, and the one that crosses it."""
    position = ts.load(QUORIDOR).start()
    before = set(position.legal)
    position.push("d5h").push("d9")
    assert before - set(position.legal) == {"c5h", "d5h", "e5h", "d5v"}


def test_a_pawn_jumps_straight_or_slantwise_behind_a_wall():
    """Over the other pawn; past it only where a wall or the edge is behind."""
    position = ts.load(f"{QUORIDOR}:side=5,walls=2").start()
    for move in ("c2", "c4", "c3"):
        position.push(move)
    steps = {move for move in position.legal if len(move) == 2}
    assert steps == {"b4", "d4", "c5", "c2"}
    position.push("b2h").push("a1h")
    assert {move for move in position.legal if len(move) == 2} == {"b4", "d4", "c5", "b3", "d3"}


def ways_left(open_steps, start, goal):
    known, waiting = {start}, [start]
    while waiting:
        waiting += (new := {near for near in open_steps[waiting.pop()] if near not in known})
        known |= new
    return bool(known & goal)


def listed_walls(side, walls, pawns):
    """The legal walls as (kind, x, y), y upwards from 1, by trying each on a graph of cells."""
    for kind in "hv":
        for x in range(1, side):
            for y in range(1, side):
                beside = ((x - 1, y), (x + 1, y)) if kind == "h" else ((x, y - 1), (x, y + 1))
                if {(other, x, y) for other in "hv"} & walls or {(kind, *place) for place in beside} & walls:
                    continue
                shut = set()
                for sort, a, b in walls | {(kind, x, y)}:
                    for step in (0, 1):
                        shut.add(
                            ((a + step, b), (a + step, b + 1)) if sort == "h" else ((a, b + step), (a + 1, b + step))
                        )
                cells = [(a, b) for a in range(1, side + 1) for b in range(1, side + 1)]
                steps = {cell: [] for cell in cells}
                for a, b in cells:
                    for near in ((a + 1, b), (a, b + 1)):
                        if near in steps and ((a, b), near) not in shut:
                            steps[a, b].append(near)
                            steps[near].append((a, b))
                goals = [{cell for cell in cells if cell[1] == row} for row in (side, 1)]
                if all(ways_left(steps, pawn, goal) for pawn, goal in zip(pawns, goals, strict=True)):
                    yield f"{'abcdefghi'[x - 1]}{y}{kind}"


def test_a_slow_search_for_ways_allows_the_same_walls():
    """At every position of random games on a small board."""
    side, random, refused = 5, np.random.default_rng(2), 0
    game = ts.load(f"{QUORIDOR}:side={side},walls=6")
    for seed in range(5):
        position, walls = game.start(seed), set()
        while position.mover != OVER and len(walls) < 9:
            pawns = [(int(cell) % side + 1, side - int(cell) // side) for cell in position.state.pawns]
            legal = {move for move in position.legal if len(move) == 3}
            if position.state.left[position.mover]:
                assert legal == set(listed_walls(side, walls, pawns))
                refused += len(legal) < 8
            move = str(random.choice(position.legal))
            position.push(move)
            if len(move) == 3:
                walls.add((move[2], "abcde".index(move[0]) + 1, int(move[1])))
    assert refused > 3


def test_chance_deals_before_anybody_moves():
    """A position begins where a seat decides; the deal is in its history as moves of chance."""
    game = ts.load(TRUMPS)
    state = np.zeros(1, game.State)[0]
    assert game.to_move(game.board()[0], state) == CHANCE
    assert game.start(4).mover == 0
    assert game.start(4).state.dealt == 18
