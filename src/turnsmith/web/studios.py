"""Studios: where somebody rates maps and has others made; each has a link of its own and is kept in the store.

Everything that changes a studio takes its turn (``Host.in_studio``), long work in slices. What is shown is read at any
time: maps that were proposed never change, and only ever become more.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import sqlalchemy as sql
import zstandard

from turnsmith.arena.store import Store
from turnsmith.maps.making.maker import BATCH as GENERATION
from turnsmith.maps.making.maker import Maker, MakerSettings, Proposal
from turnsmith.maps.record import GameMap
from turnsmith.maps.taste.taste import Taste
from turnsmith.texts import BadInput, shown, suggestion
from turnsmith.web.bounds import NotFound, refuse_files
from turnsmith.web.offered import known_game, offered

FEWEST, MOST = 6, 12
"""Maps that are shown at once."""
MOST_PROPOSED = 5_000
"""Maps of one studio."""
MOST_NICHES, MOST_MEMORY, MOST_EVALUATIONS = 1_000, 4_000, 1_000_000
"""Of what a stranger may set."""
SLICE = 0.25
"""Seconds of work between which others have their turn."""
MOST_HELD = 16
"""Studios in memory; the others wait in the store."""
MOST_KEPT, DAYS_KEPT = 5_000, 365
"""Studios in the store; those in which nothing was rated go after a day."""
MOST_BYTES = 2**28
MOST_PLACES = 200
"""Maps whose places in the gallery are remembered."""
TIDY = 50
"""After so many new studios, and when the server starts, the store is tidied."""


class Studio:
    """One person's maps of one game. Methods are to be called in turn, in a worker."""

    def __init__(self, name: str, maker: Maker, count: int = 8):
        self.name, self.maker = name, maker
        self.count = count
        self.gallery: list[int | None] = [None] * count
        """Numbers of the maps shown; None where the next one is being made."""
        self.best: list[int] = []
        """The maps that were made at last."""
        self.wanted = 0
        """How many maps are to be made at last, when there is time."""
        self.left = 0
        """Children to be bred beyond what every question needs."""
        self.goal = 0
        """Children that were to be bred when this work began."""
        self.version = 0
        """Grows with every change."""
        self.hurry = False
        """Whether to show what there is, without breeding any more."""
        self.places: dict[int, int] = {}
        """Where maps were in the gallery that were rated: there they come back when that is undone."""
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
            raise NotFound(f"this studio has no map {number}; it has {len(shown)}, from 0")
        return shown[number]

    def rated(self, number: int) -> GameMap:
        """A rated map, by the number of its rating."""
        ratings = self.maker.taste.ratings
        if not 0 <= number < len(ratings):
            raise NotFound(f"there is no rating {number}; there are {len(ratings)}, from 0")
        return ratings[number].map

    @property
    def doing(self) -> str:
        """What is being worked at, in a word; "" for nothing."""
        if None in self.gallery:
            return "making maps"
        return "making the best maps" if self.wanted else "breeding" if self.left else ""

    @property
    def progress(self) -> float:
        """The share of the work that is done."""
        return 1.0 - min(1.0, self._due / max(1, self.goal)) if self.doing else 1.0

    @property
    def _asks(self) -> bool:
        """Whether maps are to be chosen, for which some are bred as a rule."""
        return None in self.gallery or self.wanted > 0

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

    def skip(self, number: int) -> None:
        """Show another map instead."""
        self.proposal(number)
        self._replace(number)

    def _replace(self, number: int) -> None:
        if number in self.gallery:
            place = self.gallery.index(number)
            self.places[number] = place
            self.gallery[place] = None
        self.version += 1

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
        self.version += 1

    def change_rating(self, number: int, rating: float) -> None:
        self.rated(number)
        self.maker.taste.change(number, rating)
        self.maker.changed()
        self.version += 1

    def remove_rating(self, number: int) -> None:
        self.rated(number)
        self.maker.taste.remove(number)
        self.maker.changed()
        self.version += 1

    def show_others(self, count: int | None = None) -> None:
        """Other maps in all places."""
        if count is not None and not FEWEST <= count <= MOST:
            raise BadInput(f"a studio shows {FEWEST} to {MOST} maps at once, not {count}")
        self.count = count or self.count
        self.gallery = [None] * self.count
        self.version += 1

    def change(self, **settings: Any) -> None:
        """Make maps in another way from now on; the maps shown stay until they are rated."""
        refuse_settings(self.maker.settings, settings)
        if any(getattr(self.maker.settings, name) != value for name, value in settings.items()):
            self.maker.change(**settings)
            self.version += 1

    def lock(self, number: int, cells: Sequence[tuple[int, int]], locking: bool) -> None:
        """Let all maps have what a map has on these cells (column, row); or set the cells free."""
        genes, found = self.proposal(number).genes, self.maker.describer.cells
        rows, columns = found.shape
        inside = [(x, y) for x, y in cells if 0 <= x < columns and 0 <= y < rows]
        painted = {int(found[y, x]) for x, y in inside} - {-1}
        held = {gene: value for gene, value in self.maker.settings.locked if gene not in painted}
        if locking:
            held |= {gene: genes[gene] for gene in painted}
        self.change(locked=tuple(sorted(held.items())))

    def locked_cells(self) -> list[tuple[int, int]]:
        """The cells (column, row) that are the same in all maps."""
        held = {gene for gene, _ in self.maker.settings.locked}
        rows = self.maker.describer.cells.tolist()
        return [(x, y) for y, row in enumerate(rows) for x, gene in enumerate(row) if gene in held]

    def breed(self, evaluations: int) -> None:
        """Look further before anything else is shown."""
        if not 0 < evaluations <= MOST_EVALUATIONS:
            raise BadInput(f"1 to {MOST_EVALUATIONS:,} maps are bred at a time, not {evaluations}")
        self.left = evaluations
        self.version += 1

    def want(self, count: int) -> None:
        """Ask for the maps one would keep."""
        if not 1 <= count <= 100:
            raise BadInput(f"1 to 100 maps are made at a time, not {count}")
        self.wanted = count
        self.version += 1

    def stop(self) -> None:
        """Show what there is. May be called at any time."""
        self.hurry = True

    # ------------------------------------------------------------ work, slice by slice

    def step(self) -> None:
        """A slice of what is to be done."""
        until = time.monotonic() + SLICE
        self.left = 0 if self.hurry else self.left
        self.goal = max(self.goal, self._due)
        while self._due > 0 and not self.hurry and time.monotonic() < until:
            bred = self.maker.evolve(min(self._due, GENERATION))
            self.left = self.left if self._asks else max(0, self.left - bred)
        if self._due <= 0 or self.hurry:
            self._fill()
            self.hurry, self.goal = False, 0
        self.version += 1

    def _fill(self) -> None:
        """Put maps into the places that are empty, and make those that are wanted at last."""
        empty = [place for place, number in enumerate(self.gallery) if number is None]
        wanted, self.wanted = self.wanted, 0
        try:
            if len(self.maker.shown) + len(empty) + wanted > MOST_PROPOSED:
                raise BadInput(f"a studio has {MOST_PROPOSED:,} maps at most; save the taste, and go on in another")
            if empty:
                found = self.maker.ask(len(empty), evolve=False)
                for place, proposal in zip(empty, found, strict=False):
                    self.gallery[place] = proposal.number
            if wanted:
                self.best = [proposal.number for proposal in self.maker.make(wanted, evolve=False)]
        finally:
            self.gallery = [each for each in self.gallery if each is not None]  # there may be no more that are new


