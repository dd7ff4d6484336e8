"""One studio: maps that are shown, what is thought of them, and work that is done slice by slice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.contract.first_use import is_checked
from turnsmith.contract.game import Game
from turnsmith.languages import _, marked
from turnsmith.maps.making.maker import BATCH as GENERATION
from turnsmith.maps.making.maker import WHY, Maker, MakerSettings, Proposal
from turnsmith.maps.record import GameMap, lasting_text, with_options
from turnsmith.maps.taste.taste import Taste
from turnsmith.web.match.changes import Listeners
from turnsmith.web.server.bounds import NotFound, described, known_player, refuse_files, source_of
from turnsmith.web.server.offered import known_game

FEWEST, MOST = 6, 12
"""Maps that are shown at once."""
USUAL = 9
MOST_PROPOSED = 1_000
"""Maps of one studio."""
MOST_NICHES, MOST_MEMORY, MOST_EVALUATIONS, MOST_GAMES = 1_000, 4_000, 1_000_000, 200
"""Of what a stranger may set."""
Locks = tuple[tuple[int, int], ...]
"""Genes and the values that they have in all maps."""
ALONE = 120.0
"""Seconds for which maps are bred while no page is open."""
SLICE = 0.25
"""Seconds of work between which others have their turn."""


class Studio:
    """One person's maps of one game. Methods are to be called in turn, in a worker."""

    def __init__(self, name: str, maker: Maker, count: int = USUAL):
        self.name, self.maker = name, maker
        self.count = count
        self.gallery: list[int | None] = [None] * count
        """Numbers of the maps shown; None where the next one is being made."""
        self.opinions: dict[int, Proposal] = {}
        """What is thought by now of the maps that are shown."""
        self.best: list[int] = []
        """The maps that were made at last."""
        self.wanted = 0
        """How many maps are to be made at last, when there is time."""
        self.left = 0
        """Children to be bred beyond what every question needs."""
        self.until = 0.0
        """When breeding ends if nobody looks."""
        self.goal = 0
        """Children that were to be bred when this work began."""
        self.version = 0
        """Grows with every change."""
        self.changes = Listeners()
        """Tells of every change."""
        self.hurry = False
        """Whether to show what there is, without breeding any more."""
        self.places: dict[int, int] = {}
        """Where maps were in the gallery that were rated: there they come back when that is undone."""
        self.lookers = 0
        """How many pages are open: only for them places are filled."""
        self.complaint = ""
        """Why the last work was given up."""
        self.owner = ""
        self.turn = asyncio.Lock()
        self.waiting = 0

    @property
    def game(self) -> str:
        return self.maker.game.text_name

    # ------------------------------------------------------------ looking

    def proposal(self, number: int) -> Proposal:
        """A map by its number."""
        shown = self.maker.shown
        if not 0 <= number < len(shown):
            raise NotFound(
                _("this studio has no map {number}; it has {shown}, from 0").format(number=number, shown=len(shown))
            )
        return shown[number]

    def opinion(self, number: int) -> Proposal:
        """A map by its number, as it is judged by now."""
        return self.opinions.get(number) or self.proposal(number)

    def rated(self, number: int) -> GameMap:
        """A rated map, by the number of its rating."""
        ratings = self.maker.taste.ratings
        if not 0 <= number < len(ratings):
            raise NotFound(
                _("there is no rating {number}; there are {ratings}, from 0").format(
                    number=number, ratings=len(ratings)
                )
            )
        return ratings[number].map

    @property
    def doing(self) -> str:
        """What is being worked at, in a word; "" for nothing."""
        if self._fills:
            return marked("making maps")
        return marked("making the best maps") if self.wanted else marked("breeding") if self.left else ""

    @property
    def progress(self) -> float:
        """The share of the work that is done."""
        return 1.0 - min(1.0, self._due / max(1, self.goal)) if self.doing else 1.0

    @property
    def _fills(self) -> bool:
        """Whether somebody waits for a map."""
        return None in self.gallery and self.lookers > 0

    @property
    def _asks(self) -> bool:
        """Whether maps are to be chosen, for which some are bred as a rule."""
        return self._fills or self.wanted > 0

    @property
    def _due(self) -> int:
        """Children to be bred before the work is done."""
        return self.maker.pending if self._asks else self.left

    # ------------------------------------------------------------ what a person does

    def rate(self, number: int, rating: float) -> None:
        """Tell what was thought of a map; another one comes in its place."""
        self.proposal(number)
        self.maker.tell(number, rating)
        self._replace(number)

    def tell(self, number: int | None, source: Any, rating: float, weight: float = 1.0) -> None:
        """What a program says of a map, by its number or its description."""
        if number is not None:
            self.maker.tell(self.proposal(number).number, rating, weight)
            self._replace(number)
            return
        game = self.maker.game
        board = source_of(game, source=source)
        described(game, board)
        self.maker.tell(GameMap(lasting_text(game, board), board), rating, weight)
        self._tell()

    def ask(self, count: int) -> list[Proposal]:
        """The maps that a program shows next; what has to be bred for them has been."""
        self._refuse_too_many(count)
        self.hurry = False
        proposals = self.maker.ask(count, evolve=False)
        self._tell()
        return proposals

    def show(self, genes: Array) -> Proposal:
        """A map of the archive."""
        self._refuse_too_many(1)
        proposal = self.maker.show(genes)
        self._tell()
        return proposal

    def _refuse_too_many(self, count: int) -> None:
        if len(self.maker.shown) + count > MOST_PROPOSED:
            raise BadInput(
                _("a studio has {most:,} maps at most; save the taste, and go on in another").format(most=MOST_PROPOSED)
            )

    def skip(self, number: int) -> None:
        """Show another map instead."""
        self.proposal(number)
        self._replace(number)

    def _replace(self, number: int) -> None:
        if number in self.gallery:
            place = self.gallery.index(number)
            self.places[number] = place
            self.gallery[place] = None
        self._changed()

    def _changed(self) -> None:
        """There is something to be done that nobody has given up."""
        self.hurry, self.complaint = False, ""
        self._tell()

    def _tell(self) -> None:
        """Count a change, and tell of it."""
        self.version += 1
        self.changes.tell()

    def undo(self) -> None:
        """Take back the last rating, or the last change of one; a map that was rated comes back."""
        before = list(self.maker.taste.ratings)
        self.maker.undo()
        after = self.maker.taste.ratings
        if len(after) < len(before):
            gone = before[-1].map.source
            number = next((n for n in reversed(self.places) if self.maker.shown[n].map.source == gone), None)
            if number is not None and number not in self.gallery and self.places[number] < len(self.gallery):
                self.gallery[self.places[number]] = number
        self._tell()

    def change_rating(self, number: int, rating: float) -> None:
        self.rated(number)
        self.maker.taste.change(number, rating)
        self.maker.changed()
        self._tell()

    def remove_rating(self, number: int) -> None:
        self.rated(number)
        self.maker.taste.remove(number)
        self.maker.changed()
        self._tell()

    def merge(self, document: Any, weight: float) -> None:
        """Let somebody else's ratings count too."""
        maker = self.maker
        other = known_taste(document, maker.game)
        maker.taste = maker.taste.merged(other, weight)
        maker.changed()
        self._tell()

    def show_others(self, count: int | None = None) -> None:
        """Other maps in all places."""
        if count is not None and not FEWEST <= count <= MOST:
            raise BadInput(
                _("a studio shows {fewest} to {most} maps at once, not {count}").format(
                    fewest=FEWEST, most=MOST, count=count
                )
            )
        self.count = count or self.count
        self.gallery = [None] * self.count
        self._changed()

    def change(self, **settings: Any) -> None:
        """Make maps in another way from now on; the maps shown stay until they are rated."""
        refuse_settings(self.maker.settings, settings, self.maker.game)
        if any(getattr(self.maker.settings, name) != value for name, value in settings.items()):
            self.maker.change(**settings)
            self._tell()

    def locks(self, before: Locks, number: int, cells: Sequence[tuple[int, int]], locking: bool) -> Locks:
        """The genes that are locked when all maps shall have what a map has on these cells (column, row); or when the
        cells are set free."""
        genes, gene_of_cell = self.proposal(number).genes, self.maker.describer.cells
        rows, columns = gene_of_cell.shape
        inside = [(x, y) for x, y in cells if 0 <= x < columns and 0 <= y < rows]
        painted = {int(gene_of_cell[y, x]) for x, y in inside} - {-1}
        held = {gene: value for gene, value in before if gene not in painted}
        if locking:
            held |= {gene: genes[gene] for gene in painted}
        return tuple(sorted(held.items()))

    def cells_of(self, locks: Locks) -> list[tuple[int, int]]:
        """The cells (column, row) that locked genes fill."""
        held = {gene for gene, _value in locks}
        rows = self.maker.describer.cells.tolist()
        return [(x, y) for y, row in enumerate(rows) for x, gene in enumerate(row) if gene in held]

    def breed(self, evaluations: int) -> None:
        """Look further before anything else is shown."""
        if not 0 < evaluations <= MOST_EVALUATIONS:
            raise BadInput(
                _("1 to {most:,} maps are bred at a time, not {evaluations}").format(
                    most=MOST_EVALUATIONS, evaluations=evaluations
                )
            )
        self.left = evaluations
        self.until = time.monotonic() + ALONE
        self._changed()

    def want(self, count: int) -> None:
        """Ask for the maps one would keep."""
        if not 1 <= count <= 100:
            raise BadInput(_("1 to 100 maps are made at a time, not {count}").format(count=count))
        self.wanted = count
        self._changed()

    def stop(self) -> None:
        """Show what there is. May be called at any time."""
        self.hurry = True

    def give_up(self, why: str) -> None:
        """Work at nothing, and say why."""
        self.complaint, self.left, self.wanted = why, 0, 0
        self.gallery = [number for number in self.gallery if number is not None]
        self._tell()

    # ------------------------------------------------------------ work, slice by slice

    def prepare(self) -> bool:
        """A slice of what is bred before maps are chosen; whether that is all."""
        until = time.monotonic() + SLICE
        while self.maker.pending and not self.hurry and time.monotonic() < until:
            self.maker.evolve(GENERATION)
        self._tell()
        return self.hurry or not self.maker.pending

    def step(self) -> None:
        """A slice of what is to be done."""
        until = time.monotonic() + SLICE
        if not self.lookers and time.monotonic() > self.until:
            self.left = 0
        self.goal = max(self.goal, self._due)
        while self._due > 0 and not self.hurry and time.monotonic() < until:
            bred = self.maker.evolve(GENERATION)
            self.left = self.left if self._asks else max(0, self.left - bred)
        if self.hurry:
            self.left = 0
        if self._due <= 0 or self.hurry:
            self._fill()
            self._judge_anew()
            self.hurry, self.goal = False, 0
        self._tell()

    def _judge_anew(self) -> None:
        """What is thought of the maps that are shown, after all ratings so far."""
        numbers = [number for number in (*self.gallery, *self.best) if number is not None]
        if numbers:
            judge, genomes = self.maker.judge, np.array([self.maker.shown[n].genes for n in numbers], np.int32)
            liking = judge.liking(genomes)
            rows = zip(numbers, genomes, liking.mean.tolist(), liking.spread.tolist(), strict=True)
            self.opinions = {
                number: replace(self.maker.shown[number], liking=mean, spread=spread, why=judge.why(genome[None], WHY))
                for number, genome, mean, spread in rows
            }

    def _fill(self) -> None:
        """Put maps into the places that are empty, and make those that are wanted at last."""
        empty = [place for place, number in enumerate(self.gallery) if number is None] if self._fills else []
        wanted, self.wanted = self.wanted, 0
        try:
            self._refuse_too_many(len(empty) + wanted)
            if empty:
                proposals = self.maker.ask(len(empty), evolve=False)
                for place, proposal in zip(empty, proposals, strict=False):
                    self.gallery[place] = proposal.number
            if wanted:
                self.best = [proposal.number for proposal in self.maker.make(wanted, evolve=False)]
        finally:
            if empty:  # there may be no more that are new
                self.gallery = [number for number in self.gallery if number is not None]


