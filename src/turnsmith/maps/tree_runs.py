"""Game trees on many maps of any game: a folder of chunks, then the tensors of all trees and the maps they grew on.

A chunk is a file, complete or not at all, and follows from the settings alone; so growing that was killed goes on, and
ends with the same bytes, on any number of threads. ``tree_kernels`` has the compiled half.
"""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from turnsmith.arena.schedule import seeds_of
from turnsmith.cluster import current
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.files import write_whole
from turnsmith.compile.kernel import bundle_type, compiled, digest
from turnsmith.contract.game import Game
from turnsmith.contract.homes import part_of
from turnsmith.contract.loading import load
from turnsmith.learn.fit import Progress, silent
from turnsmith.maps import tree_kernels
from turnsmith.maps.files import iwonformat, save
from turnsmith.maps.files import load as load_maps
from turnsmith.maps.record import GameMap, lasting_text, split_options
from turnsmith.maps.tree import PADDING, SIDES, Trees, fitted, stack
from turnsmith.nets.files import keep_settings, read_arrays, write_arrays
from turnsmith.play.player import POLICY, CompiledPlayer, Prepared, at, player

CHUNK = 250
"""Trees of a step: large enough that its file costs little, small enough to lose little."""
MAPS = 3_000_004
"""Stream index of the seeds of maps."""
MOST_BYTES = 2**28
"""Of the states of a level."""
SHARE = 0.8
"""Of the trees keep all their branches; those of the others that were drawn last are left out."""
RUN = "trees"
"""What the files of a folder begin with."""


@dataclass(frozen=True)
class TreeSettings:
    """Which trees to grow."""

    game: str
    maps: int = 2000
    """How many maps."""
    per_map: int = 10
    """Trees of each map: with other portals in Homeguard, elsewhere with other chance."""
    iterations: int = 4
    """Of two rounds each, after which branches are drawn."""
    branches: int = 128
    """That are kept after an iteration."""
    kept: int = 0
    """Actions of a layer that are tried in a node, drawn at random; 0 for all."""
    dropout: float = 0.0
    """Share of the actions, but never the first, that is left out in iterations that prune."""
    player: str = ""
    """Who decides for the others; "" for the usual one."""
    seat: int = 0
    """Whose decisions are followed."""
    seed: int = 0
    """The same seed grows the same trees."""
    skip: int = 0
    """Rounds that are played at random before a tree begins, so that it begins near first contact."""


@dataclass(frozen=True, eq=False)
class Growth:
    """How the trees of a game grow: functions that compiled code sees, and what a round is written as.

    functions: begin, moves, reply, play, score and observe, with the arguments of those of any game in
    ``tree_kernels``.
    boards(options, seed, maps, trees): a board a tree, from the numbers of its map and its own; without it, all trees
    of a map grow on the board that the game draws with the map's seed.
    """

    name: str
    functions: Mapping[str, Callable[..., Any]]
    temperature: float = tree_kernels.GREATEST / 4
    layers: int = 1
    radix: int = 0
    units: int = 0
    boards: Callable[[Any, int, Array, Array], Array] | None = None
    sights: Callable[[Trees, dict[str, Any]], Array] | None = None
    """(trees, source of a map of theirs) -> float32[trees, …]: what whole trees tell of the map they grew on."""
    map_format: str = ""
    """The format of the maps beside such trees; "" for JSON."""
    net: Path | None = None
    """The net that comes with the game and embeds such trees, of the usual size."""
    genome_net: Path | None = None
    """The one that tells the vector of a map from its genes."""
    play_net: Path | None = None
    """The one that tells from its genes what is played on a map, as numbers (``studies/taste/play.py``)."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["functions"][name]
        except KeyError:
            raise AttributeError(name) from None

    @cached_property
    def _numba_type_(self) -> Any:
        return bundle_type(f"growth of {self.name}", dict(self.functions))


ANY = Growth(
    "any game",
    {
        "begin": tree_kernels.begin_any,
        "moves": tree_kernels.list_any,
        "reply": tree_kernels.reply_any,
        "play": tree_kernels.play_any,
        "score": tree_kernels.score_any,
        "observe": tree_kernels.observe_any,
    },
)


def growths(home: str) -> dict[str, Growth]:
    """How a game's own trees grow, by the player that answers, the usual one first; none where it says nothing."""
    return dict(getattr(part_of(home, "growth"), "GROWTH", {}))


def growth_of(game: str) -> Growth:
    """How trees of the game that a text names usually grow."""
    return next(iter(growths(split_options(game)[0]).values()), ANY)


