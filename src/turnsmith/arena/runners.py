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
from turnsmith.arena.match import Result, play_in_python
from turnsmith.arena.openings import draw_openings
from turnsmith.arena.schedule import GROUP, MATCH, Rows, Some, seeds_of
from turnsmith.cluster import current
from turnsmith.digest import digest
from turnsmith.game import Array, Game, load_untried
from turnsmith.kernel import compiled
from turnsmith.player import POLICY, CompiledPlayer, Player, Prepared, player
from turnsmith.seat import Seat
from turnsmith.step import broken_rules
from turnsmith.texts import BadInput

CHUNK_SECONDS = 0.25
"""How long a worker plays between two reports: short enough to follow, to stop and to lose little."""


REMEMBERED, MOST_BYTES = 1000, 2**28
"""Boards that a run remembers, and bytes of them with what players prepared there."""
COMING_AGAIN = 64
"""As many boards are taken for those of the whole run, and stay joined from one chunk to the next."""


@dataclass(eq=False)
class Site:
    """A board, its description as JSON (where it was made from one), and what compiled players prepared for it."""

    boards: Array
    source: str = ""
    ready: dict[int, Prepared] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.boards.nbytes + sum(each.data.nbytes for each in list(self.ready.values()))


@dataclass(frozen=True)
class Joined:
    """Some sites and what players need there, each kind in one array, as the compiled loop takes it.

    Player p's tables for board b are data[data_spans[p, b, 0]:data_spans[p, b, 1]], its settings likewise in params.
    """

    place: dict[Site, int]
    players: frozenset[int]
    boards: Array
    data: Array
    data_spans: Array
    params: Array
    params_spans: Array
    memory: int
    """Bytes that each seat is lent."""


@dataclass
class KeptBoards:
    """Boards that plans which come one after another share: each is made once, and all of them joined once."""

    made: dict[str, Array] = field(default_factory=dict)
    """By description."""
    joined: dict[tuple[str, ...], Array] = field(default_factory=dict)
    """The array of those that were joined last, by their descriptions."""


