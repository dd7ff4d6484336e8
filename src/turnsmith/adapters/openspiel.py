"""Our games as games of OpenSpiel: ``as_openspiel("leduc")`` is a ``pyspiel.Game`` that its algorithms take.

Each game is registered under ``turnsmith_<name>`` with our options as parameters and the `seed` of the board, so that
``pyspiel.load_game("turnsmith_leduc()")`` gives it again, and serialised states can be read. Simultaneous rounds (games
with `rewind`) are simultaneous nodes. An observation is what a seat sees now; an information state is what it saw and
did at each of its own moves, and what it sees now. Tensors hold what a learner of ours sees (``play.observe``).
"""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import numpy as np

from turnsmith.arena.loop import MOST_MOVES
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.common.settings import show
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import stream
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.contract.loading import load
from turnsmith.play import observe, step
from turnsmith.play.position import PositionView

try:
    import pyspiel
except ImportError:
    raise BadInput("as_openspiel needs OpenSpiel; pip install 'turnsmith[openspiel]'") from None

PLAYOUTS = 200
"""Random games that show whether what some win others lose."""

_registered: dict[str, Game] = {}


def as_openspiel(game: Game | str, seed: int = 0) -> pyspiel.Game:
    """A game of ours, on the board of `seed`, for OpenSpiel."""
    game = load(game) if isinstance(game, str) else game
    if not 0 <= seed < 1 << 62:
        raise BadInput(f"seed={shown(seed)} must be 0 or more")
    name = _register(game)
    return pyspiel.load_game(name, {**_parameters(game), "seed": seed})


def _register(game: Game) -> str:
    name = "turnsmith_" + (game.name if game.joint is None else f"{game.name}_unitwise").replace("-", "_")
    known = _registered.get(name)
    if known is not None and known.home != game.home:
        raise BadInput(f"another game is {name} for OpenSpiel already: {known.loads_by}; call one of them otherwise")
    if known is None:
        _registered[name] = game
        # Under its name in this module, for OpenSpiel pickles games.
        made = globals()[name] = type(name, (OpenSpielGame,), {"name": name, "__module__": __name__})
        pyspiel.register_game(_kind(name, game, game.board()), made)
    return name


def _parameters(game: Game) -> dict[str, Any]:
    return {} if game.options is None else dataclasses.asdict(game.options)


def _kind(name: str, game: Game, boards: Array) -> pyspiel.GameType:
    """What OpenSpiel wants to know of a game before it is loaded."""
    kind, seats = pyspiel.GameType, int(boards[0].seats)
    usual = {} if game.options is None else {f.name: f.default for f in dataclasses.fields(type(game.options))}
    return pyspiel.GameType(
        short_name=name,
        long_name=game.doc.partition(":")[0] or game.name,
        dynamics=kind.Dynamics.SIMULTANEOUS if game.rewinds else kind.Dynamics.SEQUENTIAL,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if boards[0].outcomes else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.IMPERFECT_INFORMATION if game.hides else kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if _is_zero_sum(game, boards) else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=max(seats, int(getattr(game.options, "players", seats)), 10 if "players" in usual else seats),
        min_num_players=1 if "players" in usual else seats,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={**usual, "seed": 0},
    )


def _is_zero_sum(game: Game, boards: Array) -> bool:
    """Whether the returns of random games always come to 0."""
    states, returns = np.zeros(1, game.State), np.zeros(int(boards[0].seats))
    (acts, chances), rng = step.buffers(boards), stream(1)
    for _ in range(PLAYOUTS):
        compiled(step.begin)(game, boards, states)
        while (mover := step.look_at(game, boards, states, acts, chances, returns))[0] != OVER:
            draws = (game, boards, states, acts, chances, rng)
            action = compiled(step.sample_chance)(*draws) if mover[0] == CHANCE else _any(acts, mover[1], rng)
            compiled(step.advance)(game, boards, states, int(action))
        if abs(returns.sum()) > 1e-9:
            return False
    return True


def _any(acts: Array, count: int, rng: Array) -> int:
    with np.errstate(over="ignore"):
        rng[0] += np.uint64(0x9E3779B97F4A7C15)
    return int(acts[int(rng[0] >> np.uint64(33)) % count])


@cache
def _variant(name: str, options: tuple[tuple[str, Any], ...]) -> Game:
    """The registered game with these options."""
    game = _registered[name]
    if game.options is None or dict(options) == _parameters(game):
        return game
    try:
        return load(show(game.home or game.name, type(game.options)(**dict(options))))
    except ValueError as error:
        raise BadInput(f"{name}: {error}") from None


