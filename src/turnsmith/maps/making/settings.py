"""What can be chosen of how maps are made."""

from __future__ import annotations

import operator
from dataclasses import dataclass, fields
from typing import Any, Literal

from turnsmith.common.errors import BadInput, shown, suggestion
from turnsmith.common.settings import setting

GENOME = "genome"


@dataclass(frozen=True)
class MakerSettings:
    """How maps are made."""

    predictor: str = setting("gp")
    """What tells liking from ratings: gp, density, ranking, elimination-1 …"""
    choice: Literal["thompson", "calibrate", "play", "random"] = setting("thompson")
    """What is shown next: good and new, the hardest to tell, the best, or any."""
    exploration: float = setting(1.0, 0.0, 10.0)
    """How much is dared when showing: 0 the surest maps, more the newer ones."""
    vectors: str = setting("play,rings,features,genome,others")
    """What taste is learned on, a comma list; what a game does not have is left out."""
    behaviour: str = setting(GENOME)
    """By what maps are kept apart: genome, or two to six measures, a comma list."""
    niches: int = setting(400, 1, 20_000)
    """How many kinds of maps are kept."""
    evaluations: int = setting(0, 0, 1_000_000_000)
    """Children bred before maps are shown; 0: 20,000, or 3,000 where genes need repair."""
    crossover: float = setting(0.8, 0.0, 1.0)
    """The share of children that have two parents."""
    mutations: float = setting(1.5, 0.0, 1e6)
    """Genes of a child that change in the mean."""
    near: float = setting(0.05, 0.0, 1.0)
    """Children that differ in at most this share of genes from who lives in their niche are near-duplicates."""
    skipped: float = setting(0.5, 0.0, 1.0)
    """The chance that a near-duplicate is not even judged."""
    memory: int = setting(2000, 0, 1_000_000)
    """Maps kept of all that were seen, to be judged anew after every rating."""
    caution: float = setting(1.0, 0.0, 10.0)
    """How much being unsure of a map counts against it when maps are finished."""
    player: str = setting("")
    """Who plays on finished maps; without it the one that answers in the game's trees, else random."""
    games: int = setting(32, 2, 1_000_000)
    """Games that are played on a finished map."""
    balance: float = setting(1.0, 0.0, 1.0)
    """The most that a seat may be better off on finished maps, as far as those games can tell; 1: anything goes."""
    symmetry: Literal["", "columns", "rows", "turn", "diagonal", "quarter"] = setting("")
    """Of what every map is made: nothing, or a mirror image, or a turn."""
    locked: tuple[tuple[int, int], ...] = ()
    """Genes that all maps have alike, and their values."""

    def __post_init__(self) -> None:
        try:
            pairs = tuple((operator.index(gene), operator.index(value)) for gene, value in self.locked)
        except (TypeError, ValueError):
            raise BadInput(f"locked={shown(self.locked)} must be pairs of a gene's number and its value") from None
        object.__setattr__(self, "locked", pairs)

    @property
    def changed(self) -> dict[str, Any]:
        """Those that are not as usual, as JSON holds them."""
        usual = type(self)()
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        changed = {name: value for name, value in values.items() if value != getattr(usual, name)}
        return {name: [list(pair) for pair in value] if name == "locked" else value for name, value in changed.items()}

    @classmethod
    def of(cls, **settings: Any) -> MakerSettings:
        """From what somebody wrote; what is wrong is refused in a sentence."""
        names = [field.name for field in fields(cls)]
        for name in settings:
            if name not in names:
                raise BadInput(
                    f"there is no setting '{shown(name)}'{suggestion(name, names)}; there are {', '.join(names)}"
                )
        try:
            return cls(**settings)
        except ValueError as error:
            raise BadInput(str(error)) from None
