"""Local runners: matches in compiled threads where every player allows it, in processes or in line otherwise."""

from __future__ import annotations

import concurrent.futures
import gc
import json
import multiprocessing
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np

from turnsmith.arena import loop
from turnsmith.arena.different import keys_of
from turnsmith.arena.match import MatchResult, play_in_python
from turnsmith.arena.openings import draw_openings
from turnsmith.arena.schedule import GROUP, MATCH, MatchRows, Some, seeds_of
from turnsmith.cluster import current
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.digest import digest
from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import Game
from turnsmith.contract.loading import load_untried
from turnsmith.play.player import POLICY, CompiledPlayer, Player, Prepared, at, player
from turnsmith.play.roster import Roster
from turnsmith.play.seat import Seat
from turnsmith.play.step import broken_rules
from turnsmith.play.tiers import FIRST, SECOND, Code, code_for, wanted_tier, within_tier

CHUNK_SECONDS = 0.25
"""How long a worker plays between two reports: short enough to follow, to stop and to lose little."""


REMEMBERED, MOST_BYTES = 1000, 2**28
"""Boards that a run remembers, and bytes of them with what players prepared there."""
WORTH_COMPILING = 30.0
"""Seconds of matches left, for each player, from which on compiling it for the game pays."""
COMING_AGAIN = 64
"""As many boards are taken for those of the whole run, and stay joined from one chunk to the next."""


@dataclass(eq=False)
class PreparedBoard:
    """A board, its description as JSON (where it was made from one), and what compiled players prepared for it."""

    boards: Array
    source: str = ""
    ready: dict[int, Prepared] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.boards.nbytes + sum(prepared.data.nbytes for prepared in list(self.ready.values()))


@dataclass(frozen=True)
class Joined:
    """Some sites and what players need there, each kind in one array, as the compiled loop takes it."""

    place: dict[PreparedBoard, int]
    players: frozenset[int]
    boards: Array
    roster: Roster
    """Of all players of the plan, without addresses; only those that `players` names are ready."""
    ready: dict[int, Prepared]
    """What each of those prepared for the first of the boards."""
    memory: int
    """Bytes that each seat is lent."""

    def roster_in(self, code: Code, players: Sequence[Player]) -> Roster:
        """The roster with the addresses of a tier."""
        addresses, params = np.zeros(len(players), np.int64), self.roster.params.copy()
        for place, ready in self.ready.items():
            addresses[place] = code.where(players[place])  # type: ignore[arg-type]
            start, end = self.roster.params_spans[place]
            params[start:end] = ready.linked(code.where)
        return self.roster._replace(addresses=addresses, params=params)


@dataclass
class KeptBoards:
    """Boards that plans which come one after another share: each is made once, and all of them joined once."""

    made: dict[str, Array] = field(default_factory=dict)
    """By description."""
    joined: dict[tuple[str, ...], Array] = field(default_factory=dict)
    """The array of those that were joined last, by their descriptions."""