def refuse_settings(now: MakerSettings, given: dict[str, Any]) -> None:
    """Refuse settings that a stranger may not choose, or that are none."""
    names = [each.name for each in fields(MakerSettings)]
    for name in given:
        if name not in names:
            raise BadInput(f"there is no setting '{shown(name)}'{suggestion(name, names)}; there are {', '.join(names)}")
    for name, most in (("niches", MOST_NICHES), ("memory", MOST_MEMORY), ("evaluations", MOST_EVALUATIONS)):
        if isinstance(given.get(name), int) and given[name] > most:
            raise BadInput(f"{name}={given[name]} must be {most:,} at most here")
    try:
        replace(now, **given)
    except ValueError as error:
        raise BadInput(str(error)) from None


# ---------------------------------------------------------------- all of them

_tables = sql.MetaData()
_kept = sql.Table(
    "studios",
    _tables,
    sql.Column("studio", sql.String(32), primary_key=True),
    sql.Column("game", sql.Text, nullable=False),
    sql.Column("ratings", sql.Integer, nullable=False),
    sql.Column("state", sql.LargeBinary, nullable=False),
    sql.Column("changed", sql.Float, nullable=False),
)


class Studios:
    """All studios of a store; the latest are held in memory. May be asked from several threads."""

    def __init__(self, store: Store):
        self.engine = store.engine
        _tables.create_all(self.engine)
        self._held: OrderedDict[str, Studio] = OrderedDict()
        self._alive: weakref.WeakValueDictionary[str, Studio] = weakref.WeakValueDictionary()
        self._lock = threading.Lock()
        self._made = 0
        self.tidy()

    def create(
        self, game: str, seed: int = 0, settings: dict[str, Any] | None = None, taste: Any = None, count: int = 8
    ) -> Studio:
        """A new studio; `taste` is one as ``Taste.to_dict`` gives it."""
        if not 0 <= seed < 2**53:
            raise BadInput(f"seed={seed} must be 0 to 2**53 - 1")
        loaded = known_game(game)
        if loaded.genes is None:
            raise BadInput(f"maps of {loaded.name} have no genes, so none can be made; there are {', '.join(makeable())}")
        refuse_files(loaded.options)
        given = settings or {}
        refuse_settings(MakerSettings(), given)
        known = Taste.from_dict(taste, "the taste", loaded.home or loaded.name) if taste is not None else None
        studio = Studio(secrets.token_urlsafe(12), Maker(loaded, known, MakerSettings(**given), seed), count)
        studio.show_others(count)
        self.keep(studio)
        self._made += 1
        if self._made % TIDY == 0:
            self.tidy()
        return studio

    def keep(self, studio: Studio) -> None:
        """Write a studio to the store, and hold it."""
        own = {"count": studio.count, "gallery": studio.gallery, "best": studio.best}
        own |= {"places": list(studio.places.items())[-MOST_PLACES:], "maker": studio.maker.to_dict()}
        state = zstandard.compress(json.dumps(own).encode(), 1)
        row = {"game": studio.game, "ratings": len(studio.maker.taste.ratings), "state": state, "changed": time.time()}
        with self.engine.begin() as db:
            if not db.execute(_kept.update().where(_kept.c.studio == studio.name).values(row)).rowcount:
                db.execute(_kept.insert(), {"studio": studio.name, **row})
        self._hold(studio)

    def held(self, name: str) -> Studio | None:
        """The studio of this name if it is in memory."""
        with self._lock:
            if name in self._held:
                self._held.move_to_end(name)
            return self._alive.get(name)

    def get(self, name: str) -> Studio:
        """The studio of this name, from memory or from the store."""
        return self._hold(self.held(name) or self._take(name))

    def _take(self, name: str) -> Studio:
        with self.engine.connect() as db:
            row = db.execute(sql.select(_kept).where(_kept.c.studio == name)).mappings().first()
        if row is None:
            raise NotFound(f"there is no studio '{shown(name)}'; the link is wrong, or its store is another one")
        own = json.loads(zstandard.ZstdDecompressor().decompress(row["state"], MOST_BYTES))
        studio = Studio(name, Maker.from_dict(known_game(row["game"]), own["maker"]), own["count"])
        studio.gallery, studio.best, studio.places = own["gallery"], own["best"], dict(own["places"])
        return studio

    def _hold(self, studio: Studio) -> Studio:
        with self._lock:
            held = self._alive.setdefault(studio.name, studio)  # two may have read it from the store at once
            self._held[studio.name] = held
            self._held.move_to_end(studio.name)
            while len(self._held) > MOST_HELD:
                self._held.popitem(last=False)
            return held

    def tidy(self) -> None:
        """Remove studios that are old or too many, and first those in which nothing was rated."""
        now, day, changed = time.time(), 86_400, _kept.c.changed
        latest = sql.select(changed).order_by(changed.desc())
        with self.engine.begin() as db:
            nth = db.execute(latest.offset(MOST_KEPT).limit(1)).scalar()
            limit = max(now - DAYS_KEPT * day, nth or 0.0)
            unused = sql.and_(_kept.c.ratings == 0, changed <= now - day)
            db.execute(_kept.delete().where(sql.or_(unused, changed <= limit)))


def makeable() -> list[str]:
    """The games of this server whose maps can be made."""
    return [name for name in offered() if known_game(name).genes is not None]
