"""Where matches are kept between visits: one row of the store a match, and the oldest ones make room for new ones."""

from __future__ import annotations

import json
import time
from typing import Any

import numpy as np
import sqlalchemy as sql

from turnsmith.arena.store import Store, pack, unpack
from turnsmith.languages import speaking
from turnsmith.web.live_match import LiveMatch, Participant
from turnsmith.web.offered import known_game

MOST_FINISHED = 10_000
"""Finished matches kept; the oldest go first."""
DAYS_FINISHED = 90
"""How long a finished match is kept."""
DAYS_LEFT = 365
"""After so many days without a move an unfinished match is taken for abandoned."""

_tables = sql.MetaData()
_live = sql.Table(
    "live",
    _tables,
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
_changing = ("seats", "settings", "actions", "ending", "changed")
_change = (
    _live.update().where(_live.c.match == sql.bindparam("name")).values({c: sql.bindparam(c) for c in _changing})
)  # built once: putting a statement together takes longer than the database needs for it
_recent = (
    sql.select(_live.c.match, _live.c.game, _live.c.seats, _live.c.ending, _live.c.changed)
    .where(_live.c.ending != "")
    .order_by(_live.c.changed.desc())
)


class MatchStore:
    """The matches of a store."""

    def __init__(self, store: Store):
        self.engine = store.engine
        _tables.create_all(self.engine)

    def put(self, match: LiveMatch) -> None:
        """Write a match as it is now."""
        with match.lock:
            with speaking("en"):  # whoever looks at it later may speak something else
                outcome = match.outcome
                ending = outcome.said() if outcome else "unfinished" if match.is_record else ""
            settings: dict[str, Any] = {"by_hand": match.by_hand, "minutes": match.minutes, "pace": match.pace}
            settings |= {"hints": match.hints}
            settings |= {"is_record": match.is_record}
            settings |= {"culprit": match.culprit, "reason": match.reason, "created": match.created}
            row = {
                "seats": json.dumps([vars(seat) for seat in match.seats]),
                "settings": json.dumps(settings),
                "actions": pack(np.array(match.position.history, np.int32)),
                "ending": ending,
                "changed": time.time(),
            }
        with self.engine.begin() as db:
            if not db.execute(_change, {"name": match.name, **row}).rowcount:
                fixed = {"match": match.name, "game": match.game.text_name, "seed": str(match.seed)}
                db.execute(_live.insert(), {**fixed, "source": json.dumps(match.source), **row})

    def take(self, name: str) -> LiveMatch | None:
        """The match of this name as it was last written."""
        with self.engine.connect() as db:
            row = db.execute(sql.select(_live).where(_live.c.match == name)).mappings().first()
        if row is None:
            return None
        settings = json.loads(row["settings"])
        seats = [Participant(**seat) for seat in json.loads(row["seats"])]
        match = LiveMatch(name, known_game(row["game"]), json.loads(row["source"]), int(row["seed"]), seats, **settings)
        match.begin(unpack(row["actions"]))
        return match

    def recent(self, count: int) -> list[dict[str, Any]]:
        """The matches that ended last: their names, games, players and endings."""
        with self.engine.connect() as db:
            found = db.execute(_recent.limit(count)).mappings().all()
        return [
            {**row, "seats": [seat.get("nickname") or seat["who"] for seat in json.loads(row["seats"])]}
            for row in found
        ]

    def tidy(self, most: int = MOST_FINISHED) -> int:
        """Remove finished matches that are old or too many, and abandoned ones; how many. What is played stays."""
        now, day = time.time(), 86_400
        finished, changed = _live.c.ending != "", _live.c.changed
        with self.engine.begin() as db:
            nth = db.execute(_recent.with_only_columns(changed).offset(most).limit(1)).scalar()
            limit = max(now - DAYS_FINISHED * day, -np.inf if nth is None else nth)
            old = sql.or_(sql.and_(finished, changed <= limit), changed <= now - DAYS_LEFT * day)
            return int(db.execute(_live.delete().where(old)).rowcount)
