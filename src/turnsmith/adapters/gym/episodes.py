"""Many environments at once, before any framework: arrays that the kernels write in place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from turnsmith.adapters.gym import kernels
from turnsmith.adapters.gym.kernels import Course, EpisodeResults, Ways
from turnsmith.adapters.rendering import rendered
from turnsmith.adapters.table import ALL, GameTable, learner_seat, opponents_of
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.compile.kernel import compiled
from turnsmith.play.batch import World, seat_players
from turnsmith.play.player import Player
from turnsmith.play.position import PositionView

MOST_ENVS = 1 << 20
ILLEGAL = {"lose": kernels.LOSE, "random": kernels.RANDOM, "refuse": kernels.REFUSE}


class Episodes:
    """`size` environments, each at a decision of the learner. `observations` may be an array of somebody else."""

    movers: Array
    """int32[size]: the seat that decides."""
    actors: Array
    """int32[size]: of an episode that has ended, the seat that acted last."""
    rewards: Array
    """float64[size]: the return of the seat that acted, of an episode that ended in the last step; else 0."""
    returns: Array
    """float64[size, seats]: those of all seats, of the last episode that ended."""
    ended: Array
    """uint8[size]: whether an episode ended in the last step."""
    forfeits: Array
    """uint8[size]: whether it ended because the action was not legal."""
    mask: Array
    """int8[size, actions]: 1 for the legal actions; all 1 where an episode is over and waits for a reset."""
    observations: Array
    """What the mover sees: float32[size, features] or uint8[size, planes, height, width]."""
    finals: Array
    """The same of the ends of episodes, where these begin anew in the same step."""

    def __init__(
        self,
        table: GameTable,
        size: int,
        seat: int | str,
        opponents: str | Player | Sequence[str | Player],
        mode: int,
        observations: Array | None = None,
    ):
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or not 1 <= size <= MOST_ENVS:
            raise BadInput(f"num_envs={shown(size)} must be a whole number, 1 to {MOST_ENVS:,}")
        self.table, self.size, self.mode = table, int(size), mode
        self.seat = learner_seat(seat, table.seats)
        game, boards, seats = table.game, table.boards, table.seats
        others = [] if self.seat == ALL else opponents_of(game, opponents, seats)
        wide = max(table.actions, int(boards["outcomes"].max()), 1)
        self._world = World(
            boards, np.zeros(size, np.int64), np.zeros(size, game.State), np.zeros((size, seats + 1), np.uint64),
            np.zeros(1, game.State), np.zeros(wide, np.int32), np.zeros(wide, np.float64), np.zeros(seats, np.float64),
        )  # fmt: skip
        self._seated = seat_players(game, boards, size, dict(enumerate(others)))
        whole, flags = np.zeros((3, size), np.int64), np.zeros((3, size), np.uint8)
        seeds, matches = np.zeros((2, size), np.uint64)
        self._course = Course(seeds, whole[0], matches, whole[1], whole[2], flags[0])
        (self.movers, self.actors), (self.ended, self.forfeits) = np.zeros((2, size), np.int32), flags[1:]
        self.rewards, self.returns = np.zeros(size, np.float64), np.zeros((size, seats), np.float64)
        self._mask = np.zeros((size, table.actions), np.int8)
        self.mask = self._mask.view()
        self.mask.flags.writeable = False  # what is legal is for the rules to say: compiled code relies on it
        sees = table.observer
        self.observations = sees.zeros(size) if observations is None else observations
        self.finals = sees.zeros(size if mode == kernels.SAME_STEP else 0)
        handed = (self.movers, self.actors, self.rewards, self.returns, self.ended, self.forfeits, self._mask)
        self._results = EpisodeResults(*handed, self.observations, self.finals, sees.slots)
        self._is_seeded = False

    def reset(self, seeds: Array | None, chosen: Array | None = None) -> None:
        """Begin an episode in every environment, or in those `chosen` (bool[size]): the first of these seeds
        (uint64[size]), or without seeds the next one."""
        which = np.ones(self.size, bool) if chosen is None else chosen
        if seeds is not None:
            self._course.seeds[which], self._course.episodes[which] = seeds[which], 0
            self._is_seeded = True
        self._course.waits[which] = kernels.CHOSEN
        self.ended[which] = 0
        self._go_on(np.zeros(0, np.int64))

    @property
    def is_seeded(self) -> bool:
        """Whether there is an episode to go on from."""
        return self._is_seeded

    def step(self, actions: Array) -> None:
        """One action (int64) in every environment. If one is refused, nothing happens but the refusal."""
        chosen = np.asarray(actions)
        if chosen.shape != (self.size,) or chosen.dtype.kind not in "iu":
            raise BadInput(f"one whole number an environment: {self.size} are needed, not {chosen.dtype}{chosen.shape}")
        if not self._is_seeded:
            raise BadInput("nothing has begun: reset first")
        chosen = np.ascontiguousarray(chosen, np.int64)
        illegal, has_to_wait = ILLEGAL[self.table.illegal], self.mode == kernels.DISABLED
        if illegal == kernels.REFUSE or has_to_wait:
            self._refuse(chosen, illegal == kernels.REFUSE, has_to_wait)
        self._go_on(chosen)

    def _go_on(self, actions: Array) -> None:
        ways = Ways(self.mode, ILLEGAL[self.table.illegal], self.seat)
        arrays = (self._world, self._seated, self._course, self._results)
        compiled(kernels.go_on)(self.table.game, *arrays, ways, actions)

    def _refuse(self, actions: Array, illegal: bool, has_to_wait: bool) -> None:
        if has_to_wait and self._course.waits.any():
            at = int(self._course.waits.argmax())
            raise BadInput(f"environment {at} is at the end of its episode: reset it, with options={{'reset_mask': …}}")
        if illegal:
            at = int(compiled(kernels.first_illegal)(self._course, self._results, actions))
            if at >= 0:
                raise BadInput(f"environment {at}: action {actions[at]} is not legal there; see the action mask")

    def rendered(self, number: int, mode: str) -> str | Array:
        """What the learner sees of one environment, as text or pixels."""
        which = int(self._world.which[number])
        look = PositionView(
            self.table.game, self.table.boards[which : which + 1], self._world.states[number : number + 1].copy()
        )
        look.history = [-1] * int(self._course.plies[number])
        return rendered(look, int(self.movers[number]), mode)
