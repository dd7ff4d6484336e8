"""The store: matches as compressed integers, a batch a row, in any database SQLAlchemy knows.

A run is named by a digest of its plan, code included, so the same command resumes its own run and no other.
Batches are written in one transaction each: a killed run loses at most the batch it was playing. Every match is stored
once, whoever else plays the same run at the same time. Every row has a digest of all it says, checked when it is read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
import sqlalchemy as sql
import zstandard

from turnsmith.arena.different import FIRST
from turnsmith.arena.match import Match, MatchResult, finished
from turnsmith.arena.runners import ArenaPlan, MatchBatch
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import lasting
from turnsmith.contract.loading import load
from turnsmith.languages import _

Keep = Literal["all", "none"]
Row = Mapping[Any, Any]
"""Columns by name."""

_tables = sql.MetaData()
_runs = sql.Table(
    "runs",
    _tables,
    sql.Column("run", sql.String(32), primary_key=True),
    sql.Column("game", sql.Text, nullable=False),
    sql.Column("players", sql.Text, nullable=False),
    sql.Column("seed", sql.Text, nullable=False),
    sql.Column("seconds", sql.Float, nullable=False),  # of batches that do not say their own, in older stores
    sql.Column("digest", sql.String(32)),
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
    sql.Column("seconds", sql.Double),
    sql.Column("digest", sql.String(32)),
)
"""`matches` are records (see `_record`), `boards` a JSON list of sources, `reasons` why who forfeited by number, and
`actions` those of all matches one after another; all but the reasons compressed. Older stores have neither seconds nor
digests, and get those columns when they are opened."""
_NEWER = {"seconds", "digest"}


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
    numbers: list[int] = np.frombuffer(_opened(raw[1:]), f"<u{raw[0]}").tolist()
    return numbers


def _pressed(raw: bytes) -> bytes:
    return zstandard.compress(raw, 1)  # eight times as fast as zlib, and hardly larger


MOST_BYTES = 2**28
"""No part of a batch is larger: it holds what is played in a quarter of a second."""


def _opened(pressed: bytes) -> bytes:
    if pressed[:1] == b"x":  # as zlib begins, which older stores used
        inflate = zlib.decompressobj()
        raw = inflate.decompress(pressed, MOST_BYTES)
        if not inflate.eof:
            raise ValueError("truncated, or too large")
        return raw
    if (
        zstandard.get_frame_parameters(pressed).content_size > MOST_BYTES
    ):  # a size that is not told counts as the greatest
        raise ValueError("too large")
    return zstandard.decompress(pressed)


def table_of(name: str, *columns: sql.Column[Any]) -> sql.Table:
    """A table that another part of the program keeps in a store (``Store.add_table``): its rows have digests."""
    return sql.Table(name, sql.MetaData(), *columns, sql.Column("digest", sql.String(32)))


def row_digest(row: Row) -> str:
    """Of all that a row says, but for its number."""
    hasher = hashlib.blake2b(digest_size=16)
    for name in sorted(row.keys() - {"batch", "digest"}):
        value = row[name]
        raw = value if isinstance(value, bytes) else str(value).encode(errors="surrogateescape")
        hasher.update(f"{name} {type(value).__name__} {len(raw)} ".encode() + raw)
    return hasher.hexdigest()


@dataclass(frozen=True)
class Stored:
    """What a run has so far."""

    numbers: Array
    seating: Array
    returns: Array
    culprits: Array
    reasons: dict[int, str]
    seconds: float
    keys: dict[int, bytes]
    """What tells the first games apart, where their moves were kept."""


def url_of(text: str) -> str:
    """The address of a store: as it was given, or that of a file.

    >>> url_of("results.db"), url_of("postgresql://me@db/games")
    ('sqlite:///results.db', 'postgresql+psycopg://me@db/games')
    """
    if "://" not in text:
        names_file = os.sep in text or text.endswith((".db", ".sqlite", ".sqlite3"))
        return f"sqlite:///{text}" if names_file else text
    kind, rest = text.split("://", 1)
    return f"postgresql+psycopg://{rest}" if kind in ("postgresql", "postgres") else text  # the driver of our extra


class StoredBatch(NamedTuple):
    """A row of the store: some matches of a run."""

    matches: Array
    """Records, see `_record`."""
    reasons: dict[int, str]
    seconds: float
    keys: dict[int, bytes]
    """What tells the first games apart, where their moves were kept."""


TELL_SECONDS, LOCKED_SECONDS = 30.0, 600.0
"""How often it is said that the store is locked, and how long one waits for it."""
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_RECOVERY, sqlite3.SQLITE_LOCKED}


def _patiently(patience: float | None, do: Callable[..., Any], *given: Any) -> Any:
    """Do it as soon as nobody else has locked the file; who waits is told so, and not for ever."""
    begun, patience = time.monotonic(), LOCKED_SECONDS if patience is None else patience
    while True:
        tried = time.monotonic()
        try:
            return do(*given)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode not in _BUSY or time.monotonic() - begun >= patience:
                raise
        print("the store is locked by another program; waiting", file=sys.stderr, flush=True)
        time.sleep(max(0.0, tried + TELL_SECONDS - time.monotonic()))  # SQLite itself waits, unless it is no use


class _Cursor(sqlite3.Cursor):
    connection: _Connection

    def execute(self, *given: Any) -> Any:
        return _patiently(self.connection.patience, super().execute, *given)

    def executemany(self, *given: Any) -> Any:
        return _patiently(self.connection.patience, super().executemany, *given)


class _Connection(sqlite3.Connection):
    """A connection to SQLite that waits for others."""

    patience: float | None = None

    def cursor(self, *given: Any) -> Any:
        return super().cursor(*(given or (_Cursor,)))

    def commit(self) -> None:
        _patiently(self.patience, super().commit)


class Store:
    """A database of matches, by its address or the path of a file.

    patience: seconds to wait for a file of SQLite that another program has locked; None for LOCKED_SECONDS.
    """

    def __init__(self, url: str = "sqlite:///turnsmith.db", patience: float | None = None):
        self.url, self.patience = url, patience
        self._stored: dict[str, _Stored] = {}
        try:
            parsed = sql.make_url(url_of(url))
            self.url = parsed.render_as_string() if parsed.password else url  # so that no refusal tells the password
            with warnings.catch_warnings():
                warnings.simplefilter("error", sql.exc.SAWarning)  # which is all it says to an unknown option
                extras: dict[str, Any] = {"client_encoding": "utf8"} if parsed.get_driver_name() == "psycopg" else {}
                if parsed.get_backend_name() == "sqlite":
                    extras = {"factory": type("Patient", (_Connection,), {"patience": patience})}
                self.engine = sql.create_engine(parsed, connect_args=extras)  # else texts of some servers come as bytes
            if self.engine.dialect.name == "sqlite":
                sql.event.listen(self.engine, "connect", _set_up)
            self._make_tables()
        except BadInput:
            raise
        except ModuleNotFoundError as error:
            cure = (
                "pip install 'turnsmith[postgres]'" if error.name == "psycopg" else "install the driver of its database"
            )
            raise BadInput(f"the store '{self.url}' cannot be opened ({error}); {cure}") from None
        except Exception as error:  # every driver has its own
            self._refuse_if_locked(error)
            cause = (str(error) or type(error).__name__).splitlines()[0]
            cure = "write e.g. results.db or postgresql://user@host/database"
            raise BadInput(f"the store '{self.url}' cannot be opened ({cause}); {cure}") from None

    def close(self) -> None:
        self.engine.dispose()

    def _make_tables(self) -> None:
        """What is not there yet is made; what somebody else made for other ends is left alone."""
        is_sqlite = self.engine.dialect.name == "sqlite"
        there = {table: self._columns(table) for table in sql.inspect(self.engine).get_table_names()}
        if is_sqlite and there and not {"runs", "batches"} & there.keys():
            raise BadInput(f"'{self.url}' is a database of something else (with a table '{min(there)}'); name another")
        for table in (table for table in _tables.sorted_tables if table.name in there):
            lacks = [column.name for column in table.columns if column.name not in there[table.name] | _NEWER]
            if lacks:
                raise BadInput(f"'{self.url}' is no store of turnsmith: '{table}' has no '{lacks[0]}'; name another")
        with contextlib.suppress(sql.exc.DBAPIError):  # somebody else makes them at this moment
            _tables.create_all(self.engine)
        self._complete(_tables)
        if is_sqlite:
            with self.engine.connect() as db:
                db.exec_driver_sql("PRAGMA journal_mode = WAL")  # readers and the writer do not wait for each other

    def add_table(self, table: sql.Table) -> None:
        """Make a table that another part of the program keeps here, if it is not there yet."""
        table.metadata.create_all(self.engine)
        self._complete(table.metadata)

    def _complete(self, tables: sql.MetaData) -> None:
        """Add the columns that tables of older stores lack."""
        for table in tables.sorted_tables:
            known = self._columns(table.name)
            for column in (column for column in table.columns if column.name not in known):
                kind = column.type.compile(self.engine.dialect)
                with contextlib.suppress(sql.exc.DBAPIError), self.engine.begin() as db:
                    db.execute(sql.text(f"ALTER TABLE {table.name} ADD COLUMN {column.name} {kind}"))

    def _columns(self, table: str) -> set[str]:
        return {column["name"] for column in sql.inspect(self.engine).get_columns(table)}

    @contextlib.contextmanager
    def _begin(self) -> Iterator[sql.Connection]:
        """A transaction. What the database refuses is told in a sentence."""
        try:
            with self.engine.begin() as db:
                yield db
        except sql.exc.SQLAlchemyError as error:
            self._refuse_if_locked(error)
            cause = str(getattr(error, "orig", None) or error).splitlines()[0]
            raise BadInput(f"the store '{self.url}' failed ({cause}); mend it, or name another") from None

    def _refuse_if_locked(self, error: Exception) -> None:
        """A file that others hold is whole: what is wrong is that they do not let go of it."""
        if getattr(getattr(error, "orig", error), "sqlite_errorcode", None) in _BUSY:
            waited = LOCKED_SECONDS if self.patience is None else self.patience
            raise BadInput(
                f"the store '{self.url}' has been locked by another program for {lasting(waited)}; what it "
                "holds is whole: end that program and give the same command to go on, or name another store"
            ) from None

    @contextlib.contextmanager
    def _reading(self, table: sql.Table, row: Row) -> Iterator[None]:
        """A row is refused by its number if its digest is not that of what it says, or if reading fails."""
        key = next(iter(table.primary_key)).name
        try:
            if row["digest"] not in (None, row_digest(row)):
                raise ValueError("digest")
            yield
        except Exception:  # whatever is in there is not what was written
            raise BadInput(
                f"row {row[key]} of '{table}' in the store '{self.url}' is damaged; put a copy of the store in its "
                f"place, or delete from {table} where {key} = '{row[key]}', and its games are played again"
            ) from None

    def _run(self, db: sql.Connection, run: str) -> dict[str, Any]:
        """What the store has of a run."""
        row = db.execute(sql.select(_runs).where(_runs.c.run == run)).mappings().first()
        if row is None:
            raise BadInput(_("the store has no run '{run}'; see the runs it has").format(run=run[:40]))
        return self._known(row)

    def _known(self, row: Row) -> dict[str, Any]:
        """A row of the runs, checked."""
        with self._reading(_runs, row):
            return {**row, "players": json.loads(row["players"]), "seed": str(int(row["seed"]))}

    def open_run(self, plan: ArenaPlan) -> str:
        """The name of the run that plays this plan, made if it is new."""
        names = [repr(p) for p in plan.players]
        parts = [plan.game.text_name, names, plan.seats, plan.seed, plan.limit, plan.digest()]
        key = json.dumps([*parts, plan.random_moves] if plan.random_moves else parts)
        run = hashlib.sha256(key.encode()).hexdigest()[:32]
        row = {"run": run, "game": plan.game.text_name, "players": json.dumps(names), "seed": str(plan.seed)}
        with self._begin() as db:
            _wait_for_others(db, run)
            if db.execute(sql.select(_runs.c.run).where(_runs.c.run == run)).first() is None:
                new = _runs.insert().values(**row, seconds=0.0, digest=row_digest({**row, "seconds": 0.0}))
                with contextlib.suppress(sql.exc.IntegrityError), db.begin_nested():  # somebody else was faster
                    db.execute(new)
        return run

    def add(self, run: str, plan: ArenaPlan, batch: MatchBatch, seconds: float, keep: Keep = "all") -> None:
        """Write a batch and the time it took, all or nothing; what somebody else stored meanwhile is left out."""
        boards = _pressed(batch.sources().encode())
        with self._begin() as db:
            _wait_for_others(db, run)
            stored = self._stored.setdefault(run, _Stored())
            for other in db.execute(_of(run).where(_batches.c.batch > stored.newest)).mappings():
                with self._reading(_batches, other):
                    stored.add(other["batch"], _matches(other)["number"])
            batch = batch.rows(np.flatnonzero(~stored.has(batch.numbers)))
            if not len(batch.numbers):
                return
            matches = np.zeros(len(batch.numbers), _record(plan.seats))
            matches["number"], matches["board"] = batch.numbers, batch.which
            matches["seats"], matches["returns"] = plan.seating[batch.numbers], batch.returns
            matches["culprit"] = batch.culprits
            if keep == "all":  # times of single matches take as much room as all the rest
                matches["seconds"] = batch.seconds
            matches["plies"] = np.diff(batch.offsets)
            row = {
                "run": run,
                "first": int(batch.numbers.min()),
                "last": int(batch.numbers.max()),
                "games": len(matches),
                "matches": _pressed(matches.tobytes()),
                "boards": boards,
                "reasons": json.dumps(batch.reasons),
                "actions": pack(batch.log) if keep == "all" else None,
                "seconds": float(seconds),
            }
            db.execute(_batches.insert(), {**row, "digest": row_digest(row)})

    def results(self, run: str, games: int = 2**31) -> Stored:
        """All results of a run among its first `games` matches."""
        parts, reasons, seconds, keys = [np.zeros(0, _record(0))], {}, 0.0, dict[int, bytes]()
        for part in self.parts(run):
            parts.append(part.matches)
            keys |= part.keys
            reasons.update(part.reasons)
            seconds += part.seconds
        matches = np.concatenate(parts[1:] or parts)
        _numbers, once = np.unique(matches["number"], return_index=True)  # older stores may have a match twice
        matches = matches[once]
        matches = matches[matches["number"] < games]
        known = {number: reasons.get(number, "") for number in matches["number"][matches["culprit"] >= 0].tolist()}
        return Stored(matches["number"], matches["seats"], matches["returns"], matches["culprit"], known, seconds, keys)

    def parts(self, run: str) -> Iterator[StoredBatch]:
        """The results of a run, row by row, as they were written; a match may be there twice in older stores."""
        with self._begin() as db:
            origin = self._run(db, run)
            before = float(origin["seconds"])
            few = db.execution_options(yield_per=8)  # a row may have megabytes
            for row in few.execute(_of(run)).mappings():
                with self._reading(_batches, row):
                    matches = _matches(row, len(origin["players"]))
                    reasons = _reasons(row)
                    keys = _moves_of(row, matches, reasons).keys if row["actions"] and row["first"] < FIRST else {}
                    part = StoredBatch(matches, reasons, before + (row["seconds"] or 0.0), keys)
                yield part
                before = 0.0

    def runs(self) -> list[dict[str, Any]]:
        """Every run with its number of matches."""
        mine = _batches.c.run == _runs.c.run
        games = sql.select(sql.func.coalesce(sql.func.sum(_batches.c.games), 0)).where(mine).scalar_subquery()
        took = sql.select(sql.func.coalesce(sql.func.sum(_batches.c.seconds), 0.0)).where(mine).scalar_subquery()
        with self._begin() as db:
            rows = db.execute(sql.select(_runs).order_by(_runs.c.game)).mappings().all()
            sums = db.execute(sql.select(_runs.c.run, games, took)).all()
        counted = {run: {"games": games, "took": took} for run, games, took in sums}
        described = []
        for row in map(self._known, rows):
            del row["digest"]
            took = row["seconds"] + counted[row["run"]].pop("took")
            described.append({**row, **counted[row["run"]], "seconds": took})
        return described

    def batches(self, run: str) -> Iterator[tuple[Array, MatchBatch]]:
        """Every batch of a run whose moves were kept, and who sat where: int32[matches, seats], places in the list of
        players. What the moves do on their boards is for the reader to check."""
        with self._begin() as db:
            players = len(self._run(db, run)["players"])
            rows = db.execute(_of(run).where(_batches.c.actions.is_not(None))).mappings().all()
        for row in rows:
            with self._reading(_batches, row):
                matches = _matches(row, players)
                batch = _moves_of(row, matches, _reasons(row))
            yield matches["seats"], batch

    def match(self, run: str, number: int) -> Match:
        """One stored match, ready to replay."""
        here = (_batches.c.first <= number, _batches.c.last >= number)
        with self._begin() as db:
            origin = self._run(db, run)
            candidates = db.execute(_of(run).where(*here)).mappings().all()
        for row in candidates:
            with self._reading(_batches, row):
                matches = _matches(row, len(origin["players"]))
                places = np.flatnonzero(matches["number"] == number).tolist()
                source, result = _result(row, matches, places[0]) if places and row["actions"] else (None, None)
            if not places:
                continue
            if result is None:
                raise BadInput(f"match {number} was kept as a seed only; play it again with --keep all")
            names = [origin["players"][p] for p in matches[places[0]]["seats"]]
            return finished(load(origin["game"]), source, names, int(origin["seed"]), result)
        raise BadInput(f"the store has no match {number} of run {run}; see the runs it has")


class _Stored:
    """Which matches of a run are stored, as far as was looked."""

    def __init__(self) -> None:
        self.newest = 0
        self._is_there = np.zeros(1024, np.bool_)

    def add(self, row: int, numbers: Array) -> None:
        most = int(numbers.max())
        if most >= len(self._is_there):
            self._is_there = np.concatenate([self._is_there, np.zeros(most + 1, np.bool_)])
        self._is_there[numbers] = True
        self.newest = row

    def has(self, numbers: Array) -> Array:
        return (numbers < len(self._is_there)) & self._is_there[np.minimum(numbers, len(self._is_there) - 1)]


def _wait_for_others(db: sql.Connection, run: str) -> None:
    """Take the right to write: whoever plays the same run waits here, and then sees what was written before."""
    db.execute(_runs.update().where(_runs.c.run == run).values(run=run))


def _of(run: str) -> sql.Select[Any]:
    return sql.select(_batches).where(_batches.c.run == run).order_by(_batches.c.batch)


def _result(row: Row, matches: Array, place: int) -> tuple[Any, MatchResult]:
    """The source of the board and the result of one match of a batch."""
    begin, match = int(matches["plies"][:place].sum()), matches[place]
    actions = unpack(row["actions"])[begin : begin + int(match["plies"])]
    number, culprit = int(match["number"]), int(match["culprit"])
    reason = str(json.loads(row["reasons"]).get(str(number), ""))
    result = MatchResult(number, actions, match["returns"].tolist(), culprit, reason, float(match["seconds"]))
    return json.loads(_opened(row["boards"]))[match["board"]], result


def _reasons(row: Row) -> dict[int, str]:
    return {int(number): str(why) for number, why in json.loads(row["reasons"]).items()}


def _moves_of(row: Row, matches: Array, reasons: dict[int, str]) -> MatchBatch:
    """A batch whose moves were kept."""
    log = np.array(unpack(row["actions"]), np.int32)
    offsets = np.concatenate([[0], np.cumsum(matches["plies"])]).astype(np.int64)
    if offsets[-1] != len(log) or (np.diff(offsets) < 0).any() or (matches["board"] < 0).any():
        raise ValueError("moves of other matches")
    sources = _opened(row["boards"]).decode()
    names = ("number", "board", "returns", "culprit", "seconds")
    numbers, which, returns, culprits, seconds = (np.ascontiguousarray(matches[name]) for name in names)
    return MatchBatch(numbers, partial(str, sources), which, returns, culprits, reasons, log, offsets, seconds)


def _matches(row: Row, players: int = 2**31) -> Array:
    """The stored records of a batch; how many seats they have follows from their size."""
    data = _opened(row["matches"])
    plain, seat = _record(0).itemsize, _record(1).itemsize - _record(0).itemsize
    matches = np.frombuffer(data, _record((len(data) // row["games"] - plain) // seat))
    numbers, seats = matches["number"], matches["seats"]
    if (
        len(matches) != row["games"]
        or numbers.min() != row["first"]
        or numbers.max() != row["last"]
        or row["first"] < 0
    ):
        raise ValueError("other matches than the row says")
    if not (seats >= 0).all() or not (seats < players).all() or not (matches["culprit"] < seats.shape[1]).all():
        raise ValueError("players or seats that are not there")
    return matches


def _set_up(connection: Any, _record: Any) -> None:
    connection.text_factory = lambda raw: raw.decode(errors="surrogateescape")  # its digest tells that it is damaged
    longest = TELL_SECONDS if connection.patience is None else min(TELL_SECONDS, connection.patience)
    connection.execute(f"PRAGMA busy_timeout = {round(1000 * longest)}")
    connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last batch, never the file
