"""What of Mastermind can be trained: ``turnsmith train mastermind …``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from turnsmith.common.errors import BadInput
from turnsmith.common.settings import setting
from turnsmith.contract.trainings import Training, TrainingContext, TrainingResult
from turnsmith.games.mastermind import MOST_COLORS, MOST_PEGS

MANY, SEEDS = 1_000_000_000, 2**32 - 1


@dataclass(frozen=True)
class LearnedSettings:
    colors: int = setting(6, 2, MOST_COLORS)
    """Colours of the largest board to learn."""
    pegs: int = setting(4, 1, MOST_PEGS)
    """Pegs of the largest board to learn."""
    games: int = setting(5000, 10, MANY)
    """Random games to learn the answers from."""
    steps: int = setting(4000, 10, MANY)
    """Steps of fitting the net to them, of 2048 turns each."""
    hidden: str = setting("128-64")
    """Hidden numbers of the net, layer by layer."""
    symmetries: bool = setting(True)
    """Turn places and colours about at random in every step."""
    rounds: int = setting(5, 1, MANY)
    """How often to play inside the model and learn how long games take."""
    openings: int = setting(40, 1, MANY)
    """Random first guesses a round; after each, every code is broken."""
    seed: int = setting(0, 0, SEEDS)
    """The same seed learns the same."""
    to: Path | None = None
    """Also write the model here, an ONNX file."""

    def __post_init__(self) -> None:
        sizes = self.hidden.split("-")
        if not all(size.isdecimal() and 0 < int(size) <= 4096 for size in sizes) or len(sizes) > 4:
            raise BadInput(f"hidden={self.hidden[:40]} must be one to four numbers up to 4096, such as 128-64")
        if self.to is not None and self.to.suffix != ".onnx":
            raise BadInput(f"--to {self.to} must end in .onnx")


def learned(settings: LearnedSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.mastermind import learning

    return learning.train(settings, work)


@dataclass(frozen=True)
class PpoSettings:
    reward: str = setting("basic")
    """1 finish, 2 basic, 3 possible, 4 removed, 5 removed-basic or 6 removed-relative; by number or name."""
    by: Literal["own", "sb3"] = setting("own")
    """A loop of our own, or stable-baselines3."""
    see: Literal["history", "pictures"] = setting("history")
    """The history as bits, or nothing but pictures of the board."""
    zero: Literal["black", "wood"] = setting("black")
    """What of a picture is 0 to the net: black, as in Blažek's thesis, or the wood of boards, learned sooner."""
    colors: int = setting(6, 2, 12)
    """Colours."""
    pegs: int = setting(4, 1, 6)
    """Pegs of a code."""
    steps: int = setting(1_000_000, 1, MANY)
    """Guesses in all; Blažek's made 50 million."""
    games: int = setting(64, 1, 65536)
    """Games at once."""
    horizon: int = setting(16, 1, 4096)
    """Guesses in each before learning from them."""
    epochs: int = setting(4, 1, 1000)
    """How often those are learned from."""
    batch: int = setting(256, 2, MANY)
    """Guesses a step of learning."""
    rate: float = setting(1e-4, 0.0, 1.0)
    """Learning rate of Adam."""
    clip: float = setting(0.15, 0.0, 1.0)
    """How far a chance may move, as a share, before learning stops."""
    entropy: float = setting(0.01, 0.0, 100.0)
    """How much it is worth to stay undecided."""
    gamma: float = setting(0.99, 0.0, 1.0)
    """What the reward of the next guess counts beside that of this one."""
    trace: float = setting(0.95, 0.0, 1.0)
    """The λ of advantages: how far to go by rewards that came rather than by values that were expected."""
    hidden: int = setting(256, 1, 4096)
    """Numbers in each of the three hidden layers."""
    leg: int = setting(51_200, 1, MANY)
    """Guesses a point of the curve, after which a killed run goes on."""
    seed: int = setting(0, 0, SEEDS)
    """The same seed learns the same."""

    def __post_init__(self) -> None:
        from turnsmith.studies.mastermind.rewards import REWARDS

        if self.reward not in REWARDS and self.reward not in map(str, range(1, 1 + len(REWARDS))):
            raise BadInput(f"reward={self.reward[:40]} must be 1 to {len(REWARDS)}, or one of {', '.join(REWARDS)}")
        if self.colors**self.pegs > 65_536:
            raise BadInput(
                f"{self.colors} colors on {self.pegs} pegs make more than 65,536 codes; take fewer of either"
            )
        if self.games * self.horizon % self.batch == 1:
            raise BadInput(
                f"games={self.games} times horizon={self.horizon} leaves one guess alone in the last batch of "
                f"{self.batch}, with nothing to compare it to; change one of the three"
            )
        if self.see == "pictures" and self.pegs < 2:
            raise BadInput("pictures of one peg are too small for the net that sees them; take 2 pegs or more")

    @property
    def board(self) -> str:
        return f"mastermind:colors={self.colors},pegs={self.pegs}"

    @property
    def kind(self) -> int:
        """The number of the reward, from 1 on."""
        from turnsmith.studies.mastermind.rewards import REWARDS

        return REWARDS.index(self.reward) + 1 if self.reward in REWARDS else int(self.reward)


def by_reward(settings: PpoSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.mastermind import ppo

    return ppo.train(settings, work)


@dataclass(frozen=True)
class EyeSettings:
    epochs: int = setting(36, 2, 10_000)
    """How often so many pictures are drawn."""
    pictures: int = setting(6400, 64, MANY)
    """Pictures an epoch."""
    batch: int = setting(64, 1, 4096)
    """Pictures a step."""
    rate: float = setting(0.001, 1e-7, 1.0)
    """Learning rate of Adam at its highest; it rises and falls once."""
    seed: int = setting(0, 0, SEEDS)
    """The same seed trains the same eye."""


def eye(settings: EyeSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.mastermind import eye_training

    return eye_training.train(settings, work)


TRAININGS = {
    "learned": Training(
        "Learn from play what answers come and how long games take. Given again, it goes on where it was stopped.",
        LearnedSettings, learned, "mastermind-learned",
    ),
    "ppo": Training(
        "Learn by one of six rewards from the history as bits (PPO). Given again, it goes on where it was stopped.",
        PpoSettings, by_reward, "mastermind-ppo",
    ),
    "eye": Training(
        "Learn to read pictures of the board, for the player eyes. Given again, it goes on where it was stopped.",
        EyeSettings, eye, "mastermind-eye",
    ),
}  # fmt: skip
