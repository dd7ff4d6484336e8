"""A ladder of levels, measured: who could be a rung, how strong each is, and which of them people should meet.

Candidates meet in pairs. At first each meets the next in the order they are presumed to have, and a few whom everybody
meets; then, by the ratings so far, its neighbours, until it is known well enough how far they are apart. Of rungs about
200 points apart every two meet until the chance to win is known within `reach`, or `most` games are played. All of it
is decided by games alone, so the same seed gives the same ladder; the store keeps the games, so work that was stopped
goes on. Only who is too slow to be asked is a matter of the machine.
"""

from __future__ import annotations

import itertools
import json
import math
import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from turnsmith.arena.elo import difference, fit
from turnsmith.arena.pairs import OPENING, pair_rate, positions_of, seconds_of_decisions
from turnsmith.arena.statistics import RateWithInterval
from turnsmith.arena.store import Store
from turnsmith.arena.table import Table
from turnsmith.arena.tournament import arena
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.files import write_text
from turnsmith.compile.cache import cache_folder
from turnsmith.compile.digest import digest
from turnsmith.contract.game import Game
from turnsmith.play.choice import BUDGETS, choice_of
from turnsmith.play.levels import NAMES, STARS, Chance, Ladder, Level, star_places
from turnsmith.play.player import BEST, LEVELS, CompiledPlayer, player, players
from turnsmith.play.tiers import SECOND, within_tier
from turnsmith.search.softmax import Softmax

APART, LEAST_APART, MOST_RUNGS = 200.0, 40.0, 10
"""Rating points between rungs: what is wanted, and what is still worth a rung; and how many there are at most."""
FAR = 280.0
"""Between rungs that are so far apart another one is looked for."""
BATCH = 16
"""Games of a pair at first; twice as many each time it meets again."""
NEAR, KNOWN = 400.0, 40.0
"""Neighbours are at most so many points apart, and meet until the standard error of that is below so many."""
TOP = 4
"""Of whom one may be the strongest."""
ROUNDS = 6
"""Times that neighbours are looked for anew."""
SOFT = "softmax:temperature={}"
GENERAL = (
    "random",
    *(f"{SOFT.format(t)},player.simulations=40" for t in (6, 2.5, 1.5, 1, 0.6)),
    *(f"{SOFT.format(t)},player.simulations=400" for t in (1, 0.6)),
    *(f"mcts:simulations={n}" for n in (10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000)),
)
"""Who plays any game."""
COMMON = ("random", "softmax:player.simulations=40", "mcts:simulations=100")
"""Whom everybody meets: quick ones, far from each other."""
SEARCHES = {"negamax": ",player.table=10", "expectimax": ",player.table=10", "maxn": ""}
"""The first that plays a game may climb too; with a small table, where each move is looked at by itself."""
DEPTHS = (1, 2, 3, 4, 5, 6, 8, 10, 12)
TIERS = BUDGETS[1:]
"""CPU seconds a decision of slow players: above a ladder of quick ones stands the best player at each of these."""


@dataclass(frozen=True)
class Aims:
    """How exactly a ladder is measured, and from what."""

    seconds: float = 0.1
    """A decision takes at most so long in the mean, or the candidate is left out."""
    reach: float = 0.05
    """The chance to win of two rungs is wanted within so much, at 95 %."""
    most: int = 400
    """Games of a pair, at most."""
    seed: int = 0
    slow: int = 24
    """Games that the best player of the first slower tier plays with the level below; half as many in the next."""


def candidates(game: Game, more: Sequence[str] = ()) -> list[str]:
    """Texts of all who could be a rung, about weakest first: searches of all budgets, the same with their moves drawn
    by value, the game's own players and those it declares, and `more`. Who is told a time to think is left out: how
    well such a one plays depends on the machine."""
    boards = game.board()
    own = [name for name, kind in game.players().items() if issubclass(kind, CompiledPlayer)]
    search = next((name for name in SEARCHES if player(name, game).refuses(game, boards[0]) is None), "")
    climbing = _climbing(search) if search and game.evaluates else []
    declared = list((game.levels() or LEVELS).values())
    playable = []
    for text in [*GENERAL, *climbing, *own, *declared]:
        try:
            candidate = player(text, game)
        except BadInput:  # a game's own search may lack a setting
            continue
        if not getattr(candidate, "time", 0.0) and candidate.refuses(game, boards[0]) is None:
            playable.append(repr(candidate))
    for text in more:
        candidate = player(text, game)
        candidate.check(game, boards)
        playable.append(repr(candidate))
    return list(dict.fromkeys(playable))


