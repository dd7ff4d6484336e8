"""AlphaZero's player: a net proposes moves and judges positions, and simulations (``puct``) look where it may be wrong.

There are two kinds of nets. A net that sees a list of numbers is dense and runs within the compiled search. A net that
sees planes is convolutional and runs by ONNX Runtime: the search calls back for every new position.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import ask_python_about
from turnsmith.compile.numba_private import hosts
from turnsmith.contract.game import UNIT_MOVES, Game
from turnsmith.contract.loading import load
from turnsmith.nets.dense import Net, forward, read_net, sizes_of
from turnsmith.nets.files import until_changed
from turnsmith.nets.residual import PlanesNet, read_planes_net
from turnsmith.nets.runtime import model_in
from turnsmith.play.observe import Observer, observe, remembered
from turnsmith.play.player import DEPTH, STOP, WORK, Prepared, filled, for_any_game
from turnsmith.play.step import see
from turnsmith.play.stop import affordable
from turnsmith.search.joint_from_units import deciding, most_units, split, split_boards
from turnsmith.search.limits import Simulating, deadline_after, is_time_up
from turnsmith.search.puct import (
    LONGEST,
    MOST_CONSIDERED,
    Progress,
    Search,
    Settings,
    begin,
    choose,
    is_determined,
    know_nothing,
    lent,
    lent_room,
    room_for,
    take,
    understand,
    units_for,
    walk,
)
from turnsmith.search.tree import ROOT, SLOT, UNIT, open_tree
from turnsmith.search.value import MOST_HIDDEN, MOST_INPUTS, data_of, judge_in, lent_judge

MOST_SIMULATIONS = 100_000_000
MOST_UNITS = 6 << 20
NETS = 2 << 8
"""Who is asked by compiled code about planes: see ``kernel.ask_python``."""


class PlaneEvaluator(NamedTuple):
    """A net that sees planes, in a player's data: the number by which it is called, and what asking writes to."""

    which: Any
    inputs: Array
    said: Array
    views: Array


@for_any_game
def decide(game, board, view, acts, data, memory, params, report, rng):
    return think(game, board, view, None, memory, params, report, rng)


@for_any_game
def decide_by_net(game, board, view, acts, data, memory, params, report, rng):
    return think_by(game, board, view, judge_in(game, data), memory, params, report, rng)


def think_by(game, board, view, net, memory, params, report, rng):
    return think(game, board, view, lent_judge(net), memory, params, report, rng)


@for_any_game
def decide_by_planes(game, board, view, acts, data, memory, params, report, rng):
    which, planes, height, width, outputs = data.view(np.int64)[:5]
    inputs, said = np.empty((planes, height, width), np.uint8), np.empty(outputs, np.float32)
    net = PlaneEvaluator(which, inputs, said, np.empty(1, game.State))
    return think(game, board, view, net, memory, params, report, rng)


def think(game, board, view, net, memory, params, report, rng):
    settings = params.view(Settings)[0]
    tree = open_tree(memory, np.int64(settings.units), is_determined(game, board), rng)
    wide = max(board.actions, board.outcomes)
    search = Search(
        tree, np.empty(1, Progress), np.empty(2, game.State), np.empty((LONGEST, 3), np.int64), np.empty(wide),
        np.empty(wide, np.int64), np.empty(wide, np.int32),
    )  # fmt: skip
    return simulate(game, board, view, net, search, room_for(board), settings, report, rng)


