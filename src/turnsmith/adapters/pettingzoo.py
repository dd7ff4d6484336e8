"""Games as environments of PettingZoo: AEC for every game, Parallel for those with simultaneous moves.

Agents are called player_0, player_1, … by their seats. What an agent observes is {"observation", "action_mask"}; the
mask is all 0 while others decide, and all 1 at the end, where no action counts. Chance moves by itself, drawn from the
seed, and rewards are the returns, at the end.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from turnsmith.adapters.rendering import RENDER_MODES, checked_mode, rendered
from turnsmith.adapters.table import GameTable, Illegal, match_seed, whole
from turnsmith.arena.loop import forfeit
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.common.extras import extra
from turnsmith.contract.game import OVER, Game
from turnsmith.play.batch import MANY_BOARDS
from turnsmith.play.observe import View
from turnsmith.play.player import player
from turnsmith.play.position import PositionView
from turnsmith.play.seat import Seat

AEC: Any = extra("pettingzoo", of="gym").AECEnv
Parallel: Any = extra("pettingzoo", of="gym").ParallelEnv
spaces = extra("gymnasium.spaces", of="gym")

Observations = dict[str, dict[str, Array]]


def env(game: Game | str, **settings: Any) -> Any:
    """An AEC environment, with PettingZoo's wrappers that refuse what is out of bounds or out of order."""
    wrappers = extra("pettingzoo.utils.wrappers", of="gym")
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(TurnEnv(game, **settings)))


def raw_env(game: Game | str, **settings: Any) -> TurnEnv:
    """The AEC environment itself."""
    return TurnEnv(game, **settings)


def parallel_env(game: Game | str, **settings: Any) -> RoundEnv:
    """A Parallel environment, of a game with simultaneous moves."""
    return RoundEnv(game, **settings)