def growth_for(maps: list[GameMap], trees: Trees) -> Growth:
    """How such trees grow: as the game's own do, or as those of any game."""
    own = growth_of(maps[0].game)
    return own if trees.sides and trees.layers_a_round == own.layers else ANY


# ---------------------------------------------------------------- what grows, and with whom


@dataclass(eq=False)
class Nursery:
    """Settings that were looked at: the game, how its trees grow, and who decides for the others."""

    settings: TreeSettings
    game: Game = field(init=False)
    growth: Growth = field(init=False)
    opponent: CompiledPlayer | None = field(init=False, default=None)
    kernel: Callable[..., None] = field(default_factory=lambda: compiled(tree_kernels.grow_trees))
    """What grows them, compiled unless somebody wants to see it interpreted."""

    def __post_init__(self) -> None:
        chosen = self.settings
        self.game = load(chosen.game)
        own = growths(self.game.home or self.game.name)
        self.growth = ANY
        if own and self.game.joint is None and (not chosen.player or chosen.player in own):
            self.growth = own[chosen.player or next(iter(own))]
        board = self.game.board(0)[0]
        if not chosen.seat < board.seats:
            raise BadInput(f"--seat {chosen.seat}: the seats of {self.game.text_name} are 0 to {int(board.seats) - 1}")
        if self.growth is not ANY:
            if chosen.seat != 0:
                raise BadInput(f"trees of {self.game.name} follow seat 0; leave out --seat")
            return
        if board.actions >= PADDING:
            raise BadInput(
                f"{self.game.text_name} has {int(board.actions):,} actions; trees hold less than {PADDING:,}"
            )
        opponent = player(chosen.player or "random", self.game)
        if not isinstance(opponent, CompiledPlayer):
            raise BadInput(f"{opponent!r} is not compiled, so no trees grow with it; take another, such as random")
        opponent.check(self.game, self.game.board(0))
        self.opponent = opponent

    @property
    def rounds(self) -> int:
        return tree_kernels.ROUNDS * self.settings.iterations

    @property
    def trees(self) -> int:
        return self.settings.maps * self.settings.per_map

    @property
    def code(self) -> str:
        """Changes when rules or players change, or how trees grow."""
        who = self.opponent.digest() if self.opponent else ""
        return digest(self.game.digest, self.growth._numba_type_.name, tree_kernels.grow_trees, who)

    @cached_property
    def plan(self) -> tree_kernels.GrowthPlan:
        chosen, growth = self.settings, self.growth
        return tree_kernels.GrowthPlan(
            chosen.branches, chosen.iterations, chosen.kept, chosen.dropout, growth.temperature, growth.layers,
            growth.radix or int(self.game.board(0)[0].actions), growth.units, MOST_BYTES // self.game.State.itemsize,
            chosen.skip,
        )  # fmt: skip

    def boards(self, numbers: Array) -> tuple[Array, Array]:
        """Boards of the trees with these numbers, and which of them each grows on."""
        maps = numbers // self.settings.per_map
        if self.growth.boards is not None:
            return self.growth.boards(self.game.options, self.settings.seed, maps, numbers), np.arange(len(numbers))
        different, which = np.unique(maps, return_inverse=True)
        seeds = seeds_of(self.settings.seed, different, MAPS)
        if self.game.draw_boards is not None:
            return self.game.draw_boards(self.game.options, seeds), which
        return np.concatenate([self.game.board(int(seed)) for seed in seeds]), which

    def sources(self, numbers: Array) -> list[dict[str, Any]]:
        """The descriptions of those boards, one a tree."""
        boards, which = self.boards(numbers)
        if self.game.sources_of is not None:
            sources = self.game.sources_of(boards)
        else:
            maps = np.unique(numbers // self.settings.per_map)
            sources = [self.game.describe(int(seed)) for seed in seeds_of(self.settings.seed, maps, MAPS)]
        return [sources[place] for place in which]

    # ------------------------------------------------------------ growing

    def grow(self, numbers: Array) -> Trees:
        """The trees with these numbers."""
        return self.grow_on(*self.boards(numbers), numbers)

    def chunk(self, start: int) -> dict[str, Array]:
        """The tensors of a chunk that begins with this tree, by name."""
        trees = self.grow(np.arange(start, min(start + CHUNK, self.trees)))
        return {name: getattr(trees, name) for name in iwonformat.NAMES} | dict(trees.sides)

    def grow_on(self, boards: Array, which: Array, numbers: Array) -> Trees:
        """Trees with these numbers on any boards of the game; which: the board of each."""
        if self.opponent is None or self.opponent.board_independent:
            ready = self.opponent.prepare(self.game, boards[:1]) if self.opponent else Prepared.of()
            return self._grown(boards, which, numbers, ready)
        parts = []
        for place in range(len(boards)):  # what a player prepares is for one board
            chosen = which == place
            ready = self.opponent.prepare(self.game, boards[place : place + 1])
            parts.append(
                self._grown(boards[place : place + 1], np.zeros(chosen.sum(), np.int64), numbers[chosen], ready)
            )
        return stack(parts)

    def _grown(self, boards: Array, which: Array, numbers: Array, ready: Prepared) -> Trees:
        plan, chosen = self.plan, self.settings
        layers, sides = self.rounds * plan.layers, 4 * plan.units + 2 if plan.units else 0

        def room(*trees: int) -> tree_kernels.KeptBranches:
            shape = (*trees, plan.branches)
            actions, scores, best = (np.full((*shape, layers), PADDING, np.int16) for _ in range(3))
            return tree_kernels.KeptBranches(
                actions, scores, best, np.full((*shape, self.rounds + 1, sides), PADDING, np.int16)
            )

        out, halves = room(len(numbers)), (room(), room())
        counts, cursor = np.zeros(len(numbers), np.int64), np.zeros(1, np.int64)
        tools = self._tools(boards, ready)
        self.kernel(
            self.game, self.growth, tools, boards, which, plan, np.uint64(chosen.seed), numbers, halves, out, counts,
            cursor,
        )  # fmt: skip
        if tools.status[0] != tree_kernels.GROWN:
            raise self._refusal(int(tools.status[0]), int(numbers[cursor[0]]))
        return Trees(out.actions, out.scores, out.best, _sides(out.sides, plan.units), plan.layers)

    def _tools(self, boards: Array, ready: Prepared) -> tree_kernels.GrowthBuffers:
        wide = int(max(boards["actions"].max(), boards["outcomes"].max(), 1))
        return tree_kernels.GrowthBuffers(
            self.settings.seat, self.opponent.where(self.game) if self.opponent else 0, ready.data,
            np.zeros(ready.memory, np.uint8), ready.linked(at(self.game)), np.zeros(POLICY), np.zeros(wide, np.int32),
            np.zeros(wide, np.int32), np.zeros(wide), np.zeros(int(boards["seats"].max())),
            np.zeros(1, self.game.State), np.zeros(1, np.uint64), np.zeros(1, np.int64),
        )  # fmt: skip

    def _refusal(self, status: int, tree: int) -> BadInput:
        if status == tree_kernels.TOO_WIDE:
            why = f"a level has more than {self.plan.most:,} nodes; keep fewer actions (--kept 2) or branches"
        elif status == tree_kernels.ILLEGAL:
            why = f"{self.opponent!r} makes an illegal move; choose another player"
        else:
            why = f"seat {self.settings.seat} does not move again; follow another (--seat)"
        return BadInput(f"tree {tree} of {self.game.text_name}: {why}")


def _sides(numbers: Array, units: int) -> dict[str, Array]:
    """Sides by name, of [trees, branches, rounds + 1, numbers]; only positions are known before the first round."""
    if not units:
        return {}
    sides = {name: numbers[..., 1:, at * units : (at + 1) * units] for at, name in enumerate(SIDES) if at < 4}
    sides["positions"] = numbers[..., :units]
    sides |= {name: numbers[..., 1:, 4 * units + at : 4 * units + at + 1] for at, name in enumerate(("dealt", "taken"))}
    return sides


# ---------------------------------------------------------------- a folder


def grow(settings: TreeSettings, folder: Path, workers: int = 1, progress: Progress = silent) -> list[Path]:
    """Grow all trees of some settings in a folder, or what is missing there; the files that hold them."""
    nursery = Nursery(settings)
    folder.mkdir(parents=True, exist_ok=True)
    keep_settings(folder, asdict(settings) | {"code": nursery.code})
    done = folder / "complete.json"
    if not done.exists():
        starts = list(range(0, nursery.trees, CHUNK))
        paths = [folder / "chunks" / f"{start:08d}.npz" for start in starts]
        for finished, _ in enumerate(_made(nursery, starts, paths, workers), start=1):
            progress(min(finished * CHUNK, nursery.trees), nursery.trees)
        write_files(nursery, folder, paths)
        write_whole(done, lambda target: target.write(b"{}\n"))
    for left in (folder / "chunks").glob("*.npz"):
        left.unlink()
    if (folder / "chunks").is_dir():
        (folder / "chunks").rmdir()
    return sorted(folder.glob(f"{RUN}*"))


def _made(nursery: Nursery, starts: list[int], paths: list[Path], workers: int) -> Iterator[None]:
    """Make the chunks that are not there; yields once a chunk."""

    def make(start: int, path: Path) -> None:
        write_arrays(path, nursery.chunk(start), False)

    missing = [(start, path) for start, path in zip(starts, paths, strict=True) if not path.exists()]
    yield from (None for _ in range(len(paths) - len(missing)))
    away = current()
    if away is not None and missing:
        from turnsmith.maps.tree_runs_remote import grown_away

        chunks = grown_away(away, nursery, [start for start, _ in missing])
        if chunks is not None:
            for place, arrays in chunks:
                write_arrays(missing[place][1], arrays, False)
                yield None
            return
    if missing:
        make(*missing[0])  # compiled by one, before several would
        yield None
    pool = concurrent.futures.ThreadPoolExecutor(max(1, workers))
    try:
        for future in concurrent.futures.as_completed([pool.submit(make, *chunk) for chunk in missing[1:]]):
            future.result()
            yield None
    finally:
        pool.shutdown(cancel_futures=True)


def write_files(nursery: Nursery, folder: Path, paths: list[Path]) -> None:
    """Write the tensors of all chunks, one after another, and then the maps."""
    counts = np.concatenate(
        [(read_arrays(path, "scores")["scores"][:, :, -1] != PADDING).sum(axis=1) for path in paths]
    )
    branches = int(np.quantile(counts, SHARE, method="inverted_cdf"))
    run = folder / RUN
    names = dict(iwonformat.NAMES) | (iwonformat.SIDE_NAMES if nursery.growth.units else {})
    for name, called in names.items():
        write_whole(iwonformat.tensor_file(run, called), _writer(paths, name, branches, len(counts)))
    maps = _maps(nursery)
    if nursery.growth.map_format:
        save(run, maps, nursery.growth.map_format)
    else:
        save(folder / f"{RUN}.json", maps)


def _writer(paths: list[Path], name: str, branches: int, trees: int) -> Callable[[BinaryIO], None]:
    """What fills a tensor's file, chunk by chunk."""

    def fill(target: BinaryIO) -> None:
        for number, path in enumerate(paths):
            numbers = fitted(read_arrays(path, name)[name], branches)
            rows = numbers if numbers.ndim == 3 else numbers.reshape(-1, *numbers.shape[2:])
            if number == 0:
                length = trees if numbers.ndim == 3 else trees * branches
                target.write(np.array([length, *rows.shape[1:]], "<u4").tobytes())
            target.write(np.ascontiguousarray(rows, "<i2").tobytes())

    return fill


def _maps(nursery: Nursery) -> list[GameMap]:
    """One map a tree; its class is its number among the maps."""
    settings, maps, text = nursery.settings, [], ""
    for start in range(0, nursery.trees, CHUNK):
        numbers = np.arange(start, min(start + CHUNK, nursery.trees))
        for number, source in zip(numbers.tolist(), nursery.sources(numbers), strict=True):
            text = text or lasting_text(nursery.game, source)
            maps.append(GameMap(text, source, label=number // settings.per_map))
    return maps


def read_grown(folder: Path) -> tuple[list[GameMap], Trees]:
    """The maps and trees of a folder, or of the files of a run; maps that grew from the same covers have one class."""
    run = folder / RUN if folder.is_dir() else folder
    existing = iwonformat.run_of(run)
    if existing is None:
        raise BadInput(f"there are no trees in {folder}; grow some: turnsmith maps trees GAME --to {folder}")
    run = existing
    if run.is_file():
        return iwonformat.read_run(run)
    listed = run.with_name(f"{run.name}.json")
    if not listed.is_file():
        raise BadInput(f"{folder} is not complete: its maps are missing; grow its trees to the end")
    maps, trees = load_maps(listed), iwonformat.read_trees(run, 1)
    if len(maps) != len(trees):
        raise BadInput(f"{folder}: there are {len(maps)} maps, but {len(trees)} trees; the files are of different runs")
    return maps, trees


def labels_of(maps: list[GameMap], said: object) -> Array:
    """int64: the class of each map."""
    if any(game_map.label is None for game_map in maps):
        raise BadInput(f"{said}: not every map has a class, so nobody knows which trees are of the same map")
    return np.array([game_map.label for game_map in maps])
