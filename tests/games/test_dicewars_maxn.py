"""Dice Wars: max^n against a plain reading of its description, and its net against ONNX Runtime."""

import re

import numpy as np
import onnxruntime
import pytest

import turnsmith as ts
from turnsmith.arena import loop
from turnsmith.arena.runners import ArenaPlan, play_compiled
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.games.dicewars import net
from turnsmith.games.dicewars.rules import odds
from turnsmith.play.seat import Seat

ODDS = odds()


class Plain:
    """A position as lists: owners and dice of areas, and who touches whom."""

    def __init__(self, board, state):
        count = int(board.areas)
        self.seats = int(board.seats)
        self.beside = [[b for b in range(count) if (int(board.beside[a]) >> b) & 1] for a in range(count)]
        self.owner = [int(owner) for owner in state.owner[:count]]
        self.dice = [int(dice) for dice in state.dice[:count]]

    def after(self, source, target):
        child = object.__new__(Plain)
        child.seats, child.beside, child.owner, child.dice = self.seats, self.beside, self.owner[:], self.dice[:]
        child.owner[target], child.dice[target], child.dice[source] = self.owner[source], self.dice[source] - 1, 1
        return child

    def regions(self, seat):
        """The regions of a seat as sets, the one with the lowest area first."""
        left = [area for area, owner in enumerate(self.owner) if owner == seat]
        found = []
        while left:
            region, fresh = set(), [left[0]]
            while fresh:
                area = fresh.pop()
                region.add(area)
                fresh += [b for b in self.beside[area] if self.owner[b] == seat and b not in region]
            left = [area for area in left if area not in region]
            found.append(region)
        return found

    def promising(self, seat):
        """(source, target) of the attacks worth a look, the most promising first."""
        home = max(self.regions(seat), key=len)
        found = []
        for source, owner in enumerate(self.owner):
            for target in self.beside[source]:
                a, d = self.dice[source], self.dice[target]
                if owner != seat or self.owner[target] == seat or a < 2:
                    continue
                p = ODDS[a, d] * (2 if source in home else 1)
                for other in self.beside[target]:
                    if self.owner[other] != seat and self.dice[other] >= 2:
                        p *= 1 - ODDS[self.dice[other], a - 1]
                if p > 0.4 or a == 8:
                    found.append((p, source, target))
        return [(source, target) for _, source, target in sorted(found, key=lambda each: -each[0])]

    def worth(self):
        """dice + 5 a member of any region + 50 a member of the largest, of every seat."""
        values = []
        for seat in range(self.seats):
            sizes = [len(region) for region in self.regions(seat)]
            dice = sum(d for d, owner in zip(self.dice, self.owner, strict=True) if owner == seat)
            values.append(dice + sum(5 * size for size in sizes) + 50 * max(sizes, default=0))
        return values

    def search(self, order, width, length):
        """The values of all seats, and the best attack, when the seats in `order` play one turn each."""
        order = [seat for seat in order if seat in self.owner]
        if not order or len(set(self.owner)) == 1:
            return self.worth(), None
        attacks = self.promising(order[0])[: width[0]] if length[0] else []
        if not attacks:
            return self.search(order[1:], [5, *width[1:]], [5, *length[1:]])[0], None
        best = None
        for attack in attacks:
            values, _ = self.after(*attack).search(order, [width[0] - 1], [length[0] - 1])
            if best is None or values[order[0]] > best[0][order[0]]:
                best = values, attack
        return best


def told_by_maxn(position):
    """What each attack it has followed brings every seat, as it tells people."""
    seat = Seat(ts.player("maxn:lines=0,searches=99", position.game), position.game, position.boards)
    choices = seat.explain(position).inspection.choices
    tuples = {choice.words: re.findall(r"[-+][\d.]+", choice.told) for choice in choices if choice.score is not None}
    return {words: [float(value) for value in values] for words, values in tuples.items()}