@dataclass
class Plan:
    """All that decides what happens in every match of a run: equal plans play equal matches."""

    game: Game
    players: list[Player]
    seating: Rows
    """int32[matches, seats]: which player sits where."""
    seed: int
    limit: float = 0.0
    openings: Rows | None = None
    """int32[matches, length], ended by -1: actions made before anybody decides."""
    random_moves: int = 0
    """Moves made at random before anybody decides, the same in all rotations of a start."""
    repeat: int = 0
    """Match n + repeat has the board and the chance of match n, to compare players in the same games; 0 for never."""
    kept: KeptBoards | None = None
    """Boards that plans share."""
    _sites: dict[str, Site] = field(default_factory=dict)
    _described: dict[int, tuple[Any, str]] = field(default_factory=dict)
    """Descriptions that a game may give again, the very same object, by id; and their JSON."""
    _board_independent: dict[int, Prepared] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _joined: Joined | None = None
    _plies: float = 64.0
    """How long matches are, more or less: for how much room to make."""

    @property
    def seats(self) -> int:
        return int(self.seating.shape[1])

    def drawn_as(self, numbers: Array) -> Array:
        """The matches whose board and chance those of these numbers have."""
        return numbers % self.repeat if self.repeat else numbers

    def sites(self, groups: Array) -> list[Site]:
        """Where each group of matches is played."""
        seeds = seeds_of(self.seed, groups, GROUP)
        if self.game.draw_boards is None:
            return [self._site(seed) for seed in seeds.tolist()]
        boards = self.game.draw_boards(self.game.options, seeds)
        return [Site(boards[index : index + 1]) for index in range(len(seeds))]

    def _site(self, seed: int) -> Site:
        """Equal boards are built once while they are remembered."""
        described = self.game.source(self.game.options, seed)
        held, source = self._described.get(id(described), (None, ""))
        if held is not described:
            source = json.dumps(described)
            if len(self._described) < REMEMBERED:
                self._described[id(described)] = (described, source)
        known = self._sites.get(source)
        if known is None:
            made = Site(self._build(source), source)
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

    def sources(self, sites: list[Site]) -> str:
        """What describes the boards: a JSON list."""
        if self.game.sources_of is None:
            return f"[{','.join(site.source for site in sites)}]"
        return json.dumps(self.game.sources_of(self.boards(sites)))

    def boards(self, sites: list[Site]) -> Array:
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

    def ready(self, index: int, site: Site) -> Prepared:
        """What a compiled player needs there, prepared once and with the player's consent to play there."""
        if index in self._board_independent:
            return self._board_independent[index]
        with self._lock:
            if index not in site.ready:
                each = self.players[index]
                assert isinstance(each, CompiledPlayer)
                each.check(self.game, site.boards)
                site.ready[index] = each.prepare(self.game, site.boards)
                if each.board_independent:
                    self._board_independent[index] = site.ready[index]
            return site.ready[index]

    def join(self, sites: Sequence[Site], players: Iterable[int]) -> Joined:
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
        memory = max(r.memory for each in ready.values() for r in each)
        place = {site: index for index, site in enumerate(sites)}
        boards = self.boards(list(sites))
        made = Joined(place, wanted, boards, data, data_spans, params, params_spans[:, 0], memory)
        self._joined = made if keeps else None
        return made

    def digest(self) -> str:
        """Changes when anything changes that decides: code, files, the first board, what is prepared for it."""
        (site,) = self.sites(np.zeros(1, np.int64))
        found: list[Any] = [self.game.digest, site.boards]
        for index, each in enumerate(self.players):
            found.append(each.digest())
            if isinstance(each, CompiledPlayer):
                found += each.decides_with(self.game, self.ready(index, site))
        return digest(*found)

    def opening(self, numbers: Array, boards: Array, which: Array) -> Array:
        """int32[matches, length], ended by -1: what is made before anybody decides, on boards[which]."""
        if self.openings is not None:
            return np.ascontiguousarray(self.openings[numbers])
        if self.random_moves:
            seeds = seeds_of(self.seed, self.drawn_as(numbers) // self.seats, GROUP)
            return draw_openings(self.game, boards, which, seeds, self.random_moves)
        return np.zeros((len(numbers), 0), np.int32)

    def seat(self, index: int, site: Site) -> Seat:
        """A player at the table there."""
        each = self.players[index]
        return Seat(each, self.game, site.boards, self.ready(index, site) if isinstance(each, CompiledPlayer) else None)

    @property
    def is_compiled(self) -> bool:
        return all(isinstance(p, CompiledPlayer) for p in self.players)


@dataclass
class Batch:
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
    def of(results: Sequence[Result], sources: str, seats: int) -> Batch:
        lengths = [len(r.actions) for r in results]
        return Batch(
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

    def rows(self, kept: Array) -> Batch:
        """These rows, in that order."""
        if np.array_equal(kept, np.arange(len(self.numbers))):
            return self
        lengths, numbers = np.diff(self.offsets)[kept], self.numbers[kept]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return Batch(
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


def play_compiled(plan: Plan, numbers: Array, kernel: Callable[..., Any] | None = None) -> Batch:
    """Play the matches `numbers` in the compiled loop (or, for checks, the same loop interpreted as `kernel`)."""
    game, count = plan.game, len(numbers)
    kernel = kernel or compiled(loop.play_matches)
    drawn_as = plan.drawn_as(numbers)
    groups = drawn_as // plan.seats
    _, first, group_of = np.unique(groups, return_index=True, return_inverse=True)
    at = plan.sites(groups[first])
    sites = list(dict.fromkeys(at))
    place = {site: index for index, site in enumerate(sites)}
    # Matches on one board are played one after another, so that its tables stay in the processor's cache.
    order = np.argsort(np.array([place[site] for site in at])[group_of], kind="stable")
    numbers, drawn_as, groups, group_of = numbers[order], drawn_as[order], groups[order], group_of[order]
    seating = np.ascontiguousarray(plan.seating[numbers])
    used = np.unique(seating).tolist()
    joined = plan.join(sites, used)
    boards = joined.boards
    which = np.array([joined.place[site] for site in at], np.int32)[group_of]
    wheres = np.zeros(len(plan.players), np.int64)
    for p in used:
        wheres[p] = plan.players[p].where(game)
    memory = np.empty((plan.seats, joined.memory), np.uint8)
    wide = int(max(boards["actions"].max(), boards["outcomes"].max(), 1))
    lent = Lent(game, wide, plan.seats)
    rng = np.zeros(1, np.uint64)
    report = np.zeros(POLICY, np.float64)
    starts, seeds = seeds_of(plan.seed, groups, GROUP), seeds_of(plan.seed, drawn_as, MATCH)
    openings = plan.opening(numbers, boards, which)

    returns = np.zeros((count, plan.seats), np.float64)
    status, culprits, plies = np.zeros(count, np.int32), np.full(count, -1, np.int32), np.zeros(count, np.int64)
    nanoseconds, cursor = np.zeros(count, np.int64), np.zeros(4, np.int64)
    log = np.empty(max(1024, int(plan._plies * count)), np.int32)
    limit = int(plan.limit * 1e9)
    reasons: dict[int, str] = {}
    while cursor[0] < count:
        try:
            kernel(
                game, boards, lent.states, which, seating, openings, starts, seeds, limit, wheres, joined.data,
                joined.data_spans, joined.params, joined.params_spans, memory, rng, lent.acts, lent.chances, report,
                log, returns, status, culprits, plies, nanoseconds, lent.scores, cursor,
            )  # fmt: skip
        except BadInput:  # no seat's fault: rules or a player that cannot be compiled
            raise
        except Exception as error:  # the seat at work raised: it forfeits, the rest goes on
            row, seat = int(cursor[0]), int(cursor[2])
            loop.forfeit(boards[which[row]], seat, returns[row])
            status[row], culprits[row], plies[row] = loop.RAISED, seat, cursor[3] - cursor[1]
            reasons[int(numbers[row])] = f"raised {type(error).__name__}: {error}"
            cursor[0], cursor[1] = row + 1, cursor[3]
        lent.refuse_if_overrun()
        if cursor[0] < count and status[cursor[0]] in loop.BROKEN:
            fault = loop.BROKEN[status[cursor[0]]].format(cursor[2])
            raise broken_rules(game, f"{fault} (match {numbers[cursor[0]]}, after {cursor[3] - cursor[1]:,} moves)")
        if cursor[0] < count and status[cursor[0]] == loop.LOG_FULL:
            log = np.concatenate([log, np.empty(len(log), np.int32)])
    _refuse_wrong_returns(game, returns, boards["low"][which], boards["high"][which], numbers)
    offsets = np.concatenate([[0], np.cumsum(plies)]).astype(np.int64)
    plan._plies = max(plan._plies, 1.2 * offsets[-1] / count)
    for row in np.flatnonzero(status == loop.ILLEGAL).tolist():
        reasons[int(numbers[row])] = "made an illegal move"
    for row in np.flatnonzero(status == loop.TOO_SLOW).tolist():
        reasons[int(numbers[row])] = f"took longer than {plan.limit:g} s for a move"
    sources = partial(plan.sources, sites)
    which = np.array([place[site] for site in at], np.int32)[group_of]  # of the chunk's own list, which is stored
    seconds = nanoseconds / 1e9
    played = Batch(numbers, sources, which, returns, culprits, reasons, log[: offsets[-1]], offsets, seconds)
    return played.rows(np.argsort(order))


class Lent:
    """What the rules are lent to write in, with guards around each piece: whoever writes beyond it is found out."""

    GUARD, FILL = 64, 0xA5
    """Bytes on either side, and what is in them."""

    def __init__(self, game: Game, wide: int, seats: int):
        self.game = game
        self._guards: list[tuple[str, Array]] = []
        self.acts = self._piece("legal writes beyond the end of its list", np.zeros(wide, np.int32))
        self.chances = self._piece("weights writes beyond the end of its list", np.zeros(wide, np.float64))
        self.scores = self._piece("returns writes beyond the end of its list", np.zeros(seats, np.float64))
        self.states = np.frombuffer(bytearray([self.FILL]) * (5 * game.State.itemsize), game.State)
        for guard in (0, 2, 4):
            self._guards.append(("a rule writes beyond the state", self.states[guard : guard + 1].view(np.uint8)))

    def _piece(self, fault: str, piece: Array) -> Array:
        whole = np.full(piece.nbytes + 2 * self.GUARD, self.FILL, np.uint8)
        self._guards += [(fault, whole[: self.GUARD]), (fault, whole[-self.GUARD :])]
        return whole[self.GUARD : -self.GUARD].view(piece.dtype)

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


def play_each(plan: Plan, numbers: Array) -> Batch:
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
    return Batch.of(results, plan.sources(sites), plan.seats)


def warm_up(plan: Plan, todo: Rows) -> None:
    """Compile and prepare what the first match needs, before any clock runs."""
    if plan.is_compiled and len(todo) and current() is None:
        play_compiled(plan, todo[:1])
        gc.freeze()  # the compiler leaves a great many objects that no collection need look at again


def run(plan: Plan, todo: Rows, workers: int = 1) -> Iterator[Batch]:
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


Begun = concurrent.futures.Future[Batch]
"""Matches that a worker plays."""


def _in_chunks(
    pool: concurrent.futures.Executor, begin: Callable[[Array], Begun], todo: Rows, workers: int
) -> Iterator[Batch]:
    """Keep every worker busy with chunks that take about CHUNK_SECONDS."""
    first, size = 0, 1
    pending: dict[Begun, tuple[int, float]] = {}
    finished: list[Batch] = []
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

    def __call__(self, numbers: Array, seating: Array, openings: Array | None) -> Batch:
        plan, order = _plan_of(self), np.argsort(numbers)
        plan.seating = Some(numbers[order], seating[order])
        plan.openings = None if openings is None else Some(numbers[order], openings[order])
        return play_each(plan, numbers)


@cache
def _plan_of(task: _Task) -> Plan:
    game = load_untried(task.game)  # whoever made the task has tried it out
    players = [player(text, game) for text in task.players]
    nobody = np.zeros((0, 0), np.int32)
    return Plan(game, players, nobody, task.seed, task.limit, None, task.random_moves, task.repeat)


def _can_be_named(each: Player, game: Game) -> bool:
    try:
        return player(repr(each), game) == each
    except BadInput:
        return False
