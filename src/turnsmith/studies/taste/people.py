"""Simulated people, to measure how well a taste is learned.

Each dislikes a share of all maps, for reasons that can be measured but that no predictor is told.

Five families:

- document: a map is disliked that lacks any of some of the thesis's five measures of games: drama, uncertainty, late
  uncertainty, changes of the lead, changes of whether one can win.
- geometry: one to three things about its covers: how dense, how long, how symmetric, how far out, how open.
- gameplay: one to three things about its games that the score does not tell: rounds to the first contact, ways gone,
  different cells, exposure.
- mixed: three of all of these, each with its weight; NOISE of the answers are the opposite of what is thought.
- drifting: as mixed; after DRIFTS_AFTER ratings one of the three reasons is another.

Of geometry, gameplay and mixed people half want as much of a thing as possible, or as little; the other half want a
certain amount.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.contract.grids import form_of
from turnsmith.maps.measures import MEASURES, measure_trees
from turnsmith.maps.record import GameMap
from turnsmith.maps.tree import Trees

DISLIKED = 0.35
"""The share of all maps that everybody dislikes."""
NOISE = 0.2
DRIFTS_AFTER = 20
MOST_REASONS = 3
DOCUMENT = ("drama", "uncertainty", "late_uncertainty", "lead_change", "lead_possibility_change")
GAMEPLAY = ("first_contact", "distance_moved", "unique_cells", "exposure", "length", "luck", "winnings")
"""Those of them that a game has."""
GEOMETRY = ("cover_density", "long_share", "symmetry", "spread_out", "openness")
SEVERAL = ("mixed", "drifting")
"""Families with MOST_REASONS each, and noise."""
FAMILIES = ("document", "geometry", "gameplay", "mixed", "drifting")
Words = dict[str, Array]
"""Criteria by name, float64[maps] each."""


@dataclass(frozen=True)
class Person:
    """Somebody with a taste: what counts, how much, and how much of it is wanted."""

    family: str
    reasons: tuple[str, ...]
    weights: tuple[float, ...]
    """Of each; below 0, the less the better."""
    ideal: tuple[float, ...] = ()
    """The amounts wanted, as shares of all maps that have less; none where more, or less, is always better."""
    noise: float = 0.0
    cuts: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """What a map must be worth for a rating of -1, 1 and 2."""
    later: Person | None = field(default=None, repr=False)
    """With another taste, after DRIFTS_AFTER ratings."""

    def worth(self, ranks: Mapping[str, Array]) -> Array:
        """float64[maps]: the more the better liked; ranks: of every criterion, the share of all maps that have less."""
        wanted = np.stack([ranks[name] for name in self.reasons], axis=1)
        if self.family == "document":
            return np.asarray(wanted.min(axis=1))
        if self.ideal:
            return np.asarray(-((wanted - np.array(self.ideal)) ** 2) @ np.array(self.weights))
        return np.asarray((wanted - 0.5) @ np.array(self.weights))

    def likes(self, ranks: Mapping[str, Array]) -> Array:
        """bool[maps]"""
        return self.worth(ranks) >= self.cuts[1]

    def ratings(self, ranks: Mapping[str, Array], random: np.random.Generator, words: int = 5) -> Array:
        """float64[maps]: what is said of each: -2, -1, 1 or 2, or with two words -1 or 1."""
        ratings = np.array([-2.0, -1.0, 1.0, 2.0])[np.searchsorted(self.cuts, self.worth(ranks), side="right")]
        ratings = np.sign(ratings) if words == 2 else ratings
        return np.asarray(np.where(random.random(len(ratings)) < self.noise, -ratings, ratings))


def reasons_of(family: str, ranks: Mapping[str, Array]) -> tuple[str, ...]:
    """The criteria of a family that were measured."""
    of_family = {"document": DOCUMENT, "geometry": GEOMETRY, "gameplay": GAMEPLAY}
    return tuple(name for name in of_family.get(family, DOCUMENT + GEOMETRY + GAMEPLAY) if name in ranks)


def has_reasons(family: str, ranks: Mapping[str, Array]) -> bool:
    """Whether enough was measured for people of a family."""
    return len(reasons_of(family, ranks)) >= (MOST_REASONS if family in SEVERAL else 1)


def person(family: str, ranks: Mapping[str, Array], random: np.random.Generator, noise: float | None = None) -> Person:
    """Somebody of a family; what is liked is settled on the maps of these ranks. noise: if not the family's own."""
    known = reasons_of(family, ranks)
    if family == "document":
        count = int(random.integers(1, len(known) + 1))
        return _settled(Person(family, _some(known, count, random), (1.0,) * count), ranks)
    several = family in SEVERAL
    count = min(MOST_REASONS if several else int(random.integers(1, MOST_REASONS + 1)), len(known))
    wants_amounts = random.random() < 0.5
    weights = random.uniform(0.3, 1.3, count) * (1.0 if wants_amounts else random.choice([-1.0, 1.0], count))
    ideal = tuple(random.random(count).tolist()) if wants_amounts else ()
    noise = (NOISE if several else 0.0) if noise is None else noise
    someone = Person(family, _some(known, count, random), tuple(weights.tolist()), ideal, noise)
    if family == "drifting":
        other = _some(tuple(name for name in known if name not in someone.reasons), 1, random)
        changed = replace(someone, reasons=(*someone.reasons[:-1], *other)) if other else someone
        return replace(_settled(someone, ranks), later=_settled(changed, ranks))
    return _settled(someone, ranks)


