"""What happened inside matches: they are played again, compiled, and what people call moves and endings is noted.

How long a match was and who decided first is counted in all of them. Words are Python, so endings are noted in the
first ENDINGS matches, and actions in the first WORDED, of each at most DECISIONS evenly spread over it: the same ones
however the matches come in batches.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from turnsmith.arena.loop import contains
from turnsmith.arena.runners import ArenaPlan, MatchBatch, PreparedBoard
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import compiled, copy, zero
from turnsmith.contract.game import OVER
from turnsmith.play.step import broken_rules

ENDINGS, WORDED, DECISIONS = 20_000, 1000, 32
QUARTERS = 4


@dataclass(frozen=True)
class Said:
    """A decision in words: `match` by number, the quarter of its match, and for how many decisions it stands."""

    match: int
    quarter: int
    weight: int
    words: str


class Review:
    """What is known of the first `games` matches of a plan. Show it batches with ``add``; the order does not matter."""

    def __init__(self, plan: ArenaPlan, games: int):
        self.plan = plan
        self.is_seen = np.zeros(games, np.bool_)
        self.moves = np.zeros(games, np.int64)
        """All moves, those of chance included."""
        self.decisions = np.zeros(games, np.int64)
        self.first = np.full(games, -1, np.int64)
        """The seat that decided first; -1 where nobody did."""
        self.forfeited = np.zeros(games, np.bool_)
        """These were broken off: how long they were says nothing of the game."""
        self.board = np.zeros(games, np.int64)
        """Equal for matches on equal boards, counted from 0."""
        self.endings: dict[int, str] = {}
        """By match."""
        self.said: list[Said] = []
        self._boards: dict[bytes, int] = {}
        self._games: dict[int, bytes] = {}

    @property
    def different_games(self) -> int:
        """How many there were: other boards or other moves."""
        return len(set(self._games.values()))

    @property
    def different_boards(self) -> int:
        return len(self._boards)

    def add(self, batch: MatchBatch, checked: bool = False) -> None:
        """Note the matches of a batch. `checked`: its moves come from outside, each is checked before it is made."""
        kept = np.flatnonzero(batch.numbers < len(self.is_seen))
        kept = kept[~self.is_seen[batch.numbers[kept]]]  # older stores may have a match twice
        batch = batch.rows(kept[np.unique(batch.numbers[kept], return_index=True)[1]])
        numbers = batch.numbers
        if not len(numbers):
            return
        once, group_of = np.unique(self.plan.drawn_as(numbers) // self.plan.seats, return_inverse=True)
        sites = self.plan.sites(once)
        known = np.array([self._known(site) for site in sites])
        self.board[numbers], self.moves[numbers] = known[group_of], np.diff(batch.offsets)
        self.forfeited[numbers], self.is_seen[numbers] = batch.culprits >= 0, True
        different = list(dict.fromkeys(sites))
        place = {site: index for index, site in enumerate(different)}
        which = np.array([place[site] for site in sites], np.int64)[group_of]
        boards = self.plan.boards(different)
        self._replay(boards, _Matches(which, np.zeros(len(which), np.int64), batch.log, batch.offsets), batch, checked)
        for row, number in enumerate(numbers.tolist()):
            moves = batch.log[batch.offsets[row] : batch.offsets[row + 1]].tobytes()
            board = int(self.board[number]).to_bytes(8, "little")
            self._games[number] = hashlib.blake2b(board + moves, digest_size=8).digest()

    def _known(self, site: PreparedBoard) -> int:
        """The number of a board, the same whenever it comes again."""
        raw = site.source.encode() or site.boards.tobytes()
        return self._boards.setdefault(hashlib.blake2b(raw, digest_size=16).digest(), len(self._boards))

    def _replay(self, boards: Array, matches: _Matches, batch: MatchBatch, checked: bool) -> None:
        game, numbers = self.plan.game, batch.numbers
        wide = int(max(boards["actions"].max(), boards["outcomes"].max())) if checked else 0
        acts, ends = np.zeros(wide, np.int32), np.zeros(len(numbers), game.State)
        decisions, first = np.zeros(len(numbers), np.int64), np.full(len(numbers), -1, np.int64)
        wrong = compiled(replay)(game, boards, matches, ends, decisions, first, _room(game, 0), acts)
        if wrong >= 0:
            raise BadInput(f"match {numbers[wrong]} holds moves that {game.text_name} does not allow there")
        self.decisions[numbers], self.first[numbers] = decisions, first
        for row in np.flatnonzero((numbers < ENDINGS) & (batch.culprits < 0)).tolist():
            self.endings[int(numbers[row])] = self._word("ending", boards[matches.which[row]], ends[row])
        stride = np.where((numbers < WORDED) & (batch.culprits < 0), -(-decisions // DECISIONS), 0)
        count = int((-(-decisions[stride > 0] // stride[stride > 0])).sum())
        if not count:
            return
        rows = _room(game, count)
        compiled(replay)(
            game, boards, matches._replace(stride=stride), ends, np.zeros_like(decisions), first, rows, acts
        )
        for state, row, decision, action in zip(rows.states, rows.match, rows.decision, rows.action, strict=True):
            words = self._word("words", boards[matches.which[row]], state, int(action))
            quarter = int(QUARTERS * decision // decisions[row])
            weight = min(int(stride[row]), int(decisions[row] - decision))
            self.said.append(Said(int(numbers[row]), quarter, weight, words))

    def _word(self, rule: str, *position: Any) -> str:
        """What the game calls it; whatever its rule raises is told in one line."""
        try:
            return " ".join(str(getattr(self.plan.game, rule)(*position)).split())[:200]
        except Exception as error:
            raise broken_rules(self.plan.game, f"{rule} raised {type(error).__name__}: {error}") from error

    def spoken(self) -> Iterator[Said]:
        """What was said, in the order of matches."""
        yield from sorted(self.said, key=lambda move: (move.match, move.quarter, move.words))


class Ends(NamedTuple):
    """How some matches ended: match m in states[m], on boards[which[m]]."""

    boards: Array
    which: Array
    states: Array


def ends_of(plan: ArenaPlan, batch: MatchBatch) -> Ends:
    """The last positions of matches that were just played."""
    numbers = batch.numbers
    once, group_of = np.unique(plan.drawn_as(numbers) // plan.seats, return_inverse=True)
    at = plan.sites(once)
    place = {site: index for index, site in enumerate(dict.fromkeys(at))}
    boards = plan.boards(list(place))
    which = np.array([place[site] for site in at], np.int64)[group_of]
    ends, nothing = np.zeros(len(numbers), plan.game.State), np.zeros(len(numbers), np.int64)
    matches = _Matches(which, nothing, batch.log, batch.offsets)
    unread = np.zeros((2, len(numbers)), np.int64)
    compiled(replay)(plan.game, boards, matches, ends, *unread, _room(plan.game, 0), np.zeros(0, np.int32))
    return Ends(boards, which, ends)


class _Matches(NamedTuple):
    """Match m is log[offsets[m]:offsets[m + 1]] on boards[which[m]]; every stride[m]th decision is kept, 0 for none."""

    which: Array
    stride: Array
    log: Array
    offsets: Array


class _Rows(NamedTuple):
    """Room for decisions that are kept."""

    states: Array
    match: Array
    decision: Array
    action: Array


def _room(game: Any, count: int) -> _Rows:
    return _Rows(np.zeros(count, game.State), *(np.zeros(count, np.int64) for _ in range(3)))


def replay(
    game: Any, boards: Any, matches: Any, ends: Any, decisions: Any, first: Any, rows: Any, acts: Any
) -> int:  # fmt: skip
    """Play matches again: the last state of each, how many decisions it had, who made the first, and some of them.

    With room in `acts` every move is checked, and the match returned that has one that is not legal; -1 if all is well.
    """
    row = 0
    for match in range(matches.which.shape[0]):
        board, state = boards[matches.which[match]], ends[match]
        zero(state)
        game.setup(board, state)
        for place in range(matches.offsets[match], matches.offsets[match + 1]):
            mover, action = game.to_move(board, state), np.int64(matches.log[place])
            if acts.shape[0] and (mover == OVER or not contains(acts, game.legal(board, state, acts), action)):
                return match
            if mover >= 0:
                if decisions[match] == 0:
                    first[match] = mover
                if matches.stride[match] > 0 and decisions[match] % matches.stride[match] == 0:
                    copy(rows.states[row], state)
                    rows.match[row], rows.decision[row], rows.action[row] = match, decisions[match], action
                    row += 1
                decisions[match] += 1
            game.apply(board, state, action)
    return -1
