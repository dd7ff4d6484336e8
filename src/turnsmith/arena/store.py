"""The store: boards once, matches as compressed integers, in any database SQLAlchemy knows.

A run is named by a digest of its plan, code included, so the same command resumes its own run and no other.
Batches are written in one transaction each: a killed run loses at most the batch it was playing.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
import sqlalchemy as sql

from turnsmith.arena.match import Match, Result, finished
from turnsmith.arena.runners import Batch, Plan
from turnsmith.game import Array, load
from turnsmith.kernel import digest
from turnsmith.player import CompiledPlayer, Player
from turnsmith.texts import BadInput

Keep = Literal["all", "none"]

_tables = sql.MetaData()
_boards = sql.Table(
    "boards",
    _tables,
    sql.Column("hash", sql.String(32), primary_key=True),
    sql.Column("game", sql.Text, nullable=False),
    sql.Column("source", sql.Text, nullable=False),
)
_runs = sql.Table(
    "runs",
    _tables,
    sql.Column("run", sql.String(32), primary_key=True),
    sql.Column("game", sql.Text, nullable=False),
    sql.Column("players", sql.Text, nullable=False),
    sql.Column("seed", sql.Text, nullable=False),
    sql.Column("seconds", sql.Float, nullable=False),
)
_matches = sql.Table(
    "matches",
    _tables,
    sql.Column("run", sql.String(32), primary_key=True),
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("board", sql.String(32), nullable=False),
    sql.Column("seats", sql.Text, nullable=False),
    sql.Column("returns", sql.Text, nullable=False),
    sql.Column("culprit", sql.Integer, nullable=False),
    sql.Column("reason", sql.Text, nullable=False),
    sql.Column("seconds", sql.Float, nullable=False),
    sql.Column("actions", sql.LargeBinary),
)


def pack(actions: Array) -> bytes:
    """Actions (int32) as compressed little-endian bytes: as few an action as are enough, which the first byte tells."""
    greatest = actions.max(initial=0)
    width = 1 if greatest < 2**8 else 2 if greatest < 2**16 else 4
    return bytes([width]) + zlib.compress(actions.astype(f"<u{width}").tobytes(), 1)


def unpack(raw: bytes) -> list[int]:
    return [int(a) for a in np.frombuffer(zlib.decompress(raw[1:]), f"<u{raw[0]}")]


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
        codes = [plan.game.digest, *(_code(p) for p in plan.players)]
        names = [repr(p) for p in plan.players]
        key = json.dumps([plan.game.text_name, names, plan.seats, plan.seed, plan.limit, codes])
        run = hashlib.sha256(key.encode()).hexdigest()[:32]
        with self.engine.begin() as db:
            if db.execute(sql.select(_runs.c.run).where(_runs.c.run == run)).first() is None:
                row = {"run": run, "game": plan.game.text_name, "players": json.dumps(names), "seed": str(plan.seed)}
                db.execute(_runs.insert().values(**row, seconds=0.0))
        return run

    def add(self, run: str, plan: Plan, batch: Batch, seconds: float, keep: Keep = "all") -> None:
        """Write a batch and the time it took, all or nothing."""
        rows, boards, game = [], {}, plan.game.text_name
        for row, number in enumerate(map(int, batch.numbers)):
            source = plan.source(plan.group(number))
            if source not in boards:
                boards[source] = hashlib.sha256((game + source).encode()).hexdigest()[:32]
            actions = batch.log[batch.offsets[row] : batch.offsets[row + 1]]
            rows.append(
                {
                    "run": run,
                    "number": number,
                    "board": boards[source],
                    "seats": _listed(tuple(plan.seating[number].tolist())),
                    "returns": _listed(tuple(batch.returns[row].tolist())),
                    "culprit": int(batch.culprits[row]),
                    "reason": batch.reasons.get(number, ""),
                    "seconds": float(batch.seconds[row]),
                    "actions": pack(actions) if keep == "all" else None,
                }
            )
        with self.engine.begin() as db:
            known = self._known(db, list(boards.values()))
            new = [{"hash": b, "game": game, "source": s} for s, b in boards.items() if b not in known]
            if new:
                db.execute(_boards.insert(), new)
            db.execute(_matches.insert(), rows)
            db.execute(_runs.update().where(_runs.c.run == run).values(seconds=_runs.c.seconds + seconds))

    def _known(self, db: sql.Connection, boards: list[str]) -> set[str]:
        """Which of these boards the store has."""
        found: set[str] = set()
        for begin in range(0, len(boards), 500):  # databases bound the length of a question
            some = _boards.c.hash.in_(boards[begin : begin + 500])
            found |= set(db.execute(sql.select(_boards.c.hash).where(some)).scalars())
        return found

    def results(self, run: str, games: int = 2**31) -> Stored:
        """All results of a run among its first `games` matches."""
        columns = (_matches.c.number, _matches.c.seats, _matches.c.returns, _matches.c.culprit, _matches.c.reason)
        query = sql.select(*columns).where(_matches.c.run == run, _matches.c.number < games).order_by(_matches.c.number)
        with self.engine.connect() as db:
            found = db.execute(query).all()
            seconds = db.execute(sql.select(_runs.c.seconds).where(_runs.c.run == run)).scalar_one()
        return Stored(
            np.array([r.number for r in found], np.int64),
            np.array([json.loads(r.seats) for r in found], np.int32).reshape(len(found), -1 if found else 0),
            np.array([json.loads(r.returns) for r in found], np.float64).reshape(len(found), -1 if found else 0),
            np.array([r.culprit for r in found], np.int32),
            {r.number: r.reason for r in found if r.culprit >= 0},
            float(seconds),
        )

    def runs(self) -> list[dict[str, Any]]:
        """Every run with its number of matches."""
        count = sql.select(sql.func.count()).where(_matches.c.run == _runs.c.run).scalar_subquery().label("games")
        with self.engine.connect() as db:
            found = db.execute(sql.select(_runs, count).order_by(_runs.c.game)).mappings().all()
        return [{**row, "players": json.loads(row["players"])} for row in found]

    def match(self, run: str, number: int) -> Match:
        """One stored match, ready to replay."""
        joined = _matches.join(_runs, _runs.c.run == _matches.c.run).join(_boards, _boards.c.hash == _matches.c.board)
        columns = (_matches, _runs.c.game, _runs.c.players, _runs.c.seed, _boards.c.source)
        query = sql.select(*columns).select_from(joined).where(_matches.c.run == run, _matches.c.number == number)
        with self.engine.connect() as db:
            row = db.execute(query).mappings().first()
        if row is None:
            raise BadInput(f"the store has no match {number} of run {run}; see the runs it has")
        if row["actions"] is None:
            raise BadInput(f"match {number} was kept as a seed only; play it again with --keep all")
        names = [json.loads(row["players"])[p] for p in json.loads(row["seats"])]
        returns = json.loads(row["returns"])
        result = Result(number, unpack(row["actions"]), returns, row["culprit"], row["reason"], row["seconds"])
        return finished(load(row["game"]), json.loads(row["source"]), names, int(row["seed"]), result)


@lru_cache(10_000)
def _listed(numbers: tuple[float, ...]) -> str:
    """Numbers as JSON; the same few come again and again."""
    return json.dumps(numbers)


def _code(each: Player) -> str:
    return each.digest() if isinstance(each, CompiledPlayer) else digest(type(each).act)


def _wait_for_locks(connection: Any, _: Any) -> None:
    connection.execute("PRAGMA busy_timeout = 30000")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last batch, never the file
