"""All studios: where somebody rates maps and has others made; each has a link of its own and is kept in the store.

Everything that changes a studio takes its turn (``Host.in_studio``), long work in slices. What is shown is read at any
time: maps that were proposed never change, and only ever become more.
"""

from __future__ import annotations

import gc
import json
import secrets
import threading
import time
import weakref
from collections import OrderedDict
from typing import Any

import sqlalchemy as sql
import zstandard

from turnsmith.arena.store import Store, row_digest, table_of
from turnsmith.common.errors import BadInput, shown
from turnsmith.languages import _
from turnsmith.maps.making.maker import Maker, MakerSettings
from turnsmith.web.server.bounds import NotFound, refuse_files
from turnsmith.web.server.offered import known_game, offered
from turnsmith.web.studio.studio import USUAL, Studio, known_taste, refuse_settings

MOST_HELD = 12
"""Studios in memory; the others wait in the store."""
MOST_KEPT, DAYS_KEPT = 5_000, 365
"""Studios in the store; those in which nothing was rated go after a day."""
MOST_BYTES = 2**28
MOST_PLACES = 200
"""Maps whose places in the gallery are remembered."""
TIDY = 50
"""After so many new studios, and when the server starts, the store is tidied."""

_kept = table_of(
    "studios",
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
        store.add_table(_kept)
        self._held: OrderedDict[str, Studio] = OrderedDict()
        self._alive: weakref.WeakValueDictionary[str, Studio] = weakref.WeakValueDictionary()
        self._lock = threading.Lock()
        self._made = self._dropped = 0
        self.tidy()

    def create(
        self, game: str, seed: int = 0, settings: dict[str, Any] | None = None, taste: Any = None, count: int = USUAL
    ) -> Studio:
        """A new studio; `taste` is one as ``Taste.to_dict`` gives it."""
        if not 0 <= seed < 2**53:
            raise BadInput(_("seed={seed} must be 0 to 2**53 - 1").format(seed=seed))
        loaded = known_game(game)
        if loaded.genes is None:
            raise BadInput(
                _("maps of {name} have no genes, so none can be made; there are {all}").format(
                    name=loaded.name, all=", ".join(makeable())
                )
            )
        refuse_files(loaded.options)
        given = settings or {}
        refuse_settings(MakerSettings(), given, loaded)
        known = known_taste(taste, loaded) if taste is not None else None
        studio = Studio(secrets.token_urlsafe(12), Maker(loaded, known, MakerSettings.of(**given), seed), count)
        assert studio.maker.judge  # refuses a predictor that there is not
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
        row["digest"] = row_digest({"studio": studio.name, **row})
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
            raise NotFound(
                _("there is no studio '{name}'; the link is wrong, or its store is another one").format(
                    name=shown(name)
                )
            )
        game = known_game(row["game"])
        try:
            if row["digest"] not in (None, row_digest(row)):
                raise ValueError("digest")
            own = json.loads(zstandard.ZstdDecompressor().decompress(row["state"], MOST_BYTES))
            studio = Studio(name, Maker.from_dict(own["maker"], game), own["count"])
            studio.gallery, studio.best, studio.places = own["gallery"], own["best"], dict(own["places"])
            return studio
        except Exception:  # whatever is in there is not what was written
            raise NotFound(
                _("studio '{name}' cannot be read: its row in the store is damaged, or of a newer turnsmith").format(
                    name=shown(name)
                )
            ) from None

    def _hold(self, studio: Studio) -> Studio:
        with self._lock:
            held = self._alive.setdefault(studio.name, studio)  # two may have read it from the store at once
            self._held[studio.name] = held
            self._held.move_to_end(studio.name)
            while len(self._held) > MOST_HELD:
                self._held.popitem(last=False)
                self._dropped += 1
            if self._dropped >= MOST_HELD:  # pages that were closed hold studios, in circles, until somebody looks
                self._dropped = 0
                gc.collect()
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