def _climbing(search: str) -> list[str]:
    """A depth-first search, first with its moves drawn by value, then deeper and deeper."""
    drawn = [(0.3, 1), (0.1, 1), (0.05, 1), (0.02, 1), (0.05, 3), (0.02, 3)]
    soft = [f"{SOFT.format(t)},player={search},player.depth={depth}{SEARCHES[search]}" for t, depth in drawn]
    return [*soft, *(f"{search}:depth={depth}" for depth in DEPTHS)]


def refuse_lonely(game: Game) -> None:
    """Refuse games in which nobody can be beaten."""
    if game.board()[0].seats < 2:
        raise BadInput(
            f"{game.text_name} has one seat, so there is nobody to win against and no level to measure; "
            f"'turnsmith evaluate' says how well its players do"
        )


@dataclass
class Meetings:
    """The candidates and what has come of their games."""

    game: Game
    texts: list[str]
    aims: Aims
    store: Store
    workers: int = 1
    progress: Callable[[int, int], None] | None = None
    rates: dict[tuple[int, int], RateWithInterval] = field(default_factory=dict)
    """By pair, the first of whom has the lower number."""
    asked: dict[tuple[int, int], int] = field(default_factory=dict)
    forfeits: set[int] = field(default_factory=set)
    """Who broke a rule of the arena."""

    def __post_init__(self) -> None:
        board = self.game.board()[0]
        self._seats, self._opening = int(board.seats), 0 if board.outcomes else OPENING
        self._played = 0

    def meet(self, one: int, other: int, games: int) -> None:
        """Let a pair have played so many games."""
        one, other = sorted((one, other))
        games = -(-min(games, self.aims.most) // self._seats) * self._seats
        if self.asked.get((one, other), 0) >= games or {one, other} & self.forfeits:
            return
        texts = [self.texts[one], self.texts[other]]
        seed = zlib.crc32("\n".join(texts).encode(), self.aims.seed & 0xFFFFFFFF)
        how = {"seed": seed, "opening": self._opening, "store": self.store, "workers": self.workers}
        table = arena(self.game, texts, games, keep="none", progress=self._tell(games), **how)  # type: ignore[arg-type]
        self._played += games - self.asked.get((one, other), 0)
        self.asked[one, other] = games
        self.forfeits |= {(one, other)[int(table.seating[n, seat])] for n, seat in _faults(table)}
        self.rates[one, other] = pair_rate(table)

    def _tell(self, games: int) -> Callable[[int, int], None] | None:
        tell = self.progress
        return tell and (lambda done, total: tell(self._played + done, self._played + games))

    def fair(self) -> list[int]:
        """Those who broke no rule."""
        return [n for n in range(len(self.texts)) if n not in self.forfeits]

    def again(self, one: int, other: int) -> int:
        """How many games a pair should have played after it meets again."""
        return 2 * self.asked.get((min(one, other), max(one, other)), BATCH // 2)

    def known(self, one: int, other: int) -> bool:
        """Whether a pair's chance to win is known as exactly as is wanted."""
        pair = (min(one, other), max(one, other))
        rate = self.rates.get(pair)
        return rate is not None and (rate.high - rate.low <= 2 * self.aims.reach or self.asked[pair] >= self.aims.most)

    def settle(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Let these pairs meet until the chance to win of each is known."""
        for one, other in dict.fromkeys(pairs):
            while not self.known(one, other) and not {one, other} & self.forfeits:
                self.meet(one, other, self.again(one, other))

    def ratings(self) -> tuple[Array, Array]:
        count = len(self.texts)
        points, games = np.zeros((count, count)), np.zeros((count, count))
        for (one, other), rate in self.rates.items():
            games[one, other] = games[other, one] = rate.games
            points[one, other], points[other, one] = rate.rate * rate.games, (1.0 - rate.rate) * rate.games
        return fit(points, games)

    def chance(self, one: int, other: int) -> Chance | None:
        rate = self.rates.get((min(one, other), max(one, other)))
        if rate is None:
            return None
        ends = [rate.rate, rate.low, rate.high] if one < other else [1 - rate.rate, 1 - rate.high, 1 - rate.low]
        mean, low, high = (round(end, 4) for end in ends)
        return Chance(mean, low, high, rate.games)


def _faults(table: Table) -> Iterable[tuple[int, int]]:
    return ((int(n), int(table.culprits[n])) for n in np.flatnonzero(table.culprits >= 0))


def measure(
    game: Game,
    texts: Sequence[str],
    aims: Aims,
    store: Store,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
    always: Collection[str] = (),
) -> tuple[Ladder, int]:
    """The ladder of a game from candidates of which the first is the weakest, and how many games it took; those of
    `always` take part however slow they are."""
    refuse_lonely(game)
    times = timed(game, texts, aims.seconds)
    quick = [text for text in texts if times[text] <= aims.seconds or text in always]
    if len(quick) < 2:
        raise BadInput(
            f"within {aims.seconds:g} s a decision there are not two players of {game.text_name}; allow more"
        )
    held = Meetings(game, quick, aims, store, workers, progress)

    # 1. Everybody meets the next, and those whom all can be compared with.
    common = [quick.index(text) for text in COMMON if text in quick]
    for one in range(len(quick)):
        for other in dict.fromkeys([min(one + 1, len(quick) - 1), *common]):
            if one != other:
                held.meet(one, other, BATCH)

    # 2. Of those that may make rungs, neighbours by the ratings so far meet until it is clear how far they are apart.
    liking = [_liking(text, times) for text in quick]
    ratings, _ = held.ratings()
    strongest = sorted(held.fair(), key=lambda n: float(ratings[n]))[-TOP:]
    likely = {*chosen(ratings, held.fair(), liking, 2), *strongest}
    for _ in range(ROUNDS):
        ratings, spread = held.ratings()
        before = dict(held.asked)
        for one, other in _neighbours([n for n in np.argsort(ratings, kind="stable").tolist() if n in likely]):
            if abs(ratings[one] - ratings[other]) < NEAR and difference(spread, one, other) > KNOWN:
                held.meet(one, other, held.again(one, other))
        if held.asked == before:
            break

    # 3. Every two levels meet, and rungs their neighbours.
    ratings, _ = held.ratings()
    rungs = filled(ratings, chosen(ratings, [n for n in held.fair() if n in likely], liking), held.fair())
    levels = named(ratings, rungs)
    held.settle([*itertools.combinations(levels, 2), *itertools.pairwise(rungs)])

    # 4. Above them, the best player at slower times meets who stands below it.
    tiers = add_tiers(held, levels)
    return _ladder(game, held, rungs, levels, times, tiers), sum(held.asked.values())


def measure_declared(
    game: Game, aims: Aims, store: Store, workers: int = 1, progress: Callable[[int, int], None] | None = None
) -> tuple[Ladder, int]:
    """The levels that a game declares, measured as they are, and how many games it took: every two of them meet."""
    refuse_lonely(game)
    names = {repr(player(text, game)): name for name, text in game.levels().items()}
    if len(names) < 2:
        raise BadInput(f"{game.text_name} declares fewer than two levels; without --declared some are found for it")
    held = Meetings(game, list(names), aims, store, workers, progress)
    held.settle(itertools.combinations(range(len(names)), 2))
    times = timed(game, held.texts, aims.seconds)
    everybody = list(range(len(names)))
    tiers = add_tiers(held, everybody)
    return _ladder(game, held, everybody, everybody, times, tiers, list(names.values())), sum(held.asked.values())


def add_tiers(held: Meetings, levels: Sequence[int]) -> dict[int, float]:
    """Let the best player of each slower tier meet the one below it, first the strongest level; returns the CPU seconds
    of each. Where races have shown nobody yet, there is none; nor where it plays the same at any time."""
    tiers: dict[int, float] = {}
    games = held.aims.slow
    if choice_of(held.game) is None:
        return tiers
    ratings, _ = held.ratings()
    below = max(levels, key=lambda n: float(ratings[n]))
    for seconds in TIERS:
        text = repr(player(f"{BEST}:seconds={seconds:g}", held.game))
        if seconds <= held.aims.seconds or text in held.texts or not games:
            continue
        held.texts.append(text)
        tiers[len(held.texts) - 1] = seconds
        held.meet(below, len(held.texts) - 1, games)
        below, games = len(held.texts) - 1, games // 2
    return {place: seconds for place, seconds in tiers.items() if place not in held.forfeits}


def _neighbours(order: Sequence[int]) -> list[tuple[int, int]]:
    return [(order[at], order[at + step]) for at in range(len(order)) for step in (1, 2) if at + step < len(order)]


def _liking(text: str, times: dict[str, float]) -> tuple[int, float]:
    """Of candidates as strong as each other, the one that errs as people do is taken, then the quicker."""
    return (0 if text.startswith(Softmax.name) else 1, times[text])


def chosen(ratings: Array, among: Sequence[int], liking: Sequence[tuple[int, float]], each: int = 1) -> list[int]:
    """The rungs, weakest first: about APART points from each other, from the weakest to the strongest there is; `each`
    of them may be one of so many."""
    low, high = min(ratings[n] for n in among), max(ratings[n] for n in among)
    steps = min(max(round((high - low) / APART), STARS - 1), int((high - low) // LEAST_APART), MOST_RUNGS - 1)
    wide = (high - low) / max(1, steps)
    rungs: list[int] = []
    for target in [*np.linspace(low, high, max(1, steps) + 1).tolist()] * each:
        off = {n: abs(float(ratings[n]) - target) for n in among if n not in rungs}
        nearest = min(off.values(), default=math.inf)
        slack = 0.15 * wide if target < high else 0.0  # the strongest is the strongest
        if nearest <= 0.5 * wide:
            rungs.append(min((n for n in off if off[n] <= nearest + slack), key=lambda n: liking[n]))
    return sorted(rungs, key=lambda n: float(ratings[n]))


def filled(ratings: Array, rungs: Sequence[int], among: Sequence[int]) -> list[int]:
    """The rungs, and where two of them are far apart, whoever is nearest to the middle between them."""
    full = list(rungs)
    for low, high in itertools.pairwise(rungs):
        apart, middle = float(ratings[high] - ratings[low]), 0.5 * float(ratings[high] + ratings[low])
        nearest = min(among, key=lambda n, at=middle: abs(float(ratings[n]) - at))  # type: ignore[misc]
        if apart > FAR and abs(float(ratings[nearest]) - middle) < 0.25 * apart:
            full.append(nearest)
    return sorted(full, key=lambda n: float(ratings[n]))


def named(ratings: Array, rungs: Sequence[int]) -> list[int]:
    """The rungs that people choose from: five, evenly apart."""
    even = np.linspace(ratings[rungs[0]], ratings[rungs[-1]], min(STARS, len(rungs))).tolist()
    return sorted({min(rungs, key=lambda n: abs(float(ratings[n]) - at)) for at in even}, key=rungs.index)


def _ladder(
    game: Game, held: Meetings, rungs: list[int], levels: list[int], times: dict[str, float],
    tiers: dict[int, float], own: Sequence[str] = (),
) -> Ladder:  # fmt: skip
    """The rungs with all that was measured of them, the weakest at 0; `own`: the names that all levels have."""
    ratings, spread = held.ratings()
    rungs = [*rungs, *tiers]
    times = times | {held.texts[place]: seconds for place, seconds in tiers.items()}
    rungs, levels = (sorted(places, key=lambda n: float(ratings[n])) for places in (rungs, levels))
    base = rungs[0]
    names = dict(enumerate(own)) or dict(zip(levels, NAMES[len(levels)], strict=True))
    stars = dict(zip(levels, star_places(len(levels)), strict=True))
    described = []
    for rung in rungs:
        rating, reach = float(ratings[rung] - ratings[base]), 1.96 * difference(spread, rung, base)
        seen = {held.texts[other]: held.chance(rung, other) for other in rungs if other != rung}
        mean, low, high = (round(number, 1) for number in (rating, rating - reach, rating + reach))
        chances = {text: chance for text, chance in seen.items() if chance is not None}
        head = (names.get(rung, ""), held.texts[rung], stars.get(rung, 0), sentence(game, held.texts[rung]))
        took = float(f"{times[held.texts[rung]]:.2g}")
        described.append(Level(*head, mean, low, high, took, chances, tiers.get(rung, 0.0)))
    others = {text: round(float(ratings[n] - ratings[base]), 1) for n, text in enumerate(held.texts) if n not in rungs}
    return Ladder(game.text_name, tuple(described), True, others)


def sentence(game: Game, text: str) -> str:
    """How a rung plays, for people."""
    who = player(text, game)
    if isinstance(who, Softmax):
        asked = who.asked(game)
        heed = "Often" if who.temperature >= (1.0 if asked.tells == "policy" else 0.1) else "Now and then"
        return f"{heed} takes a good move for the best: {_thinking(asked)}."
    if text == "random":
        return "Plays any legal move."
    summary = _thinking(who) or players(game)[text.partition(":")[0]].summary
    return summary[:1].upper() + summary[1:] + "."


def _thinking(each: object) -> str:
    """What a search does before it moves; "" of another player."""
    simulations, depth = getattr(each, "simulations", 0), getattr(each, "depth", 0)
    if simulations:
        return f"plays {simulations:,} games in its head before each move"
    return f"looks {depth} move{'s' if depth > 1 else ''} ahead" if depth else ""


def timed(game: Game, texts: Sequence[str], seconds: float) -> dict[str, float]:
    """CPU seconds of a decision, in the mean. They are kept, so that who was in time stays in when work goes on."""
    path = cache_folder() / "levels" / f"times-{game.name}-{digest(game.digest, tuple(texts), seconds)}.json"
    try:
        kept = json.loads(path.read_text("utf-8"))
        if set(kept) == set(texts) and all(isinstance(value, float) for value in kept.values()):
            return dict(kept)
    except (OSError, ValueError, TypeError):
        pass
    positions = positions_of(game)
    with within_tier(SECOND):  # what is measured is measured at full speed
        times = {text: seconds_of_decisions(player(text, game), positions, seconds) for text in texts}
    write_text(path, json.dumps(times))
    return times