def _some(names: tuple[str, ...], count: int, random: np.random.Generator) -> tuple[str, ...]:
    return tuple(names[place] for place in random.permutation(len(names))[:count])


def _settled(found: Person, ranks: Mapping[str, Array]) -> Person:
    """The person, disliking DISLIKED of the maps, a third of these very much, and liking a third of the others so."""
    worth = found.worth(ranks)
    cuts = np.quantile(worth, [DISLIKED / 3.0, DISLIKED, 1.0 - (1.0 - DISLIKED) / 3.0])
    return replace(found, cuts=tuple(cuts.tolist()))


def ranks_of(values: Words, among: Words) -> Words:
    """Of every criterion, the share of the maps in `among` that have less, equal ones counting half."""
    ranks = {}
    for name, own in values.items():
        ordered = np.sort(among[name])
        both = np.searchsorted(ordered, own, side="left") + np.searchsorted(ordered, own, side="right")
        ranks[name] = both / (2.0 * len(ordered))
    return ranks


# ---------------------------------------------------------------- what can be measured


def of_trees(trees: Trees) -> Words:
    """The criteria of document and gameplay, as far as these trees have them, of every tree."""
    known = [name for name in DOCUMENT + GAMEPLAY if name in MEASURES]
    names = [name for name in known if set(MEASURES[name].needs) <= set(trees.sides)]
    return measure_trees(trees, names)


def of_covers(maps: list[GameMap], openness: Callable[[GameMap], float] | None = None) -> Words:
    """The criteria of geometry. Openness is what a game says of a map: in Homeguard the mean damage of a shot."""
    lists: dict[str, list[float]] = {name: [] for name in GEOMETRY if name != "openness" or openness}
    for game_map in maps:
        form = form_of(game_map.game)
        grid = form.grid_of(game_map.source)
        cells = grid.layers[form.drawn]
        rows, columns = np.nonzero(cells)
        far = np.hypot(rows - (cells.shape[0] - 1) / 2.0, columns - (cells.shape[1] - 1) / 2.0)
        for name in ("cover_density", "symmetry"):
            lists[name].append(MEASURES[name].of(grid, form))
        last = len(form.layers[form.drawn]) - 1
        lists["long_share"].append(float((cells == last).sum() / max(1, len(rows))))
        lists["spread_out"].append(float(far.mean()) if len(far) else 0.0)
        if openness:
            lists["openness"].append(openness(game_map))
    return {name: np.array(values) for name, values in lists.items()}
