"""Maps to somebody's taste: ask for maps, tell what was thought of them, and at last let some be made.

    maker = Maker(load("homeguard"), seed=1)
    for proposal in maker.ask(6):
        maker.tell(proposal.number, 1)
    best = maker.make(10)

Between two questions maps evolve: children of all kinds of maps are judged by what their genes tell, never by playing.
The same seed, ratings and calls give the same maps, whatever the slices in which ``evolve`` is called, and after being
kept as JSON and read again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput, shown
from turnsmith.compile.kernel import compiled
from turnsmith.contract.game import Game
from turnsmith.contract.loading import load
from turnsmith.languages import _
from turnsmith.maps.making.describing import Describer
from turnsmith.maps.making.elites import Elites, centroids_of
from turnsmith.maps.making.judging import TasteJudge
from turnsmith.maps.making.playing import Playing, is_unbalanced
from turnsmith.maps.making.proposals import Proposal as Proposal
from turnsmith.maps.making.proposals import unlike
from turnsmith.maps.making.settings import GENOME as GENOME
from turnsmith.maps.making.settings import MakerSettings as MakerSettings
from turnsmith.maps.making.variation import VariationRules, breed, keep_all_to, sow
from turnsmith.maps.record import GameMap, lasting_text
from turnsmith.maps.taste.choosing import choose
from turnsmith.maps.taste.taste import Taste
from turnsmith.nets.archive import Archive, Axis

BATCH = 512
"""Children of a generation."""
CHOICE_STREAM = 4_000_003
SAMPLES, WORK = 5000, 2 * 10**8
"""Maps that niches are found by, fewer where a round of k-means would take more work than this."""
FIRST = 2**40
"""The number of the first child: those that niches are found by come before."""
REPAIRED, REPAIRED_FIRST = 64, 256
"""Children of a generation that are repaired, where genes need it, and may become elites: it takes long. More among the
first maps, which are to be of all kinds."""
SETTLING = 6
"""How often maps are repaired and made symmetric again."""
WHY = 3
"""Rated maps that a proposal names as nearest."""
SHOWING = ("choice", "exploration", "evaluations", "near", "skipped", "caution", "balance")
"""Settings of which the archive knows nothing."""


class Maker:
    """Makes maps of one game for one taste."""

    def __init__(
        self, game: Game, taste: Taste | None = None, settings: MakerSettings | None = None, seed: int = 0,
        base: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """base: a map whose genes all others have; without it the last one rated, or the one of the seed"""
        if type(seed) is not int or not 0 <= seed < 2**63:
            raise BadInput(f"seed={shown(seed)} must be a whole number from 0 to 2**63 - 1")
        self.game, self.seed = game, seed
        self.settings = settings or MakerSettings()
        self.taste = taste if taste is not None else Taste(game.text_name)
        rated = [rating.map.source for rating in reversed(self.taste.ratings)]
        self.describer = Describer(game, base or (rated[0] if rated else game.describe(seed)))
        self.shown: list[Proposal] = []
        self.bred, self.asked = 0, 0
        self._due = 0
        self._evolved = 0
        """Children bred since the last rating or question."""
        self._begin()

    # ------------------------------------------------------------ the archive

    def _begin(self) -> None:
        """Niches, and the rules that children keep to, as the settings say."""
        chosen, described = self.settings, self.describer
        self.rules = VariationRules(
            described.values, described.chances, described.starts, self._locked(), self._copied(), chosen.crossover,
            chosen.mutations,
        )  # fmt: skip
        self._axes = () if chosen.behaviour == GENOME else tuple(self._measure_names(chosen.behaviour))
        self._views = [name.strip() for name in chosen.vectors.split(",") if name.strip()]
        work = chosen.niches * (len(self._axes) or len(described.values))
        samples = max(min(SAMPLES, WORK // work), 2 * chosen.niches)
        sample = np.zeros((samples, len(described.values)), np.int32)
        compiled(sow)(self.rules, described.own, np.uint64(self.seed), 0, sample, np.zeros(samples))
        behaviour = described.measures(sample, self._axes) if self._axes else sample.astype(np.float32)
        self._scale = np.maximum(behaviour.std(axis=0), 1e-6).astype(np.float32) if self._axes else np.float32(1.0)
        centroids = centroids_of(behaviour / self._scale, chosen.niches, self.seed)
        self.elites = Elites(centroids, sample.shape[1], self.seed, chosen.memory)
        self._judge: TasteJudge | None = None

    def _locked(self) -> Array:
        values = self.describer.values
        locked = np.full(len(values), -1, np.int32)
        for gene, value in self.settings.locked:
            if not 0 <= gene < len(values) or not 0 <= value < values[gene]:
                raise BadInput(f"locked gene {gene} with value {value}: this map has no such gene, or value of it")
            locked[gene] = value
        return locked

    def _copied(self) -> Array:
        """Symmetry, with locked genes as what others are copies of."""
        copied, locked = self.describer.copied(self.settings.symmetry), dict(self.settings.locked)
        first = {int(copied[gene]): gene for gene in sorted(locked, reverse=True)}
        return np.array([first.get(int(origin), int(origin)) for origin in copied], np.int64)

    def _measure_names(self, text: str) -> list[str]:
        names = [name.strip() for name in text.split(",") if name.strip()]
        if not 2 <= len(names) <= 6:
            raise BadInput(f"behaviour '{shown(text)}' must be genome, or 2 to 6 measures with commas between")
        self.describer.measures(self.describer.own[:1], names)
        return names

    def _behaviour(self, genomes: Array) -> Array:
        if self._axes:
            return np.ascontiguousarray(self.describer.measures(genomes, self._axes) / self._scale)
        return genomes.astype(np.float32)

    def vectors(self, genomes: Array) -> tuple[Array, ...]:
        """What taste is learned on, of int32[maps, genes]."""
        return views_of(self.describer, self._views, genomes)

    @property
    def judge(self) -> TasteJudge:
        """What is known of the taste by now."""
        if self._judge is None:
            self._judge = self._new_judge()
            self.elites.rescore(self._judge.scores, self._behaviour)
        return self._judge

    def _new_judge(self) -> TasteJudge:
        maps = [rating.map.source for rating in self.taste.ratings]
        rated = [number for number, source in enumerate(maps) if self.describer.has_place_for(source)]
        genomes = np.zeros((len(rated), len(self.describer.values)), np.int32)
        for row, number in enumerate(rated):
            genomes[row] = self.describer.genes_of(maps[number])
        vectors = partial(views_of, self.describer, self._views)  # a judge that knew its maker would outlive it
        return TasteJudge(self.settings.predictor, self.taste, rated, genomes, vectors, self.describer)

    @property
    def untaught(self) -> str:
        """Why all maps are the same to what tells liking from ratings, as a sentence; "" if they are not."""
        name, count = self.settings.predictor, len(self.taste)
        if not name.startswith("elimination") or not count or any(rating.rating < 0 for rating in self.taste.ratings):
            return ""
        return _(
            "{predictor} learns from disliked maps alone, and nobody has disliked one: all are the same to it"
        ).format(predictor=name)

    @property
    def is_judged(self) -> bool:
        """Whether all maps have been judged since the last rating."""
        return self._judge is not None

    def go_on(self, judged: bool) -> None:
        """Go on from a state that was read: where all was judged, it is not judged again."""
        self._judge = self._new_judge() if judged else None

    # ------------------------------------------------------------ evolution

    @property
    def pending(self) -> int:
        """Children still to be bred before maps are shown."""
        usual = 3_000 if self.describer.needs_repair else 20_000
        return max(0, (self.settings.evaluations or usual) - self._evolved)

    def evolve(self, evaluations: int | None = None, stop: Callable[[], bool] | None = None) -> int:
        """Breed and judge children in whole generations, as many as are pending unless said otherwise; how many it
        were. What is too little for a generation is kept for the next call. `stop` is asked before each."""
        before = self.bred
        self._due = BATCH * -(-self.pending // BATCH) if evaluations is None else self._due + evaluations
        while self._due >= BATCH and not (stop and stop()):
            self._generation()
            self._due -= BATCH
            self._evolved += BATCH
        self._due %= BATCH  # what was stopped is not made up for
        return self.bred - before

    def _generation(self) -> None:
        """Children, without those that are skipped, are judged and compete for niches."""
        elites, chosen, seed = self.elites, self.settings, np.uint64(self.seed)
        assert self.judge  # elites are judged anew now, if there was a rating
        children, lots = np.zeros((BATCH, len(self.describer.values)), np.int32), np.zeros(BATCH)
        first = self.bred < 2 * chosen.niches or not len(elites.filled)
        if first:
            compiled(sow)(self.rules, self.describer.own, seed, FIRST + self.bred, children, lots)
        else:
            parents = elites.genomes[elites.filled]
            compiled(breed)(self.rules, parents, seed, FIRST + self.bred, children, lots)
        niches = elites.niches(self._behaviour(children))
        new = elites.are_new(children, niches, int(chosen.near * children.shape[1]), lots, chosen.skipped)
        self.bred += BATCH
        children, niches = children[new], niches[new]
        liking = self._scores(children)
        elites.remember(children)
        if self.describer.needs_repair:
            better = np.flatnonzero(elites.would_enter(niches, liking))
            better = better[np.argsort(-liking[better], kind="stable")[: REPAIRED_FIRST if first else REPAIRED]]
            children = self._repaired(children[better]) if len(better) else children[:0]
            niches, liking = elites.niches(self._behaviour(children)), self._scores(children)
        elites.add(children, niches, liking)

    def _scores(self, children: Array) -> Array:
        """The liking of children, on one scale with that of the elites."""
        if self.judge.is_pointwise:
            return self.judge.scores(children)
        filled = self.elites.filled
        scores = self.judge.scores(np.concatenate([self.elites.genomes[filled], children]))
        self.elites.liking[filled] = scores[: len(filled)]
        return scores[len(filled) :]

    def _repaired(self, genomes: Array) -> Array:
        """Maps that can be played on and keep to symmetry and locks: repair may undo these, so both are done in turn,
        and what does not settle is left out."""
        for _turn in range(SETTLING):
            genomes = self.describer.repaired(genomes)
            kept = genomes.copy()
            compiled(keep_all_to)(self.rules, kept)
            settled = (kept == genomes).all(axis=1)
            if settled.all():
                break
            genomes = kept
        return np.asarray(genomes[settled])

    # ------------------------------------------------------------ ask and tell

    def ask(self, count: int = 6, evolve: bool = True) -> list[Proposal]:
        """Maps to be rated next; evolves first, unless somebody has done that in slices, or will not wait."""
        refuse_count(count)
        if evolve and self.pending:
            self.evolve()
        pool = self._unshown()
        liking = self.judge.liking(pool)
        random = np.random.default_rng((self.seed, self.asked, CHOICE_STREAM))
        how = self.settings.choice if self.judge.count else "random"
        if not len(pool):
            raise BadInput("there are no maps to show; breed some first (evolve), or unlock genes")
        places = choose(how, liking, count, random, self.settings.exploration)
        self.asked += 1
        self._evolved = 0
        return self._propose(pool[places], liking.mean[places], liking.spread[places])

    def show(self, genes: Array) -> Proposal:
        """The map of these genes, int[genes], as if it had been asked for: one that somebody points at."""
        genome = np.asarray(genes, np.int32)[None]
        liking = self.judge.liking(genome)
        return self._propose(genome, liking.mean, liking.spread)[0]

    def _unshown(self) -> Array:
        """Elites that have not been shown."""
        genomes = self.elites.genomes[self.elites.filled]
        known = {np.array(proposal.genes, np.int32).tobytes() for proposal in self.shown}
        return genomes[[genome.tobytes() not in known for genome in genomes]]

    def _propose(self, genomes: Array, means: Array, spreads: Array) -> list[Proposal]:
        """Show maps."""
        first = len(self.shown)
        for genome, mean, spread in zip(genomes, means, spreads, strict=True):
            self.shown.append(self._proposal(genome, mean, spread, len(self.shown)))
        return self.shown[first:]

    def _proposal(self, genome: Array, mean: float, spread: float, number: int) -> Proposal:
        source = self.describer.source_of(genome, self.seed + number)
        genes = self.describer.genes_of(source)
        numbers = self.describer.measures(genes[None])[0].tolist()
        made = {"made by": "turnsmith", "seed": self.seed, "number": number, "ratings": len(self.taste.ratings)}
        return Proposal(
            number, GameMap(self._text, source, provenance=made), tuple(genes.tolist()), float(mean), float(spread),
            dict(zip(self.describer.measure_names, numbers, strict=True)), self.judge.why(genes[None], WHY),
        )  # fmt: skip

    @cached_property
    def _text(self) -> str:
        """The game of every map, for files."""
        return lasting_text(self.game, self.describer.base)

    def tell(self, which: int | Proposal | GameMap, rating: float, weight: float = 1.0) -> None:
        """What was thought of a map, -2 to 2: one that was shown, by its number, or any other. Again: instead."""
        if isinstance(which, Proposal):
            which = which.number
        if not isinstance(which, GameMap) and not (isinstance(which, int) and 0 <= which < len(self.shown)):
            raise BadInput(f"no map {shown(which)} was shown; there are {len(self.shown)}, from 0")
        game_map = which if isinstance(which, GameMap) else self.shown[which].map
        before = [n for n, known in enumerate(self.taste.ratings) if known.map.source == game_map.source]
        if before:
            self.taste.change(before[-1], rating)
        else:
            self.taste.rate(game_map, rating, weight)
        self.changed()

    def undo(self) -> None:
        """Take back the last rating."""
        self.taste.undo()
        self.changed()

    def changed(self) -> None:
        """To be said when the taste was changed elsewhere: everything is judged anew."""
        self._judge = None
        self._evolved = 0

    def change(self, **settings: Any) -> None:
        """Other settings from now on; maps so far compete again under them."""
        before, old = self.elites, self.settings
        self.settings = MakerSettings.of(**{**vars(old), **settings})
        if all(getattr(old, name) == value for name, value in vars(self.settings).items() if name not in SHOWING):
            return
        try:
            self._begin()
            self._judge = self._new_judge()
        except BadInput:
            self.settings = old
            self._begin()
            self.elites = before
            raise
        kept = np.concatenate([before.genomes[before.filled], before.seen[: before.remembered]])
        compiled(keep_all_to)(self.rules, kept)
        liking = self.judge.scores(kept)
        self.elites.remember(kept)
        self.elites.add(kept, self.elites.niches(self._behaviour(kept)), liking)
        self._evolved = 0

    # ------------------------------------------------------------ the maps at last

    def make(self, count: int, evolve: bool = True) -> list[Proposal]:
        """Maps to keep: the best liked, unlike each other, played on, and as balanced as the settings want; fewer than
        asked for only where there are not so many."""
        refuse_count(count)
        if evolve and self.pending:
            self.evolve()
        pool = self.elites.genomes[self.elites.filled]
        liking = self.judge.liking(pool)
        made: list[Proposal] = []
        safe = liking.mean - self.settings.caution * liking.spread
        for place in unlike(pool, np.argsort(-safe, kind="stable"), count):
            proposal = self._proposal(pool[place], liking.mean[place], liking.spread[place], len(self.shown))
            measures = proposal.measures | self.playing.measures(proposal.map.source)
            if len(made) < count and not is_unbalanced(measures, self.settings.balance):
                self.shown.append(replace(proposal, measures=measures))
                made.append(self.shown[-1])
            if len(made) == count:
                break
        return made

    @cached_property
    def playing(self) -> Playing:
        """Who tells by playing what genes do not."""
        return Playing(self.describer, self.settings.player, self.settings.games, self.seed)

    def archive(self, axes: Sequence[str], cells: int = 10) -> Archive:
        """The best map of every cell of some measures, for a picture."""
        filled = self.elites.filled
        genomes = self.elites.genomes[filled]
        measures = self.describer.measures(genomes, axes).astype(np.float64)
        ends = zip(axes, measures.min(axis=0), measures.max(axis=0), strict=True)
        scaled_axes = tuple(Axis(name, low, max(high, low + 1e-6), cells) for name, low, high in ends)
        fitness = self.fitness(genomes)
        return Archive(scaled_axes, genomes.astype(np.float64), fitness, measures).best_of_cells()

    def fitness(self, genomes: Array) -> Array:
        """float64[maps]: the share of all maps seen, or of a sample of them, that are liked less."""
        seen = self.elites.seen[: self.elites.remembered]
        scores = self.judge.scores(np.concatenate([genomes, seen]))
        ordered = np.sort(scores[len(genomes) :])
        return np.asarray(np.searchsorted(ordered, scores[: len(genomes)]) / max(1, len(ordered)))

    def to_dict(self) -> dict[str, Any]:
        """The whole state, as JSON holds it."""
        from turnsmith.maps.making.state import to_dict

        return to_dict(self)

    @staticmethod
    def from_dict(document: Any, game: Game | None = None, said: str = "the maker") -> Maker:
        """What ``to_dict`` gave, read strictly. game: the one it must be of; needed for a file of Python."""
        from turnsmith.maps.making.state import from_dict

        return from_dict(document, game, said)


def views_of(describer: Describer, names: Sequence[str], genomes: Array) -> tuple[Array, ...]:
    """The vectors of these names that a game has, of int32[maps, genes]."""
    vectors = describer.vectors(genomes)
    chosen = tuple(vectors[name] for name in names if name in vectors)
    if not chosen:
        raise BadInput(f"vectors {','.join(names)}: this game has {', '.join(vectors)}")
    return chosen


def refuse_count(count: Any) -> None:
    if not isinstance(count, int) or count < 1:
        raise BadInput(f"ask for 1 map or more, not {shown(count)}")


def taste(game: str | Game, seed: int = 0, taste: Taste | Path | str | None = None, **settings: Any) -> Maker:
    """A maker of maps of a game, or of the one that a text names: ask it for maps and tell it what you think of them.

    taste: ratings to begin with, or the file they are in. settings: those of ``MakerSettings``.

    >>> maker = taste("homeguard", seed=1, evaluations=1000)
    >>> for proposal in maker.ask(6):
    ...     maker.tell(proposal, 1 if proposal.measures["cover_density"] > 0.5 else -1)
    >>> [proposal.measures["cover_density"] > 0.5 for proposal in maker.make(3)]
    [True, True, True]
    """
    loaded = load(game) if isinstance(game, str) else game
    known = Taste.load(taste, loaded.text_name) if isinstance(taste, Path | str) else taste
    return Maker(loaded, known, MakerSettings.of(**settings), seed)