@dataclass
class ArenaPlan:
    """All that decides what happens in every match of a run: equal plans play equal matches."""

    game: Game
    players: list[Player]
    seating: MatchRows
    """int32[matches, seats]: which player sits where."""
    seed: int
    limit: float = 0.0
    openings: MatchRows | None = None
    """int32[matches, length], ended by -1: actions made before anybody decides."""
    random_moves: int = 0
    """Moves made at random before anybody decides, the same in all rotations of a start."""
    repeat: int = 0
    """Match n + repeat has the board and the chance of match n, to compare players in the same games; 0 for never."""
    kept: KeptBoards | None = None
    """Boards that plans share."""
    tier: int = field(default_factory=wanted_tier)
    """Of compiled code, where who asks wants a certain one; 0 for the one that is soonest done."""
    _sites: dict[str, PreparedBoard] = field(default_factory=dict)
    _described: dict[int, tuple[Any, str]] = field(default_factory=dict)
    """Descriptions that a game may give again, the very same object, by id; and their JSON."""
    _board_independent: dict[int, Prepared] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _joined: Joined | None = None
    _spent_in_first: tuple[float, int] = (0.0, 0)
    """Seconds and matches that were played by code of the first tier."""
    _plies: float = 64.0
    """How long matches are, more or less: for how much room to make."""

    @property
    def seats(self) -> int:
        return int(self.seating.shape[1])

    def drawn_as(self, numbers: Array) -> Array:
        """The matches whose board and chance those of these numbers have."""
        return numbers % self.repeat if self.repeat else numbers

    def sites(self, groups: Array) -> list[PreparedBoard]:
        """Where each group of matches is played."""
        seeds = seeds_of(self.seed, groups, GROUP)
        if self.game.draw_boards is None:
            return [self._site(seed) for seed in seeds.tolist()]
        boards = self.game.draw_boards(self.game.options, seeds)
        return [PreparedBoard(boards[index : index + 1]) for index in range(len(seeds))]

    def _site(self, seed: int) -> PreparedBoard:
        """Equal boards are built once while they are remembered."""
        described = self.game.source(self.game.options, seed)
        held, source = self._described.get(id(described), (None, ""))
        if held is not described:
            source = json.dumps(described)
            if len(self._described) < REMEMBERED:
                self._described[id(described)] = (described, source)
        known = self._sites.get(source)
        if known is None:
            made = PreparedBoard(self._build(source), source)
            with self._lock:
                known = self._sites.setdefault(source, made)
                held = sum(site.size for site in self._sites.values())
                while len(self._sites) > 1 and (held > MOST_BYTES or len(self._sites) > REMEMBERED):
                    held -= self._sites.pop(next(iter(self._sites))).size
        return known

    def forget_boards(self) -> None:
        """Give back the memory of boards; who asks for one again has it built anew."""
        with self._lock:
            self._sites.clear()
            self._described.clear()
            self._joined = None

    def _build(self, source: str) -> Array:
        known = self.kept.made.get(source) if self.kept is not None else None
        if known is not None:
            return known
        boards: Array = self.game.build(json.loads(source))
        if self.kept is not None and (len(self.kept.made) + 1) * boards.nbytes <= MOST_BYTES:
            self.kept.made[source] = boards
        return boards

    def sources(self, sites: list[PreparedBoard]) -> str:
        """What describes the boards: a JSON list."""
        if self.game.sources_of is None:
            return f"[{','.join(site.source for site in sites)}]"
        return json.dumps(self.game.sources_of(self.boards(sites)))

    def boards(self, sites: list[PreparedBoard]) -> Array:
        """The boards in one array."""
        names = tuple(site.source for site in sites)
        if self.kept is not None and names in self.kept.joined:
            return self.kept.joined[names]
        joined = np.concatenate([site.boards.view(np.uint8) for site in sites]).view(self.game.Board)  # faster as bytes
        if self.kept is not None and len(names) == len(self.kept.made):
            self.kept.joined = {names: joined}
        return joined

    def join_all(self, workers: int) -> None:
        """Make all boards now and join them once, where there are few: else that is done chunk by chunk."""
        groups = np.unique(self.drawn_as(np.arange(len(self.seating))) // self.seats)
        if self.game.draw_boards is not None or (self.kept is None and len(groups) > COMING_AGAIN):
            return
        with concurrent.futures.ThreadPoolExecutor(max(1, workers)) as pool:
            made = pool.map(self.sites, np.array_split(groups, max(1, workers)))
            sites = {site.source: site for part in made for site in part}
        if len(sites) <= COMING_AGAIN:
            self.join([sites[source] for source in sorted(sites)], np.unique(self.seating[:]).tolist())

    def ready(self, index: int, site: PreparedBoard) -> Prepared:
        """What a compiled player needs there, prepared once and with the player's consent to play there."""
        if index in self._board_independent:
            return self._board_independent[index]
        with self._lock:
            if index not in site.ready:
                who = self.players[index]
                assert isinstance(who, CompiledPlayer)
                who.check(self.game, site.boards)
                site.ready[index] = who.prepare(self.game, site.boards)
                if who.board_independent:
                    self._board_independent[index] = site.ready[index]
            return site.ready[index]

    def join(self, sites: Sequence[PreparedBoard], players: Iterable[int]) -> Joined:
        """The sites in one piece. Few boards that come again are copied once, not chunk by chunk."""
        held, wanted = self._joined, frozenset(players)
        if held and wanted <= held.players and all(site in held.place for site in sites):
            return held
        together = list(dict.fromkeys([*(held.place if held else ()), *sites]))
        few = len(together) <= COMING_AGAIN and sum(site.size for site in together) <= MOST_BYTES
        keeps = few and self.game.draw_boards is None
        if keeps:
            sites, wanted = together, wanted | (held.players if held else frozenset())
        ready = {p: [self.ready(p, site) for site in sites] for p in sorted(wanted)}
        rows = len(self.players)
        data, data_spans = _joined({p: [r.data for r in ready[p]] for p in ready}, rows, np.uint8)
        params, params_spans = _joined({p: [ready[p][0].params] for p in ready}, rows, np.float64)
        roster = Roster(np.zeros(rows, np.int64), data, data_spans, params, params_spans[:, 0])
        memory = max(r.memory for prepared in ready.values() for r in prepared)
        place = {site: index for index, site in enumerate(sites)}
        boards = self.boards(list(sites))
        made = Joined(place, wanted, boards, roster, {p: ready[p][0] for p in ready}, memory)
        self._joined = made if keeps else None
        return made

    def digest(self) -> str:
        """Changes when anything changes that decides: code, files, the first board, what is prepared for it."""
        (site,) = self.sites(np.zeros(1, np.int64))
        parts: list[Any] = [self.game.digest, site.boards]
        for index, who in enumerate(self.players):
            parts.append(who.digest())
            if isinstance(who, CompiledPlayer):
                parts += who.decides_with(self.game, self.ready(index, site))
        return digest(*parts)

    def code(self) -> Code:
        """The code for the next matches: at full speed once that many are left that compiling it pays."""
        seated = [who for who in self.players if isinstance(who, CompiledPlayer)]
        spent, played = self._spent_in_first
        left = spent / played * (len(self.seating) - played) if played else 0.0
        is_timed = self.limit > 0.0 or any(getattr(who, "time", 0.0) for who in seated)  # then speed is strength
        is_long = left > WORTH_COMPILING * len(seated)
        with within_tier(self.tier or (SECOND if is_timed or is_long else 0)):
            return code_for(self.game, *seated)

    def note(self, code: Code, nanoseconds: Array) -> None:
        """Note how long matches took, to judge what is left."""
        if code.tier == FIRST:
            with self._lock:
                spent, played = self._spent_in_first
                self._spent_in_first = (spent + float(nanoseconds.sum()) / 1e9, played + len(nanoseconds))

    def opening(self, numbers: Array, boards: Array, which: Array) -> Array:
        """int32[matches, length], ended by -1: what is made before anybody decides, on boards[which]."""
        if self.openings is not None:
            return np.ascontiguousarray(self.openings[numbers])
        if self.random_moves:
            seeds = seeds_of(self.seed, self.drawn_as(numbers) // self.seats, GROUP)
            return draw_openings(self.game, boards, which, seeds, self.random_moves)
        return np.zeros((len(numbers), 0), np.int32)

    def seat(self, index: int, site: PreparedBoard) -> Seat:
        """A player at the table there."""
        who = self.players[index]
        return Seat(who, self.game, site.boards, self.ready(index, site) if isinstance(who, CompiledPlayer) else None)

    @property
    def is_compiled(self) -> bool:
        return all(isinstance(p, CompiledPlayer) for p in self.players)


@dataclass
class MatchBatch:
    """The results of some matches, row by row.

    Row i was played on board which[i] of the sources, and its actions are log[offsets[i]:offsets[i + 1]].
    """

    numbers: Array
    sources: Callable[[], str]
    """The JSON list of what describes the boards, written when it is asked for."""
    which: Array
    returns: Array
    culprits: Array
    reasons: dict[int, str]
    log: Array
    offsets: Array
    seconds: Array

    @staticmethod
    def of(results: Sequence[MatchResult], sources: str, seats: int) -> MatchBatch:
        lengths = [len(r.actions) for r in results]
        return MatchBatch(
            np.array([r.number for r in results], np.int64),
            partial(str, sources),
            np.arange(len(results), dtype=np.int32),
            np.array([r.returns for r in results], np.float64).reshape(len(results), seats),
            np.array([r.culprit for r in results], np.int32),
            {r.number: r.reason for r in results if r.culprit >= 0},
            np.array([a for r in results for a in r.actions], np.int32),
            np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            np.array([r.seconds for r in results], np.float64),
        )

    @property
    def keys(self) -> dict[int, bytes]:
        """What tells its games apart."""
        return keys_of(self.numbers, self.which, self.sources, self.log, self.offsets)

    def rows(self, kept: Array) -> MatchBatch:
        """These rows, in that order."""
        if np.array_equal(kept, np.arange(len(self.numbers))):
            return self
        lengths, numbers = np.diff(self.offsets)[kept], self.numbers[kept]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return MatchBatch(
            numbers,
            self.sources,
            self.which[kept],
            self.returns[kept],
            self.culprits[kept],
            {number: self.reasons[number] for number in numbers.tolist() if number in self.reasons},
            self.log[np.repeat(self.offsets[:-1][kept] - offsets[:-1], lengths) + np.arange(offsets[-1])],
            offsets,
            self.seconds[kept],
        )


@dataclass(frozen=True)
class Chunk:
    """Matches that are played in one call, in the order in which they are played."""

    numbers: Array
    """int64[matches]"""
    order: Array
    """int64[matches]: the row of each among the matches that were asked for."""
    sites: list[PreparedBoard]
    """The boards of these matches, as they are stored."""
    which: Array
    """int32[matches]: the board of each match among `sites`."""
    joined: Joined
    matches: loop.MatchList
    """The same matches as the loop plays them, on boards of `joined`."""

    @staticmethod
    def of(plan: ArenaPlan, numbers: Array) -> Chunk:
        """Matches on one board come one after another, so that its tables stay in the processor's cache."""
        drawn_as = plan.drawn_as(numbers)
        groups = drawn_as // plan.seats
        _, first, group_of = np.unique(groups, return_index=True, return_inverse=True)
        at = plan.sites(groups[first])
        sites = list(dict.fromkeys(at))
        place = {site: index for index, site in enumerate(sites)}
        which = np.array([place[site] for site in at], np.int32)[group_of]
        order = np.argsort(which, kind="stable")
        numbers, drawn_as, groups, which = numbers[order], drawn_as[order], groups[order], which[order]
        seating = np.ascontiguousarray(plan.seating[numbers])
        joined = plan.join(sites, np.unique(seating).tolist())
        played_on = np.array([joined.place[site] for site in sites], np.int32)[which]
        openings = plan.opening(numbers, joined.boards, played_on)
        starts, seeds = seeds_of(plan.seed, groups, GROUP), seeds_of(plan.seed, drawn_as, MATCH)
        matches = loop.MatchList(played_on, seating, openings, starts, seeds)
        return Chunk(numbers, order, sites, which, joined, matches)


def play_compiled(plan: ArenaPlan, numbers: Array, kernel: Callable[..., Any] | None = None) -> MatchBatch:
    """Play the matches `numbers` in the compiled loop (or, for checks, the same loop interpreted as `kernel`)."""
    chunk = Chunk.of(plan, numbers)
    code = plan.code() if kernel is None else Code(plan.game, at(plan.game))
    results, reasons = _results(plan, chunk, code, kernel or compiled(loop.play_matches))
    plan.note(code, results.nanoseconds)
    low, high = (chunk.joined.boards[name][chunk.matches.which] for name in ("low", "high"))
    _refuse_wrong_returns(plan.game, results.returns, low, high, chunk.numbers)
    offsets = np.concatenate([[0], np.cumsum(results.plies)]).astype(np.int64)
    plan._plies = max(plan._plies, 1.2 * offsets[-1] / len(numbers))
    for row in np.flatnonzero(results.status == loop.ILLEGAL).tolist():
        reasons[int(chunk.numbers[row])] = "made an illegal move"
    for row in np.flatnonzero(results.status == loop.TOO_SLOW).tolist():
        reasons[int(chunk.numbers[row])] = f"took longer than {plan.limit:g} s for a move"
    played = MatchBatch(
        chunk.numbers,
        partial(plan.sources, chunk.sites),
        chunk.which,
        results.returns,
        results.culprits,
        reasons,
        results.log[: offsets[-1]],
        offsets,
        results.nanoseconds / 1e9,
    )
    return played.rows(np.argsort(chunk.order))


def _results(
    plan: ArenaPlan, chunk: Chunk, code: Code, kernel: Callable[..., Any]
) -> tuple[loop.MatchResults, dict[int, str]]:
    """What became of the matches of a chunk, and the exceptions for which seats forfeit, by match."""
    game, boards, count = plan.game, chunk.joined.boards, len(chunk.numbers)
    given, roster = code.boards(boards), chunk.joined.roster_in(code, plan.players)
    wide = int(max(boards["actions"].max(), boards["outcomes"].max(), 1))
    guarded = GuardedBuffers(game, code, wide, plan.seats)
    buffers = guarded.lent(np.empty((plan.seats, chunk.joined.memory), np.uint8))
    results = _no_results(count, plan.seats, max(1024, int(plan._plies * count)))
    limit, progress = int(plan.limit * 1e9), np.zeros(1, loop.Progress)
    reasons: dict[int, str] = {}
    while progress["match"][0] < count:
        try:
            kernel(code.game, given, chunk.matches, roster, buffers, results, limit, progress)
        except BadInput:  # no seat's fault: rules or a player that cannot be compiled
            raise
        except Exception as error:  # the seat at work raised: it forfeits, the rest goes on
            row, logged, seat, length = progress[0].tolist()
            loop.forfeit(boards[chunk.matches.which[row]], seat, results.returns[row])
            results.status[row], results.culprits[row], results.plies[row] = loop.RAISED, seat, length - logged
            reasons[int(chunk.numbers[row])] = f"raised {type(error).__name__}: {error}"
            progress["match"], progress["logged"] = row + 1, length
        guarded.refuse_if_overrun()
        row, logged, number, length = progress[0].tolist()
        if row < count and results.status[row] in loop.BROKEN:
            fault = loop.BROKEN[results.status[row]].format(number)
            raise broken_rules(game, f"{fault} (match {chunk.numbers[row]}, after {length - logged:,} moves)")
        if row < count and results.status[row] == loop.LOG_FULL:
            longer = np.concatenate([results.log, np.empty(len(results.log), np.int32)])
            results = results._replace(log=longer)
    return results, reasons


def _no_results(count: int, seats: int, room: int) -> loop.MatchResults:
    """Of matches that are not played yet, with room for so many actions."""
    return loop.MatchResults(
        returns=np.zeros((count, seats), np.float64),
        status=np.zeros(count, np.int32),
        culprits=np.full(count, -1, np.int32),
        plies=np.zeros(count, np.int64),
        nanoseconds=np.zeros(count, np.int64),
        log=np.empty(room, np.int32),
    )


class GuardedBuffers:
    """What the rules are lent to write in, with guards around each piece: whoever writes beyond it is found out."""

    GUARD, FILL = 64, 0xA5
    """Bytes on either side, and what is in them."""

    def __init__(self, game: Game, code: Code, wide: int, seats: int):
        self.game = game
        self._guards: list[tuple[str, Array]] = []
        self.acts = self._piece("legal writes beyond the end of its list", np.zeros(wide, np.int32))
        self.chances = self._piece("weights writes beyond the end of its list", np.zeros(wide, np.float64))
        self.scores = self._piece("returns writes beyond the end of its list", np.zeros(seats, np.float64))
        self.states = code.states(np.frombuffer(bytearray([self.FILL]) * (5 * game.State.itemsize), game.State))
        for place in range(5):
            whole, size = self.states[place : place + 1].view(np.uint8), code.size_of(game.State)
            whole[size:] = self.FILL
            self._guards.append(("a rule writes beyond the state", whole[size:]))
            if place in (0, 2, 4):
                self._guards.append(("a rule writes beyond the state", whole[size - game.State.itemsize : size]))

    def _piece(self, fault: str, piece: Array) -> Array:
        whole = np.full(piece.nbytes + 2 * self.GUARD, self.FILL, np.uint8)
        self._guards += [(fault, whole[: self.GUARD]), (fault, whole[-self.GUARD :])]
        return whole[self.GUARD : -self.GUARD].view(piece.dtype)

    def lent(self, memory: Array) -> loop.MatchBuffers:
        """The pieces as the loop takes them, with memory for the players (uint8[seats, bytes])."""
        report, rng = np.zeros(POLICY, np.float64), np.zeros(1, np.uint64)
        return loop.MatchBuffers(self.states, self.acts, self.chances, self.scores, memory, report, rng)

    def refuse_if_overrun(self) -> None:
        for fault, guard in self._guards:
            if (guard != self.FILL).any():
                raise broken_rules(self.game, fault)


def _refuse_wrong_returns(game: Game, returns: Array, low: Array, high: Array, numbers: Array) -> None:
    wrong = ~((returns >= low[:, None]) & (returns <= high[:, None]))  # so that what is not a number is wrong too
    for row, seat in np.argwhere(wrong)[:1].tolist():
        reach = f"{low[row]}..{high[row]}"
        fault = f"returns gives seat {seat} {returns[row, seat]} where board.low..board.high is {reach}"
        raise broken_rules(game, f"{fault} (match {numbers[row]})")


def _joined(pieces: dict[int, list[Array]], rows: int, kind: Any) -> tuple[Array, Array]:
    """All pieces in one array, each starting at a multiple of 8 bytes; where piece j of row i begins and ends."""
    spans = np.zeros((rows, max(map(len, pieces.values())), 2), np.int64)
    where: dict[int, tuple[int, int]] = {}  # an array used for many boards is stored once
    parts, end = [], 0
    for row, several in pieces.items():
        for piece in several:
            if id(piece) not in where:
                parts += [piece, np.zeros(-len(piece) % 8, kind)]
                where[id(piece)] = (end, end + len(piece))
                end += len(piece) + len(parts[-1])
        spans[row, : len(several)] = [where[id(piece)] for piece in several]
    return np.concatenate(parts), spans


def play_each(plan: ArenaPlan, numbers: Array) -> MatchBatch:
    """Play the matches `numbers` one by one in Python."""
    drawn_as = plan.drawn_as(numbers)
    groups = drawn_as // plan.seats
    results, sites = [], plan.sites(groups)
    starts, seeds = seeds_of(plan.seed, groups, GROUP).tolist(), seeds_of(plan.seed, drawn_as, MATCH).tolist()
    for number, site, start, seed in zip(numbers.tolist(), sites, starts, seeds, strict=True):
        seats = [plan.seat(p, site) for p in plan.seating[number].tolist()]
        (row,) = plan.opening(np.array([number]), site.boards, np.zeros(1, np.int32))
        opening = [int(action) for action in row if action >= 0]
        results.append(play_in_python(plan.game, site.boards, seats, seed, start, number, opening, plan.limit))
    return MatchBatch.of(results, plan.sources(sites), plan.seats)


def warm_up(plan: ArenaPlan, todo: MatchRows) -> None:
    """Compile and prepare what the first match needs, before any clock runs."""
    if plan.is_compiled and len(todo) and current() is None:
        play_compiled(plan, todo[:1])
        gc.freeze()  # the compiler leaves a great many objects that no collection need look at again


def run(plan: ArenaPlan, todo: MatchRows, workers: int = 1) -> Iterator[MatchBatch]:
    """Play the matches `todo`, batch after batch in whatever order they finish: here, or where ``cluster`` says."""
    away = current()
    if away is not None:
        from turnsmith.arena.remote import played_away

        batches = played_away(away, plan, todo)
        if batches is not None:
            yield from batches
            return
    if plan.is_compiled:
        pool: concurrent.futures.Executor = concurrent.futures.ThreadPoolExecutor(max(1, workers))
        begin: Callable[[Array], Begun] = lambda numbers: pool.submit(play_compiled, plan, numbers)  # noqa: E731
    elif workers > 1 and all(_can_be_named(p, plan.game) for p in plan.players):
        spawn = multiprocessing.get_context("spawn")
        silent = (signal.SIGINT, signal.SIG_DFL)  # Ctrl-C is told by the process that asked, not by each
        pool = concurrent.futures.ProcessPoolExecutor(workers, spawn, signal.signal, silent)
        texts = tuple(repr(p) for p in plan.players)
        task = _Task(plan.game.loads_by, texts, plan.seed, plan.limit, plan.random_moves, plan.repeat)

        def begin(numbers: Array) -> Begun:
            openings = None if plan.openings is None else plan.openings[numbers]
            return pool.submit(task, numbers, plan.seating[numbers], openings)

    else:
        for number in range(len(todo)):
            yield play_each(plan, todo[number : number + 1])
        return
    yield from _in_chunks(pool, begin, todo, max(1, workers))


Begun = concurrent.futures.Future[MatchBatch]
"""Matches that a worker plays."""


def _in_chunks(
    pool: concurrent.futures.Executor, begin: Callable[[Array], Begun], todo: MatchRows, workers: int
) -> Iterator[MatchBatch]:
    """Keep every worker busy with chunks that take about CHUNK_SECONDS."""
    first, size = 0, 1
    pending: dict[Begun, tuple[int, float]] = {}
    finished: list[MatchBatch] = []
    with pool:
        try:
            while pending or first < len(todo):
                while len(pending) < workers and first < len(todo):
                    share = -(-(len(todo) - first) // (2 * workers))  # so that all end at about the same time
                    chunk = todo[first : first + min(size, max(share, size // 8))]
                    first += len(chunk)
                    pending[begin(chunk)] = (len(chunk), time.monotonic())
                yield from finished  # only now: their workers already play on
                done, _ = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in done:
                    count, since = pending.pop(future)
                    speed = count / max(1e-6, time.monotonic() - since)
                    size = int(min(max(1, CHUNK_SECONDS * speed), 8 * size, 50_000))
                finished = [future.result() for future in done]
            yield from finished
        finally:
            for future in pending:
                future.cancel()


@dataclass(frozen=True)
class _Task:
    """A plan that can be sent to another process: texts and numbers only. Who sits where is told with the matches."""

    game: str
    players: tuple[str, ...]
    seed: int
    limit: float
    random_moves: int
    repeat: int

    def __call__(self, numbers: Array, seating: Array, openings: Array | None) -> MatchBatch:
        plan, order = _plan_of(self), np.argsort(numbers)
        plan.seating = Some(numbers[order], seating[order])
        plan.openings = None if openings is None else Some(numbers[order], openings[order])
        return play_each(plan, numbers)


@cache
def _plan_of(task: _Task) -> ArenaPlan:
    game = load_untried(task.game)  # whoever made the task has tried it out
    players = [player(text, game) for text in task.players]
    nobody = np.zeros((0, 0), np.int32)
    return ArenaPlan(game, players, nobody, task.seed, task.limit, None, task.random_moves, task.repeat)


def _can_be_named(each: Player, game: Game) -> bool:
    try:
        return player(repr(each), game) == each
    except BadInput:
        return False