class _Seats:
    """What both kinds have in common: the match, what its seats see, and what is made of an action.

    game: its text, or a loaded one; what is not an argument here is an option of the game.
    view: "features", or "planes" where the game has them.
    maps, first_map: how many boards there are to play on, where they differ, and the seed of the first.
    illegal: what comes of an illegal action: "lose", "random" (one instead), "refuse" (an error).
    max_cycles: after so many decisions of every seat the episode is truncated; None for never.
    """

    def __init__(
        self,
        game: Game | str,
        view: View = "features",
        maps: int = MANY_BOARDS,
        first_map: int = 0,
        illegal: Illegal = "lose",
        max_cycles: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ):
        if max_cycles is not None and whole(max_cycles, "max_cycles") < 1:
            raise BadInput(f"max_cycles={shown(max_cycles)} must be at least 1")
        self.table = GameTable.of(game, view, maps, first_map, illegal, options)
        self.game, self.max_cycles, self.render_mode = self.table.game, max_cycles, checked_mode(render_mode)
        self.metadata = {
            "name": f"{self.game.name}_v0",
            "render_modes": RENDER_MODES,
            "render_fps": 4,
            "is_parallelizable": self.game.rewinds,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(self.table.seats)]
        self.agents: list[str] = []
        mask = (0, 1, (self.table.actions,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": self.table.observation_space(), "action_mask": spaces.Box(*mask)})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: self.table.action_space() for agent in self.possible_agents}
        self._random = player("random", self.game)
        self._seed: int | None = None
        self._episode = 0
        self._over = True
        self._begun: PositionView | None = None

    @property
    def _look(self) -> PositionView:
        if self._begun is None:
            raise BadInput("nothing is being played: reset first")
        return self._begun

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def render(self) -> str | Array | None:
        """The position as text or pixels, all that there is; printed in the mode "human"."""
        if self.render_mode is None:
            return None
        picture = rendered(self._look, None, self.render_mode)
        if self.render_mode != "human":
            return picture
        sys.stdout.write(f"{picture}\n")
        return None

    def close(self) -> None:
        """Nothing is open."""

    def _begin(self, seed: int | None) -> None:
        """The first match of a seed, or without one the next."""
        if seed is not None or self._seed is None:
            self._seed = int(np.random.default_rng().integers(2**63)) if seed is None else int(seed)
            self._episode = 0
        match = match_seed(self._seed, self._episode)
        self._episode += 1
        self._begun, self._over = PositionView.at_start(self.game, self.table.board(match)[1], match), False
        self._made = [0] * self.table.seats
        self.agents = list(self.possible_agents)
        self._settle()

    def _settle(self) -> None:
        """Let chance move, as often as it is its turn."""
        self._look.resolve_chance(self._look.seed)
        self._over = self._look.mover == OVER

    def _make(self, action: Any) -> bool:
        """An action of the seat to move; whether it could be made."""
        look, chosen = self._look, whole(action)
        if chosen not in look.actions:
            if self.table.illegal == "refuse":
                raise BadInput(f"action {chosen} of player_{look.mover} is not legal here; see its action_mask")
            if self.table.illegal == "lose":
                return False
            chosen = Seat(self._random, self.game, look.boards).choose(look)
        self._made[look.mover] += 1
        look.advance(chosen)
        return True

    def _forfeited(self, culprit: int) -> Array:
        """The returns where a seat broke the rules, which ends the game."""
        returns = np.zeros(self.table.seats, np.float64)
        forfeit(self._look.boards[0], culprit, returns)
        self._over = True
        return returns

    def _sees(self, seat: int, actions: Array) -> dict[str, Array]:
        """What an agent observes that may do these actions."""
        look = self._look
        mask = np.ones(self.table.actions, np.int8) if self._over else self.table.mask(actions)
        return {"observation": self.table.observer.see(look.boards, look.view(seat), seat), "action_mask": mask}


class TurnEnv(_Seats, AEC):
    """An AEC environment: the seat that the rules say decides, however often in a row."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._begin(seed)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations, self.truncations = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self._select()

    def observe(self, agent: str) -> dict[str, Array]:
        seat = self.possible_agents.index(agent)
        return self._sees(seat, self._look.actions if self._look.mover == seat else np.zeros(0, np.int32))

    def step(self, action: Any) -> None:
        look, agent = self._look, self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        seat = look.mover
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        returns: Array | None = None
        if self._make(action):
            self._settle()
            returns = self._look.returns if self._over else None
        else:
            returns = self._forfeited(seat)
            self.infos[agent] = {"forfeit": True}
        if returns is not None:
            self.rewards = dict(zip(self.agents, returns.tolist(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.max_cycles is not None and self._made[self._look.mover] >= self.max_cycles:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._select()
        self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def _select(self) -> None:
        if not self._over:
            self.agent_selection = self.possible_agents[self._look.mover]


class RoundEnv(_Seats, Parallel):
    """A Parallel environment: all seats that commit themselves in a round act at once.

    An agent that has nothing to decide in a round has a mask of 0 only, and its action does not count.
    """

    def __init__(self, game: Game | str, **settings: Any):
        super().__init__(game, **settings)
        if not self.game.rewinds:
            name = self.game.text_name
            raise BadInput(
                f"{name} has no simultaneous moves; take its AEC environment, turnsmith.adapters.pettingzoo.env"
            )

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, dict[str, Any]]]:
        self._begin(seed)
        self._find_round()
        return self._observed(), {agent: {} for agent in self.agents}

    def step(self, actions: Mapping[str, Any]) -> tuple[Any, ...]:
        agents, infos = self.agents, {agent: dict[str, Any]() for agent in self.agents}
        if not agents:
            raise BadInput("nothing is being played: reset first")
        missing = [agent for agent in agents if agent not in actions]
        if missing:
            raise BadInput(f"an action of {', '.join(missing)} is missing: every agent acts in every round")
        returns: Array | None = None
        for seat in self._round:
            if not self._make(actions[self.possible_agents[seat]]):
                returns = self._forfeited(seat)
                infos[self.possible_agents[seat]] = {"forfeit": True}
                break
        if returns is None:
            self._settle()
            returns = self._look.returns if self._over else np.zeros(len(agents))
        is_cut = not self._over and self.max_cycles is not None and max(self._made) >= self.max_cycles
        if not self._over:
            self._find_round()
        seen = self._observed()
        self.agents = [] if self._over or is_cut else agents
        if self.render_mode == "human":
            self.render()
        rewards = dict(zip(agents, returns.tolist(), strict=True))
        return seen, rewards, dict.fromkeys(agents, self._over), dict.fromkeys(agents, is_cut), infos

    def _find_round(self) -> None:
        """Who commits itself in this round, and to what: nobody's choices depend on what others chose before, as that
        is hidden, so any moves show it."""
        ahead, self._round = self._look.after([]), dict[int, Array]()
        while ahead.mover >= 0:
            if ahead.mover in self._round:
                raise BadInput(f"{self.game.text_name} lets a seat decide twice in a round; take its AEC environment")
            self._round[ahead.mover] = ahead.actions
            ahead.advance(int(ahead.actions[0]))
            if ahead.mover == OVER or ahead.is_rewound:
                break

    def _observed(self) -> Observations:
        nothing = np.zeros(0, np.int32)
        return {
            agent: self._sees(seat, self._round.get(seat, nothing))
            for seat, agent in enumerate(self.possible_agents)
            if agent in self.agents
        }