def simulate(game, board, view, net, search, room, settings, report, rng):
    search, room = lent(search), lent_room(room)
    tree, going = search.tree, search.going[0]
    stop = tree.head[STOP // 8 :]
    limit = np.int64(settings.simulations) if settings.simulations > 0.0 else np.int64(MOST_SIMULATIONS)
    deadline = deadline_after(settings.time)
    if begin(game, board, view, search, room, limit, settings, rng):
        take(search, room, ask(game, board, search.states[0], going.mover, net, room))
    while going.done == 0 or (going.done < going.limit and not ((going.done & 15) == 0 and is_time_up(stop, deadline))):
        if walk(game, board, view, search, room, settings, rng):
            take(search, room, ask(game, board, search.states[0], going.mover, net, room))
        elif going.limit == 0:
            break
    tree.head[ROOT] = going.root
    report[WORK], report[DEPTH] = going.done, going.deepest
    return choose(board, search, room, deadline > 0, True, report)


def ask(game, board, state, mover, net, room):
    """Let the net judge a position; how many moves it has."""
    if net is None:
        return know_nothing(game, board, state, room)
    else:  # numba drops the branch that does not fit the net
        if game.hides:
            see(game, board, state, net.views[0], mover)
            said = answer(game, board, net.views[0], mover, net, net.inputs)
        else:
            said = answer(game, board, state, mover, net, net.inputs)
        return understand(game, board, state, mover, said, room)


def answer(game, board, view, viewer, net, inputs):
    """What a net says of what a viewer sees."""
    if inputs.ndim == 3:
        game.planes(board, view, viewer, inputs)
        if ask_python_about(NETS, net.which, inputs, 1, net.said) != 1:
            raise ValueError("a net gave no answer")
        return net.said
    else:  # likewise
        observe(game, board, view, viewer, net.slots, inputs)
        return forward(net.weights, net.sizes, inputs, net.one, net.other)


# ---------------------------------------------------------------- the player


@dataclass(frozen=True, repr=False)
class AlphaZero(Simulating):
    name: ClassVar[str] = "alphazero"
    summary: ClassVar[str] = "tree search led by a net that learned from its own games; train it for any game"
    tells: ClassVar[str] = "policy"
    usual_simulations: ClassVar[int] = 200

    decide: ClassVar[Callable[..., Any]] = decide

    net: Annotated[str, FileName()] = setting("")
    """A file of `turnsmith train alphazero`; without one all moves are alike to it and only ends of games count."""
    simulations: int = setting(0, 0, MOST_SIMULATIONS)
    """Simulations for one decision, of one unit where teams are moved, which search together; 0 is no limit (200 where
    time sets none either)."""
    time: float = setting(0.0, 0.0, 86_400.0)
    """Seconds for one decision; 0 is no limit."""
    exploration: float = setting(1.0, 0.0, 100.0)
    """How much a move gains from being likely and visited little; rewards are scaled to 0..1."""
    considered: int = setting(16, 0, MOST_CONSIDERED)
    """Moves that are considered at the root, where simulations set the limit; 0: all, by PUCT, and visits choose."""
    noise: float = setting(0.0, 0.0, 10.0)
    """Gumbel noise at the root: 1 draws moves from the better policy, 0 takes the best. With `considered=0`, the share
    of Dirichlet noise, and moves are drawn by visits."""
    least_range: float = setting(0.05, 1e-8, 1.0)
    """Differences at the root count as if the best and the worst move were at least so far apart, of the range of
    returns; less where they decide games that differ by little."""
    reduction: float = setting(0.0, 0.0, 1.0)
    """First-play urgency: how much less than the position itself a move not tried yet is expected to bring, where all
    likely ones were tried; of the range of returns."""

    def decider(self) -> Callable[..., Any]:
        if not self.net:
            return decide
        return decide_by_planes if isinstance(_read(Path(self.net)), PlanesNet) else decide_by_net

    def decider_in(self, game: Game) -> Callable[..., Any]:
        return deciding(game, self.decider()) if self._splits(game) else self.decider()

    def _splits(self, game: Game) -> bool:
        """Whether its net knows the game unit by unit, where whole teams are moved."""
        if not self.net or game.joint is not None or game.units is None:
            return False
        return UNIT_MOVES in str(_read(Path(self.net)).about.get("game")) and split(game).State == game.State

    def file(self, boards: Array) -> Path | None:
        """Where the net is, for these boards."""
        return Path(self.net) if self.net else None

    def refuses(self, game: Game, board: Any) -> str | None:
        if game.rewinds:
            return "seats decide at the same time here, and it takes one move after another; use mcts"
        return None

    def prepare(self, game: Game, boards: Array) -> Prepared:
        simulations = self.simulations_allowed()
        searched = simulations
        if self._splits(game):
            searched *= most_units(game, boards)
            game, boards = split(game), split_boards(game, boards)
        size = units_for(game, boards, searched, MOST_UNITS) if simulations else MOST_UNITS // 2
        size = affordable(size, units_for(game, boards, 0, MOST_UNITS), UNIT + SLOT)
        size += -size % 8
        params = filled(Settings, self, simulations=float(simulations), units=float(size))
        file = self.file(boards)
        data = net_in(game, boards, file) if file is not None else None
        return Prepared.of(data=data, memory=size * (UNIT + SLOT), params=params)


@dataclass(frozen=True, repr=False)
class ShippedAlphaZero(AlphaZero):
    """AlphaZero with dense nets that come with a game, each for one board; a subclass among its players names them."""

    name: ClassVar[str] = "zero"
    summary: ClassVar[str] = "AlphaZero with a net that comes with the game, learned from nothing but the rules"
    nets: ClassVar[dict[int, Path]] = {}
    """By the number of seats."""

    def decider(self) -> Callable[..., Any]:
        return super().decider() if self.net else decide_by_net

    def file(self, boards: Array) -> Path | None:
        return super().file(boards) or self.nets.get(int(boards[0]["seats"]))

    def refuses(self, game: Game, board: Any) -> str | None:
        reason = super().refuses(game, board)
        if reason is not None or self.net:
            return reason
        path = self.nets.get(int(board["seats"]))
        learned_on = load(str(_read(path).about["game"])).board() if path is not None else None
        if learned_on is not None and learned_on.tobytes() == np.asarray(board).tobytes():
            return None
        return f"its net is for another board; train one: turnsmith train alphazero {game.text_name}"


def read(path: Path) -> Net | PlanesNet:
    """A net of either kind."""
    from onnx import TensorProto

    _, model = model_in(path)
    sees = [given.type.tensor_type.elem_type for given in model.graph.input]
    return read_planes_net(path) if sees == [TensorProto.UINT8] else read_net(path)


_read = until_changed(read)


def net_in(game: Game, boards: Array, path: Path) -> Array:
    """The data of the net in a file, refused where it was trained for something else than this board."""
    net = _read(path)
    told = net.about
    if told.get("kind") != "alphazero":
        raise BadInput(f"{path} is no net of AlphaZero; train one: turnsmith train alphazero {game.text_name}")
    try:
        seer = remembered(game, boards, told.get("sees"))
    except BadInput as error:
        raise BadInput(f"{path} was trained for {told.get('game')}, and {error}") from None
    if isinstance(net, PlanesNet):
        refuse_misfit(path, told, game, boards, net.fits(seer.shape), net.outputs, seer)
        return np.array([listening(net, seer.shape), *seer.shape, net.outputs], np.int64)
    sizes = sizes_of(net.layers)
    refuse_misfit(path, told, game, boards, seer.shape == sizes[:1], sizes[-1], seer)
    if sizes[0] > MOST_INPUTS or max(sizes[1:-1], default=0) > MOST_HIDDEN:
        raise BadInput(f"{path} is too wide to search with: {MOST_INPUTS} inputs and {MOST_HIDDEN} numbers at most")
    return data_of(net, seer)


def refuse_misfit(
    path: Path, told: dict[str, Any], game: Game, boards: Array, fits: bool, outputs: int, seer: Observer
) -> None:
    seats, actions = int(boards[0]["seats"]), int(boards[0]["actions"])
    wanted = (actions + 1, actions + seats) if seats == 2 else (actions + seats,)
    if not fits or outputs not in wanted:
        seen = " × ".join(map(str, seer.shape))
        raise BadInput(
            f"{path} was trained for {told.get('game')}: it has {outputs} outputs, where {game.text_name} shows "
            f"{seen} numbers, {actions} moves and {seats} seats; train one for it"
        )


listeners: dict[int, Callable[[int, int, int], None]] = {}
"""Nets that compiled code may ask, by their numbers."""


def answer_about(what: int, key: int, asked: int, rows: int, out: int) -> int:
    listeners[key](rows, asked, out)
    return rows


hosts[NETS >> 8] = answer_about


def listening(net: PlanesNet, shape: tuple[int, ...]) -> int:
    """The number by which compiled code asks a net about planes of this shape, the same in every process."""
    number = int.from_bytes(hashlib.sha256(net.content + repr(shape).encode()).digest()[:7], "little")
    listeners.setdefault(number, net.listener(shape))
    return number
