"""The store: matches as compressed integers, a batch a row, in any database SQLAlchemy knows.

A run is named by a digest of its plan, code included, so the same command resumes its own run and no other.
Batches are written in one transaction each: a killed run loses at most the batch it was playing.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import sqlalchemy as sql
import zstandard

from turnsmith.arena.match import Match, Result, finished
from turnsmith.arena.runners import Batch, Plan
from turnsmith.game import Array, load
from turnsmith.texts import BadInput

Keep = Literal["all", "none"]

_tables = sql.MetaData()
_runs = sql.Table(
    "runs",
    _tables,
    sql.Column("run", sql.String(32), primary_key=True),
    sql.Column("game", sql.Text, nullable=False),
    sql.Column("players", sql.Text, nullable=False),
    sql.Column("seed", sql.Text, nullable=False),
    sql.Column("seconds", sql.Float, nullable=False),
)
_batches = sql.Table(
    "batches",
    _tables,
    sql.Column("batch", sql.Integer, primary_key=True),
    sql.Column("run", sql.String(32), nullable=False, index=True),
    sql.Column("first", sql.Integer, nullable=False),
    sql.Column("last", sql.Integer, nullable=False),
    sql.Column("games", sql.Integer, nullable=False),
    sql.Column("matches", sql.LargeBinary, nullable=False),
    sql.Column("boards", sql.LargeBinary, nullable=False),
    sql.Column("reasons", sql.Text, nullable=False),
    sql.Column("actions", sql.LargeBinary),
)
"""`matches` are records (see `_record`), `boards` a JSON list of sources, `reasons` why who forfeited by number, and
`actions` those of all matches one after another; all but the reasons compressed."""


def _record(seats: int) -> np.dtype[Any]:
    """What is stored of a match: `board` counts the batch's boards, `seats` are places in the run's list of players."""
    return np.dtype(
        [
            ("number", "<i8"),
            ("board", "<i4"),
            ("seats", "<i4", (seats,)),
            ("returns", "<f8", (seats,)),
            ("culprit", "<i4"),
            ("seconds", "<f8"),
            ("plies", "<i4"),
        ]
    )


def pack(actions: Array) -> bytes:
    """Actions (int32) as compressed little-endian bytes: as few an action as are enough, which the first byte tells."""
    greatest = actions.max(initial=0)
    width = 1 if greatest < 2**8 else 2 if greatest < 2**16 else 4
    return bytes([width]) + _pressed(actions.astype(f"<u{width}").tobytes())


def unpack(raw: bytes) -> list[int]:
    found: list[int] = np.frombuffer(_opened(raw[1:]), f"<u{raw[0]}").tolist()
    return found


def _pressed(raw: bytes) -> bytes:
    return zstandard.compress(raw, 1)  # eight times as fast as zlib, and hardly larger


def _opened(pressed: bytes) -> bytes:
    is_old = pressed[:1] == b"x"  # as zlib begins, which older stores used
    return zlib.decompress(pressed) if is_old else zstandard.decompress(pressed)


@dataclass(frozen=True)
class Stored:
    """What a run has so far."""

    numbers: Array
    seating: Array
    returns: Array
    culprits: Array
    reasons: dict[int, str]
    seconds: float


class Store:
    """A database of matches."""

    def __init__(self, url: str = "sqlite:///turnsmith.db"):
        try:
            self.engine = sql.create_engine(url)
            if url.startswith("sqlite"):
                sql.event.listen(self.engine, "connect", _wait_for_locks)
            _tables.create_all(self.engine)
        except (sql.exc.SQLAlchemyError, ImportError) as error:
            cause = str(error).splitlines()[0]
            raise BadInput(f"the store '{url}' cannot be opened ({cause}); write e.g. sqlite:///results.db") from None

    def close(self) -> None:
        self.engine.dispose()

    def open_run(self, plan: Plan) -> str:
        """The name of the run that plays this plan, made if it is new."""
        names = [repr(p) for p in plan.players]
        key = json.dumps([plan.game.text_name, names, plan.seats, plan.seed, plan.limit, plan.digest()])
        run = hashlib.sha256(key.encode()).hexdigest()[:32]
        with self.engine.begin() as db:
            if db.execute(sql.select(_runs.c.run).where(_runs.c.run == run)).first() is None:
                row = {"run": run, "game": plan.game.text_name, "players": json.dumps(names), "seed": str(plan.seed)}
                db.execute(_runs.insert().values(**row, seconds=0.0))
        return run

    def add(self, run: str, plan: Plan, batch: Batch, seconds: float, keep: Keep = "all") -> None:
        """Write a batch and the time it took, all or nothing."""
        matches = np.zeros(len(batch.numbers), _record(plan.seats))
        matches["number"], matches["board"], matches["seats"] = batch.numbers, batch.which, plan.seating[batch.numbers]
        matches["returns"], matches["culprit"], matches["seconds"] = batch.returns, batch.culprits, batch.seconds
        matches["plies"] = np.diff(batch.offsets)
        row = {
            "run": run,
            "first": int(batch.numbers.min()),
            "last": int(batch.numbers.max()),
            "games": len(matches),
            "matches": _pressed(matches.tobytes()),
            "boards": _pressed(batch.sources().encode()),
            "reasons": json.dumps(batch.reasons),
            "actions": pack(batch.log) if keep == "all" else None,
        }
        with self.engine.begin() as db:
            db.execute(_batches.insert(), row)
            db.execute(_runs.update().where(_runs.c.run == run).values(seconds=_runs.c.seconds + seconds))

    def results(self, run: str, games: int = 2**31) -> Stored:
        """All results of a run among its first `games` matches."""
        columns = (_batches.c.games, _batches.c.matches, _batches.c.reasons)
        query = sql.select(*columns).where(_batches.c.run == run, _batches.c.first < games)
        with self.engine.connect() as db:
            rows = db.execute(query).all()
            seconds = db.execute(sql.select(_runs.c.seconds).where(_runs.c.run == run)).scalar_one()
        found = np.concatenate([_matches(r.matches, r.games) for r in rows]) if rows else np.zeros(0, _record(0))
        _, once = np.unique(found["number"], return_index=True)  # two who played the same run at once stored it twice
        found = found[once]
        found = found[found["number"] < games]
        reasons = {int(number): why for r in rows for number, why in json.loads(r.reasons).items()}
        known = {number: reasons[number] for number in found["number"][found["culprit"] >= 0].tolist()}
        return Stored(found["number"], found["seats"], found["returns"], found["culprit"], known, float(seconds))

    def runs(self) -> list[dict[str, Any]]:
        """Every run with its number of matches."""
        games = sql.func.coalesce(sql.func.sum(_batches.c.games), 0)
        count = sql.select(games).where(_batches.c.run == _runs.c.run).scalar_subquery().label("games")
        with self.engine.connect() as db:
            found = db.execute(sql.select(_runs, count).order_by(_runs.c.game)).mappings().all()
        return [{**row, "players": json.loads(row["players"])} for row in found]

    def match(self, run: str, number: int) -> Match:
        """One stored match, ready to replay."""
        query = sql.select(_batches).where(_batches.c.run == run, _batches.c.first <= number, _batches.c.last >= number)
        with self.engine.connect() as db:
            origin = db.execute(sql.select(_runs).where(_runs.c.run == run)).mappings().first()
            candidates = db.execute(query).mappings().all()
        for row in candidates:
            matches = _matches(row["matches"], row["games"])
            here = np.flatnonzero(matches["number"] == number)
            if not len(here):
                continue
            if row["actions"] is None:
                raise BadInput(f"match {number} was kept as a seed only; play it again with --keep all")
            assert origin is not None
            place = int(here[0])
            begin, match = int(matches["plies"][:place].sum()), matches[place]
            actions = unpack(row["actions"])[begin : begin + int(match["plies"])]
            reason = json.loads(row["reasons"]).get(str(number), "")
            result = Result(
                number, actions, match["returns"].tolist(), int(match["culprit"]), reason, float(match["seconds"])
            )
            players, source = json.loads(origin["players"]), json.loads(_opened(row["boards"]))[match["board"]]
            names = [players[p] for p in match["seats"]]
            return finished(load(origin["game"]), source, names, int(origin["seed"]), result)
        raise BadInput(f"the store has no match {number} of run {run}; see the runs it has")


def _matches(raw: bytes, games: int) -> Array:
    """The stored records of a batch; how many seats they have follows from their size."""
    data = _opened(raw)
    plain, seat = _record(0).itemsize, _record(1).itemsize - _record(0).itemsize
    return np.frombuffer(data, _record((len(data) // games - plain) // seat))


def _wait_for_locks(connection: Any, _: Any) -> None:
    connection.execute("PRAGMA busy_timeout = 30000")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last batch, never the file