def test_maxn_is_what_its_description_says():
    """On small maps the whole tree, read plainly, picks the same attacks."""
    searched = 0
    game = ts.load("dicewars:players=3,areas=9")
    for seed in range(6):
        position = game.start(seed)
        random = np.random.default_rng(seed)
        while position.outcome is None and searched < 60:
            plain = Plain(position.board, position.state)
            mover = position.mover
            attacks = plain.promising(mover)
            said = ts.player("maxn:lines=0,searches=99", game).act(position).words
            if attacks:
                order = [(mover + step) % 3 for step in range(3)]
                _, best = plain.search(order, [5], [5])
                assert said == "a{} a{}".format(*best)
                if len(attacks) > 1:
                    lines = {"a{} a{}".format(*attack): plain.after(*attack) for attack in attacks[:5]}
                    told = {words: line.search(order, [4], [4])[0] for words, line in lines.items()}
                    assert told_by_maxn(position) == told
                greedy = ts.player("maxn:searches=0", game).act(position).words
                assert greedy == "a{} a{}".format(*attacks[0])
                searched += len(attacks) > 1
            else:
                assert said == "end"
            position.push(said if random.random() < 0.7 else int(random.choice(position.actions)))
    assert searched >= 40


@pytest.mark.parametrize(
    "text", ["maxn:lines=6,length=3", "maxn-net:lines=3,length=2", "maxn:lines=4,rounds=2,length=2"]
)
def test_compiled_and_interpreted_play_the_same_match(text):
    """Every move of a match of four is the same in both worlds."""
    game = ts.load("dicewars:areas=10")
    plan = ArenaPlan(game, [ts.player(text, game)], np.zeros((4, 4), np.int32), seed=3)
    numbers = np.arange(1)
    one, other = play_compiled(plan, numbers), play_compiled(plan, numbers, interpreted(loop.play_matches))
    assert not one.reasons
    assert one.log.tolist() == other.log.tolist()


def test_the_lines_are_kept_to():
    """A search follows no more lines than it may, and all of them where it may."""
    game = ts.load("dicewars")
    position = game.start(seed=4)
    counts = {lines: [] for lines in (1, 7, 100)}
    while position.outcome is None and len(counts[1]) < 25:
        decision = ts.player("maxn", game).act(position)
        if decision.note:
            for lines, found in counts.items():
                note = ts.player(f"maxn:lines={lines}", game).act(position).note
                found.append(int(note.split()[0]))
        position.push(decision.words)
    assert set(counts[1]) == {1}
    assert max(counts[7]) == 7
    assert 7 < max(counts[100]) <= 100


def test_the_net_inside_compiled_code_is_the_one_that_is_shipped():
    """Along a match the compiled chances are those of ONNX Runtime, to 1e-5, from numbers put together plainly."""
    session = onnxruntime.InferenceSession(net.SHIPPED, providers=["CPUExecutionProvider"])
    weights, board_part, out = net.numbers().view(np.float32), np.zeros(net.WIDTH, np.float32), np.zeros(4)
    match = ts.play("dicewars", ["ste", "maxn", "sdc", "rand"], seed=5)
    asked = 0
    for ply, position in enumerate(match.positions()):
        if ply % 40 or position.outcome is not None:
            continue
        plain = Plain(position.board, position.state)
        bits = [float(b < 29 and b in plain.beside[a]) for a in range(29) for b in range(a + 1, 30)]
        owners = [owner + 1 for owner in plain.owner]
        largest = [max(map(len, plain.regions(seat)), default=0) for seat in range(4)]
        numbers = np.array([[*bits, *owners, 0, *plain.dice, 0, *largest]], np.float32)
        assert numbers.shape == (1, 499)
        (expected,) = session.run(None, {"position": numbers})
        states = np.array([position.state])
        compiled(ask)(position.boards, states, weights, board_part, out)
        assert out == pytest.approx(expected[0], abs=1e-5)
        asked += 1
    assert asked >= 5


def ask(boards, states, weights, board_part, out):
    """The net's chances at a position."""
    net.begin(boards[0], weights, board_part)
    net.chances(boards[0], states[0], weights, board_part, out)


def test_the_net_refuses_tables_it_has_not_learned():
    """Other numbers of players or larger maps are refused with a sentence."""
    for text in ("dicewars:players=3", "dicewars:edition=2021"):
        with pytest.raises(ts.BadInput, match="has learned from 4 players on at most 30 areas"):
            ts.arena(text, ["maxn-net", "ste"], games=4)


@pytest.mark.parametrize("text", ["maxn:rounds=0", "maxn:width=65", "maxn:lines=-1", "maxn-net:file=nosuch.onnx"])
def test_bad_settings_are_refused(text):
    """Settings beyond what the search can do, or a net that is not there."""
    with pytest.raises(ts.BadInput):
        ts.player(text, ts.load("dicewars"))
