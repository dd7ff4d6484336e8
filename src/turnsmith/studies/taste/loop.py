"""The whole loop, measured: simulated people rate a maker's maps, and like a share of those then made for them.

Everybody dislikes 35 % of the maps that are drawn at random; a maker that learns nothing makes maps of which 65 % are
liked.
People go by what playing on a map shows, and by where its covers are; never by a measure that the maker itself has.
Every map is judged by playing on it: in Homeguard many trees are grown on it, with other portals, elsewhere games are
played.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.files import write_whole
from turnsmith.contract.loading import load
from turnsmith.learn.fit import Progress, silent
from turnsmith.learn.run import Run, figure_svg
from turnsmith.maps.identity import Interval, bootstrap
from turnsmith.maps.making.describing import Describer
from turnsmith.maps.making.maker import Maker, Proposal
from turnsmith.maps.making.settings import MakerSettings
from turnsmith.maps.measures import play_on
from turnsmith.maps.record import GameMap
from turnsmith.maps.tree_runs import ANY, Nursery, TreeSettings
from turnsmith.nets.files import write_json
from turnsmith.studies.taste import inputs, people
from turnsmith.studies.taste.people import Person, Words, person

AT_ONCE = 5
"""Maps that are shown before they are rated."""
FINAL = 10
FAMILIES = ("document", "geometry", "gameplay", "mixed")
FRESH = 100
"""Maps drawn at random besides, the control group."""
NOT_OF_MAKERS = ("spread_out", "openness")
"""What people may go by of a map's covers: the maker measures the rest itself."""
PEOPLE = 4_200_000


@dataclass(frozen=True)
class LoopSettings:
    """How much is measured."""

    game: str = "homeguard"
    people: int = 20
    """Of each family that the game has."""
    ratings: int = 20
    trees: int = 60
    """Grown on a map to judge it, in Homeguard."""
    games: int = 64
    """Played on a map to judge it, in other games."""
    drawn: int = 200
    """Maps drawn at random, on which it is settled what everybody likes."""
    evaluations: int = 0
    """Children that are bred before maps are shown; 0: as usual."""
    seed: int = 0


class Measuring:
    """What people go by, of any map of a game."""

    def __init__(self, settings: LoopSettings):
        self.settings, self.game = settings, load(settings.game)
        self.describer = Describer(self.game, self.game.describe(settings.seed))
        self._nursery: Nursery | None = None
        if self.game.name == "homeguard":
            grown = TreeSettings(settings.game, maps=1, per_map=settings.trees, kept=inputs.KEPT, seed=settings.seed)
            self._nursery = Nursery(grown)
            assert self._nursery.growth is not ANY

    def criteria(self, sources: Sequence[dict[str, Any]]) -> Words:
        """float64[maps] by name."""
        maps = [GameMap(self.game.text_name, source) for source in sources]
        covers = people.of_covers(maps, inputs.openness if self._nursery else None)
        played = [self._grown(source) if self._nursery else self._played(source) for source in sources]
        words = {name: values for name, values in covers.items() if name in NOT_OF_MAKERS}
        return words | {name: np.array([row[name] for row in played]) for name in played[0]}

    def _grown(self, source: dict[str, Any]) -> dict[str, float]:
        assert self._nursery is not None
        numbers = np.arange(self.settings.trees)
        boards = [self.game.build(self.describer.redrawn(source, int(number))) for number in numbers]
        words = people.of_trees(self._nursery.grow_on(np.concatenate(boards), numbers, numbers))
        return {name: float(values.mean()) for name, values in words.items()}

    def _played(self, source: dict[str, Any]) -> dict[str, float]:
        """How long games are that are played at random, how they end, and how much that varies."""
        returns, lengths = play_on(self.game, source, ["random"], self.settings.games, self.settings.seed)
        words = {"length": float(lengths.mean()), "luck": float(lengths.std())}
        return words | ({"winnings": float(returns[:, 0].mean())} if returns.shape[1] == 1 else {})


def session(measuring: Measuring, who: Person, among: Words, seed: int) -> dict[str, Any]:
    """One person rates maps until there are enough, and gets FINAL: which of the shown, and of those, are liked."""
    chosen = measuring.settings
    maker = Maker(measuring.game, settings=MakerSettings(evaluations=chosen.evaluations, games=2), seed=seed)
    random = np.random.default_rng(seed)

    def liked(proposals: list[Proposal]) -> tuple[Array, Array]:
        ranks = people.ranks_of(measuring.criteria([proposal.map.source for proposal in proposals]), among)
        return who.likes(ranks), who.ratings(ranks, random)

    shown: list[bool] = []
    while len(shown) < chosen.ratings:
        proposals = maker.ask(min(AT_ONCE, chosen.ratings - len(shown)))
        likes, ratings = liked(proposals)
        for proposal, rating in zip(proposals, ratings.tolist(), strict=True):
            maker.tell(proposal.number, rating)
        shown += likes.tolist()
    made = maker.make(FINAL)
    genes = np.array([proposal.genes for proposal in made])
    apart = [(one != other).mean() for place, one in enumerate(genes) for other in genes[:place]]
    return {"shown": shown, "made": liked(made)[0].tolist(), "apart": float(np.mean(apart)), "reasons": who.reasons}


