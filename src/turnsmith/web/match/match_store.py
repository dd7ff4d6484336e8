"""Where matches are kept between visits: one row of the store a match, and the oldest ones make room for new ones."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import sqlalchemy as sql

from turnsmith.arena.store import Row, Store, pack, row_digest, table_of, unpack
from turnsmith.languages import _, speaking
from turnsmith.web.match.live_match import LiveMatch, Participant
from turnsmith.web.server.bounds import NotFound
from turnsmith.web.server.offered import known_game

MOST_FINISHED = 10_000
"""Finished matches kept; the oldest go first."""
DAYS_FINISHED = 90
"""How long a finished match is kept."""
DAYS_LEFT = 365
"""After so many days without a move an unfinished match is taken for abandoned."""

_live = table_of(
    "live",
    sql.Column("match", sql.String(32), primary_key=True),
    sql.Column("game", sql.Text, nullable=False),
    sql.Column("source", sql.Text, nullable=False),
    sql.Column("seed", sql.Text, nullable=False),
    sql.Column("seats", sql.Text, nullable=False),
    sql.Column("settings", sql.Text, nullable=False),
    sql.Column("actions", sql.LargeBinary, nullable=False),
    sql.Column("ending", sql.Text, nullable=False),
    sql.Column("changed", sql.Float, nullable=False),
)
"""Older stores have no digests, and get the column when they are opened."""
_changing = ("seats", "settings", "actions", "ending", "changed", "digest")
_change = (
    _live.update().where(_live.c.match == sql.bindparam("name")).values({c: sql.bindparam(c) for c in _changing})
)  # built once: putting a statement together takes longer than the database needs for it
_recent = sql.select(_live).where(_live.c.ending != "").order_by(_live.c.changed.desc())


SETTINGS: dict[str, type] = {
    "by_hand": bool,
    "hints": bool,
    "is_record": bool,
    "minutes": float,
    "pace": float,
    "created": float,
}
SETTINGS |= {"culprit": int, "reason": str}
"""What is kept of a match besides its board, its seats and its moves, and of which kind it is."""
SEAT: dict[str, type] = {field.name: float if field.name == "seconds" else str for field in fields(Participant)}


@dataclass(frozen=True)
class Read:
    """What a row says, checked."""

    source: Any
    seed: int
    seats: list[Participant]
    settings: dict[str, Any]
    actions: list[int]


def _read(row: Row) -> Read | None:
    """A row, or None if its digest is not that of what it says, or it says what nobody here understands."""
    try:
        if row["digest"] not in (None, row_digest(row)):
            return None
        settings = _of_kinds(json.loads(row["settings"]), SETTINGS)
        seats = [Participant(**_of_kinds(seat, SEAT)) for seat in json.loads(row["seats"])]
        if not -1 <= settings["culprit"] < len(seats):
            return None
        return Read(json.loads(row["source"]), int(row["seed"]), seats, settings, unpack(row["actions"]))
    except Exception:  # whatever is in there is not what was written
        return None


def _of_kinds(given: dict[str, Any], kinds: dict[str, type]) -> dict[str, Any]:
    """The same, if every value is of the kind that its name asks for."""
    for name, value in given.items():
        if kinds[name] is float:
            is_right = isinstance(value, int | float) and math.isfinite(value)
        else:
            is_right = isinstance(value, kinds[name])
        if not is_right:
            raise ValueError(name)
    return given


class MatchStore:
    """The matches of a store."""

    def __init__(self, store: Store):
        self.engine = store.engine
        store.add_table(_live)

    def put(self, match: LiveMatch) -> None:
        """Write a match as it is now."""
        with match.lock:
            with speaking("en"):  # whoever looks at it later may speak something else
                outcome = match.outcome
                ending = outcome.said() if outcome else "unfinished" if match.is_record else ""
            settings = {name: getattr(match, name) for name in SETTINGS}
            fixed = {"match": match.name, "game": match.game.text_name, "seed": str(match.seed)}
            fixed["source"] = json.dumps(match.source)
            row = {
                "seats": json.dumps([vars(seat) for seat in match.seats]),
                "settings": json.dumps(settings),
                "actions": pack(np.array(match.position.history, np.int32)),
                "ending": ending,
                "changed": time.time(),
            }
            row["digest"] = row_digest({**fixed, **row})
        with self.engine.begin() as db:
            if not db.execute(_change, {"name": match.name, **row}).rowcount:
                db.execute(_live.insert(), {**fixed, **row})

    def take(self, name: str) -> LiveMatch | None:
        """The match of this name as it was last written."""
        with self.engine.connect() as db:
            row = db.execute(sql.select(_live).where(_live.c.match == name)).mappings().first()
        if row is None:
            return None
        read = _read(row)
        if read is None:
            raise NotFound(
                _(
                    "match '{name}' cannot be read: its row of 'live' in the store is damaged, or of a newer turnsmith"
                ).format(name=name[:40])
            )
        match = LiveMatch(name, known_game(row["game"]), read.source, read.seed, read.seats, **read.settings)
        match.begin(read.actions)
        return match

    def recent(self, count: int) -> tuple[list[dict[str, Any]], list[str]]:
        """The matches that ended last, with their games, players and endings; and the names of those that cannot be
        read, which are left out."""
        with self.engine.connect() as db:
            rows = db.execute(_recent.limit(count)).mappings().all()
        read = {row["match"]: _read(row) for row in rows}
        shown = [
            {**row, "seats": [seat.nickname or seat.who for seat in match.seats]}
            for row in rows
            if (match := read[row["match"]]) is not None
        ]
        return shown, [str(name) for name, match in read.items() if match is None]

    def tidy(self, most: int = MOST_FINISHED) -> int:
        """Remove finished matches that are old or too many, and abandoned ones; how many. What is played stays."""
        now, day = time.time(), 86_400
        finished, changed = _live.c.ending != "", _live.c.changed
        with self.engine.begin() as db:
            nth = db.execute(_recent.with_only_columns(changed).offset(most).limit(1)).scalar()
            limit = max(now - DAYS_FINISHED * day, -np.inf if nth is None else nth)
            old = sql.or_(sql.and_(finished, changed <= limit), changed <= now - DAYS_LEFT * day)
            return int(db.execute(_live.delete().where(old)).rowcount)
