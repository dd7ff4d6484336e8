"""Games for learners of other frameworks: Gymnasium, stable-baselines3, and the layout of PufferLib.

To import this registers every game with Gymnasium: ``turnsmith/ConnectFour-v0`` and so on, options of the game as
keyword arguments. ``make`` and ``make_vec`` take any text that names a game, a file of your own too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from turnsmith.adapters.gym.env import Env
from turnsmith.adapters.gym.vector import VectorEnv
from turnsmith.common.extras import extra
from turnsmith.contract.homes import home_and_settings, names_file
from turnsmith.contract.installed import modules
from turnsmith.contract.registry import built_in

if TYPE_CHECKING:
    from turnsmith.adapters.gym.puffer import PufferEnv
    from turnsmith.adapters.gym.sb3 import SB3VecEnv

gymnasium = extra("gymnasium", of="gym")

__all__ = ["Env", "PufferEnv", "SB3VecEnv", "VectorEnv", "env_id", "ids", "make", "make_vec"]


def env_id(text: str) -> str:
    """What Gymnasium calls a game.

    >>> env_id("connect_four"), env_id("./my_game.py:size=5"), env_id("openspiel:hex(board_size=5)")
    ('turnsmith/ConnectFour-v0', 'turnsmith/MyGame-v0', 'turnsmith/OpenspielHex-v0')
    """
    home, _ = home_and_settings(text)
    name = home.rpartition(".py")[0].replace("\\", "/").rpartition("/")[2] if names_file(text) else home
    words = name.partition("(")[0].replace("-", "_").replace(":", "_").split("_")
    return f"turnsmith/{''.join(word[:1].upper() + word[1:] for word in words)}-v0"


def ids() -> dict[str, str]:
    """The id of every game, by the game's name; nothing is imported for it."""
    ours = built_in()
    return {name: env_id(name) for name in (*ours, *modules(frozenset(ours)))}


def make(game: str, **settings: Any) -> Any:
    """``gymnasium.make`` of any game by its text: ``make("./my_game.py", opponents="mcts:simulations=50")``."""
    return gymnasium.make(_spec(game), **settings)


def make_vec(game: str, num_envs: int = 1, **settings: Any) -> Any:
    """``gymnasium.make_vec`` of any game by its text: a ``VectorEnv``."""
    return gymnasium.make_vec(_spec(game), num_envs, **settings)


def _spec(game: str) -> Any:
    EnvSpec = extra("gymnasium.envs.registration", of="gym").EnvSpec
    return EnvSpec(
        id=env_id(game),
        entry_point="turnsmith.adapters.gym:Env",
        vector_entry_point="turnsmith.adapters.gym:VectorEnv",
        kwargs={"game": game},
    )


def _register() -> None:
    for name, called in ids().items():
        spec = _spec(name)
        points = {"entry_point": spec.entry_point, "vector_entry_point": spec.vector_entry_point}
        gymnasium.register(called, **points, kwargs=spec.kwargs)


def __getattr__(name: str) -> Any:
    """What needs more than Gymnasium, or nothing of it, is imported when it is asked for."""
    if name == "SB3VecEnv":
        from turnsmith.adapters.gym.sb3 import SB3VecEnv

        return SB3VecEnv
    if name == "PufferEnv":
        from turnsmith.adapters.gym.puffer import PufferEnv

        return PufferEnv
    raise AttributeError(name)


_register()