def run(folder: Path, settings: LoopSettings, progress: Progress = silent) -> dict[str, Any]:
    """Every person a step of a run; loop.json and loop.svg in the folder."""
    work = Run(folder, asdict(settings), free=("people",))
    measuring = Measuring(settings)
    describer = measuring.describer

    def drawn(first: int, last: int) -> dict[str, Array]:
        genomes = describer.repaired(describer.sample[first:last])
        return measuring.criteria([describer.source_of(genes) for genes in genomes])

    among = work.arrays("drawn.npz", lambda: drawn(0, settings.drawn))
    among = {name: values for name, values in among.items() if values.std() > 1e-9}
    fresh = work.arrays("fresh.npz", lambda: drawn(settings.drawn, settings.drawn + FRESH))
    ranks = people.ranks_of(among, among)
    others = people.ranks_of({name: fresh[name] for name in among}, among)
    families = [family for family in FAMILIES if people.has_reasons(family, ranks)]
    sessions: dict[str, list[dict[str, Any]]] = {family: [] for family in families}
    jobs = [(number, family) for number in range(settings.people) for family in families]
    for done, (number, family) in enumerate(jobs, start=1):
        start = (settings.seed, PEOPLE, people.FAMILIES.index(family), number)
        who = person(family, ranks, np.random.default_rng(start), noise=0.0)

        def make(who: Person = who, seed: int = settings.seed * 10_000 + number) -> dict[str, Any]:
            return session(measuring, who, among, seed)

        outcome = work.json(f"loop/{family}-{number:03d}.json", make)
        sessions[family].append({**outcome, "drawn": float(who.likes(others).mean())})
        progress(done, len(jobs))
    results = {"settings": asdict(settings), "families": {name: _told(rows) for name, rows in sessions.items()}}
    results["families"]["all"] = _told([row for rows in sessions.values() for row in rows])
    write_json(folder / "loop.json", results)
    write_whole(folder / "loop.svg", lambda target: target.write(picture(results)))
    return results


def _told(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The share of maps that are liked: of those made, of those drawn at random, of every AT_ONCE that were shown."""
    labels = np.arange(len(rows))
    made, drawn = np.array([np.mean(row["made"]) for row in rows]), np.array([row["drawn"] for row in rows])
    shown = np.array([np.reshape(row["shown"], (-1, AT_ONCE)).mean(axis=1) for row in rows])
    return {
        "people": len(rows),
        "made": asdict(bootstrap(made, labels)),
        "drawn": asdict(bootstrap(drawn, labels)),
        "gain": asdict(bootstrap(made - drawn, labels)),
        "shown": [asdict(bootstrap(step, labels)) for step in shown.T],
        "apart": float(np.mean([row["apart"] for row in rows])),
    }


def table(results: dict[str, Any]) -> str:
    """Markdown: the share of maps made that are liked, and of those shown from first to last."""
    head = ("people", "made maps liked", "drawn at random", "shown maps liked, first to last", "genes apart")
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for family, row in results["families"].items():
        intervals = [str(Interval(**row[name])) for name in ("made", "drawn")]
        shown = " ".join(f"{step['mean']:.2f}" for step in row["shown"])
        lines.append(f"| {family} ({row['people']}) | {' | '.join(intervals)} | {shown} | {row['apart']:.2f} |")
    return "\n".join(lines)


def picture(results: dict[str, Any]) -> bytes:
    """The share of shown maps that are liked, while people rate."""

    def draw(figure: Any) -> None:
        panel = figure.subplots()
        for family, row in results["families"].items():
            at = AT_ONCE * np.arange(1, len(row["shown"]) + 1)
            wide = 3 if family == "all" else 1
            panel.plot(at, [step["mean"] for step in row["shown"]], ".-", label=family, linewidth=wide)
        panel.axhline(1.0 - people.DISLIKED, color="grey", linestyle=":", label="maps drawn at random")
        panel.set_xlabel("maps shown")
        panel.set_ylabel("share of the last five that is liked")
        panel.legend(fontsize=7)
        panel.grid(alpha=0.3)

    return figure_svg(6.0, 3.6, draw)
