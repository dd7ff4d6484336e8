"""What of Pac-Man can be trained and measured: ``turnsmith train pacman …``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from turnsmith.common.errors import BadInput
from turnsmith.common.settings import setting
from turnsmith.contract.trainings import Training, TrainingContext, TrainingResult

MANY, SEEDS = 1_000_000_000, 2**32 - 1

# ---------------------------------------------------------------- the nets of `learned`


@dataclass(frozen=True)
class PacmanValueSettings:
    games: int = setting(2400, 1, MANY)
    """Games to learn from, 80 a maze."""
    sweeps: int = setting(10, 0, MANY)
    """Times that all positions are looked at again."""
    seed: int = setting(1, 0, SEEDS)
    """The same seed learns the same."""


def value(settings: PacmanValueSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.pacman import selfplay

    return selfplay.train(settings, work)


# ---------------------------------------------------------------- weights, by a league


@dataclass(frozen=True)
class PacmanLeagueSettings:
    """How a league is run."""

    evaluation: Literal["features", "voronoi"] = setting("features")
    """Whose weights are tuned."""
    iterations: int = setting(3, 1, MANY)
    """New main players, each with an exploiter."""
    trials: int = setting(100, 1, MANY)
    """Weights tried for a main player."""
    exploiter_trials: int = setting(20, 1, MANY)
    """Weights tried for an exploiter."""
    size: int = setting(3, 1, MANY)
    """Players in the league; the oldest leave."""
    games: int = setting(20, 1, MANY)
    """Games a trial for each opponent and side."""
    depth: int = setting(2, 1, 120)
    """Plies everybody looks ahead."""
    map: str = setting("ten,start=random,t_max=300")
    """Where they play."""
    seed: int = setting(1, 0, SEEDS)
    """The same seed tries the same weights."""


def league(settings: PacmanLeagueSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.pacman import league

    return league.train(settings, work)


# ---------------------------------------------------------------- the table of `sarsa`


@dataclass(frozen=True)
class SarsaSettings:
    """How a table is learned."""

    episodes: int = setting(20_000, 1, MANY)
    """Games, in mazes drawn at random, against the arcade's ghosts; what changes during a run (the rate, exploration)
    knows this number."""
    mazes: int = setting(100, 1, MANY)
    """Mazes they are played in."""
    rate: float = setting(0.05, 0.0, 1.0)
    """How far a value moves towards a return, at first; it falls to nothing."""
    exploration: float = setting(0.1, 0.0, 1.0)
    """The chance of wishing anything, at first; it falls to nothing."""
    discount: float = setting(0.98, 0.0, 1.0)
    """What a reward is worth a turn later."""
    trace: float = setting(0.9, 0.0, 1.0)
    """Lambda: how much of a return is what came after, the rest being what the table says of it."""
    dot: float = setting(1.2, -1000.0, 1000.0)
    """Reward of a step that eats."""
    step: float = setting(-0.5, -1000.0, 1000.0)
    """Reward of a step that does not."""
    caught: float = setting(-35.0, -1000.0, 1000.0)
    """Reward of being caught."""
    seed: int = setting(1, 0, SEEDS)
    """The same seed learns the same table."""


def sarsa(settings: SarsaSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.pacman import episodes

    return episodes.train(settings, work)


# ---------------------------------------------------------------- who eats how much


@dataclass(frozen=True)
class TableSettings:
    pacmans: str = setting("")
    """Comma list of players for the columns, or of the usual columns by their names; empty for all of those."""
    ghosts: str = setting("")
    """Comma list of players for the rows, or of the usual rows by their names; empty for all of those."""
    games: int = setting(200, 1, MANY)
    """Games a cell, at least."""
    seed: int = setting(1, 0, SEEDS)
    """The same seed plays the same games."""
    plot: str = setting("")
    """Write the scores by map to this SVG file."""


def table(settings: TableSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.studies.pacman import table

    return table.train(settings, work)


@dataclass(frozen=True)
class FairnessSettings:
    player: str = setting("negamax:depth=2,evaluation=voronoi")
    """Who plays both sides."""
    games: int = setting(20, 1, MANY)
    """Games a start."""
    seed: int = setting(1, 0, SEEDS)
    """The same seed plays the same games."""


FAIR = (0.2, 0.6)
"""A start is fair when self-play at depth 2 eats a share of the dots in here."""


def fairness(settings: FairnessSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.arena.statistics import mean_interval
    from turnsmith.arena.tournament import arena
    from turnsmith.games.pacman.rules import TEN

    rows = []
    for name in TEN:
        players, seed = [settings.player, settings.player], settings.seed
        returns = arena(f"pacman:map={name}", players, settings.games, seed=seed, workers=work.workers).returns
        mean, low, high = mean_interval(returns[:, 0])
        ends = {"eaten": round(mean, 4), "low": round(low, 4), "high": round(high, 4)}
        rows.append({"map": name, "games": settings.games, **ends})
        verdict = "fair" if FAIR[0] <= mean <= FAIR[1] else "not fair"
        work.tell(f"{name:<22} {mean:.3f} ± {high - mean:.3f}  {verdict}")
    return TrainingResult(rows, "")


# ---------------------------------------------------------------- what parts of the search bring


@dataclass(frozen=True)
class IngredientsSettings:
    map: str = setting("classic-middle")
    """A map, by name or path."""
    evaluation: Literal["features", "voronoi"] = setting("features")
    """What the search asks at its leaves."""
    seconds: str = setting("0.1,0.3,1,3")
    """Comma list of CPU seconds."""


INGREDIENTS = {
    "exact": "exact=true",
    "without null windows": "exact=true,pvs=false",
    "without killers": "exact=true,killers=false",
    "without history": "exact=true,history=false",
    "without a table": "exact=true,table=4",
    "with reductions": "exact=false",
    "with reductions, top 24": "top=24",
}


def ingredients(settings: IngredientsSettings, work: TrainingContext) -> TrainingResult:
    from turnsmith.play.timing import depths

    try:
        limits = sorted(float(text) for text in settings.seconds.split(","))
    except ValueError:
        limits = []
    if not limits or not all(0 < limit <= 3600 for limit in limits):
        raise BadInput(f"--seconds {settings.seconds} must be numbers up to 3600 with commas between them, e.g. 0.3,3")
    rows = []
    work.tell(f"{settings.map:<26}" + "".join(f"{limit:>7g} s" for limit in limits))
    for name, chosen in INGREDIENTS.items():
        size = "" if "table" in chosen else ",table=22"
        searching = f"negamax:evaluation={settings.evaluation},{chosen}{size}"
        reached = depths(f"pacman:map={settings.map}", searching, limits)
        depth = {f"{limit:g} s": plies for limit, plies in zip(limits, reached, strict=True)}
        rows.append({"search": name, "depth": depth})
        work.tell(f"{name:<26}" + "".join(f"{plies:>9}" for plies in reached))
    return TrainingResult(rows, "")


TRAININGS = {
    "fairness": Training(
        "Let a player meet itself on each of the ten starts: a fair one leaves the pacmans 0.2 to 0.6 of the dots.",
        FairnessSettings, fairness,
    ),
    "ingredients": Training(
        "How deep the search comes in so much time, with and without each of its parts.",
        IngredientsSettings, ingredients,
    ),
    "value": Training(
        "Learn the evaluation of `learned` by play in mazes drawn at random; prints the file of the newest nets.",
        PacmanValueSettings, value, "pacman-value",
    ),
    "league": Training(
        "Tune weights in a league of main players and exploiters; prints its curve and the file of the newest weights.",
        PacmanLeagueSettings, league, "pacman-league",
    ),
    "sarsa": Training(
        "Learn the table of `sarsa`; prints how it does in mazes it never saw, and its file.",
        SarsaSettings, sarsa, "pacman-sarsa",
    ),
    "table": Training(
        "The table of Kulka's thesis: ghosts in rows, pacmans in columns, shares of dots eaten with 95 % intervals.",
        TableSettings, table, "pacman-table",
    ),
}  # fmt: skip