class OpenSpielGame(pyspiel.Game):
    """A game of ours on one board; a class for each name that OpenSpiel knows."""

    name = ""

    def __init__(self, parameters: dict[str, Any] | None = None):
        name, parameters = self.name, parameters or {}
        ours = _registered[name]
        options = {key: parameters.get(key, value) for key, value in _parameters(ours).items()}
        seed = int(parameters.get("seed", 0))
        self.ours = _variant(name, tuple(options.items()))
        self.boards = self.ours.board(seed)
        self.observer = observe.observer(self.ours, self.boards, "planes" if self.ours.gives_planes else "features")
        board, kind = self.boards[0], _kind(name, self.ours, self.boards)
        about = pyspiel.GameInfo(
            num_distinct_actions=int(board.actions),
            max_chance_outcomes=int(board.outcomes),
            num_players=int(board.seats),
            min_utility=float(board.low),
            max_utility=float(board.high),
            utility_sum=0.0 if kind.utility == pyspiel.GameType.Utility.ZERO_SUM else None,
            max_game_length=MOST_MOVES,
        )
        super().__init__(kind, about, {**options, "seed": seed})

    def new_initial_state(self) -> OpenSpielState:
        return OpenSpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> OpenSpielObserver:
        """What a seat sees, as OpenSpiel's algorithms ask for it."""
        return OpenSpielObserver(self, is_memory=bool(iig_obs_type and iig_obs_type.perfect_recall))

    def round_of(self, states: Array) -> list[int]:
        """The seats that commit a move here at the same time, in our order; fewer than two where one moves alone."""
        look = PositionView(self.ours, self.boards, states.copy())
        seats: list[int] = []
        while look.mover >= 0:
            after = look.after([int(look.actions[0])])
            back = after._states.copy()
            compiled(step.rewind)(self.ours, self.boards, back)
            seats.append(look.mover)
            if back.tobytes() != states.tobytes() or after._states.tobytes() == states.tobytes():
                break  # this commitment closed the round, or was none
            look = after
        return seats if self.ours.rewinds else seats[:1]


class OpenSpielState(pyspiel.State):
    """A position. OpenSpiel copies what is in its dict: the record, and no more than that."""

    def __init__(self, game: OpenSpielGame):
        super().__init__(game)
        self._states = np.zeros(1, game.ours.State)
        self._told = [""] * game.num_players()  # of each seat, what it saw and did at each of its moves
        compiled(step.begin)(game.ours, game.boards, self._states)

    @property
    def look(self) -> PositionView:
        """The position as turnsmith has it."""
        game = self.get_game()
        return PositionView(game.ours, game.boards, self._states)

    def current_player(self) -> int:
        mover = self.look.mover
        if mover < 0:
            return int(pyspiel.PlayerId.CHANCE if mover == CHANCE else pyspiel.PlayerId.TERMINAL)
        game = self.get_game()
        if game.ours.rewinds and len(game.round_of(self._states)) > 1:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        return int(mover)

    def is_terminal(self) -> bool:
        return bool(self.look.mover == OVER)

    def returns(self) -> list[float]:
        look = self.look
        return look.returns.tolist() if look.mover == OVER else [0.0] * int(look.board.seats)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        look = self.look
        return list(zip(look.actions.tolist(), look.chances.tolist(), strict=True))

    def _legal_actions(self, player: int) -> list[int]:
        look, game = self.look, self.get_game()
        if player < 0 or not game.ours.rewinds:
            return [int(action) for action in look.actions]
        seats = game.round_of(self._states)
        if player not in seats:
            return []
        for _ in range(seats.index(player)):  # what others commit is hidden, and changes nothing for this seat
            look = look.after([int(look.actions[0])])
        return [int(action) for action in look.actions]

    def _apply_action(self, action: int) -> None:
        self._advance({self.look.mover: int(action)})

    def _apply_actions(self, actions: list[int]) -> None:
        self._advance({seat: int(actions[seat]) for seat in self.get_game().round_of(self._states)})

    def _advance(self, moves: dict[int, int]) -> None:
        """Make the moves of some seats, or of chance, at the same time; all of them, or none if one is not legal."""
        game, look, states = self.get_game(), self.look, self._states.copy()
        for seat, action in moves.items():
            if action not in PositionView(game.ours, game.boards, states).actions:  # which compiled rules rely on
                who = "chance" if seat == CHANCE else f"seat {seat}"
                raise BadInput(f"action {action} of {who} is not legal in {game.ours.text_name}; see legal_actions()")
            compiled(step.advance)(game.ours, game.boards, states, action)
        for seat, action in moves.items():
            if seat != CHANCE:
                self._told[seat] += f"{look.view(seat).tobytes().hex()} {action}\n"
        self._states = states

    def _action_to_string(self, player: int, action: int) -> str:
        look = self.look
        if player >= 0 and look.mover >= 0:
            for _ in range(max(self.get_game().round_of(self._states).index(player), 0)):
                look = look.after([int(look.actions[0])])
        return look.words(int(action))

    def __str__(self) -> str:
        return str(self.look)


class OpenSpielObserver:
    """The view of a seat, as numbers and as a text by which information states are told apart."""

    def __init__(self, game: OpenSpielGame, is_memory: bool):
        self._game, self._is_memory = game, is_memory
        shape = game.observer.shape
        self.tensor = np.zeros(int(np.prod(shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        view = state.look.view(player)
        self.tensor[:] = self._game.observer.see(self._game.boards, view, player).reshape(-1)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        now = state.look.view(player).tobytes().hex()
        return f"{state._told[player]}{now}" if self._is_memory else now