def known_taste(document: Any, game: Game) -> Taste:
    """A stranger's ratings of maps of a game, without files of their choice, and of boards that are taken here."""
    if not is_checked(game):
        raise BadInput(
            _(
                "ratings from elsewhere are not taken for {game} until whoever serves it has let 'turnsmith check' "
                "pass it; rate maps here"
            ).format(game=game.text_name)
        )
    rows = document.get("ratings") if isinstance(document, dict) else None
    for row in rows if isinstance(rows, list) else ():
        game_map = row.get("map") if isinstance(row, dict) else None
        options = game_map.get("options") if isinstance(game_map, dict) else None
        if isinstance(options, dict):
            refuse_files(known_game(with_options(game.name, options)).options)
    return Taste.from_dict(document, "the taste", game.text_name)


def refuse_settings(now: MakerSettings, given: dict[str, Any], game: Game) -> None:
    """Refuse settings that a stranger may not choose, or that are none."""
    for name, most in (
        ("niches", MOST_NICHES),
        ("memory", MOST_MEMORY),
        ("evaluations", MOST_EVALUATIONS),
        ("games", MOST_GAMES),
    ):
        if isinstance(given.get(name), int) and given[name] > most:
            raise BadInput(
                _("{name}={given} must be {most:,} at most here").format(name=name, given=given[name], most=most)
            )
    chosen = MakerSettings.of(**{**vars(now), **given})
    if chosen.player:
        known_player(chosen.player, game)
