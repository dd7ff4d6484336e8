"""The store: nothing lost, nothing twice, everything replayable."""

import contextlib
import json
import signal
import sqlite3
import subprocess
import sys
import time
import zlib

import numpy as np
import pytest
import sqlalchemy as sql
import zstandard

import turnsmith as ts
from turnsmith.arena import store as store_module
from turnsmith.arena.runners import ArenaPlan
from turnsmith.arena.schedule import seatings
from turnsmith.arena.store import Store, pack, unpack, url_of
from turnsmith.arena.tournament import follow


def test_actions_survive_packing():
    """Compressed actions come back as they were."""
    actions = np.array([0, 5, 1295, 2**31 - 1], np.int32)
    assert unpack(pack(actions)) == actions.tolist()


@pytest.mark.parametrize("how", ["as now", "as before"])
def test_a_stored_match_replays(url, monkeypatch, how):
    """Every stored match, replayed from its integers, ends with the returns it had; so do those pressed with zlib."""
    if how == "as before":
        monkeypatch.setattr(sys.modules["turnsmith.arena.store"], "_pressed", zlib.compress)
    table = ts.arena("pig:target=20", ["random", "random"], games=6, store=url)
    store = Store(url)
    (run,) = store.runs()
    assert run["games"] == 6
    for number in range(6):
        match = store.match(run["run"], number)
        final = list(match.positions())[-1]
        assert list(final.outcome.returns) == match.returns == table.returns[number].tolist()
        assert match.ending == final.outcome.ending
    store.close()


def test_more_games_continue_a_run(url):
    """Asking for more games plays only the new ones; asking again plays none."""
    first = ts.arena("connect_four", ["random", "random"], games=10, store=url)
    more = ts.arena("connect_four", ["random", "random"], games=30, store=url)
    again = ts.arena("connect_four", ["random", "random"], games=30, store=url)
    fresh = ts.arena("connect_four", ["random", "random"], games=30)
    assert np.array_equal(first.returns, fresh.returns[:10])
    assert np.array_equal(more.returns, fresh.returns)
    assert np.array_equal(again.returns, fresh.returns)
    assert again.seconds == pytest.approx(more.seconds)
    assert count(url) == 30


def test_a_run_played_by_two_at_once_counts_once(url):
    """A batch that is stored twice gives the results once, and its matches still replay."""
    fresh = ts.arena("pig:target=20", ["random", "random"], games=8, store=url)
    columns = "run, first, last, games, matches, boards, reasons, actions"
    run_sql(url, f"insert into batches ({columns}) select {columns} from batches")
    with contextlib.closing(Store(url)) as store:
        (run,) = store.runs()
        assert np.array_equal(store.results(run["run"]).returns, fresh.returns)
        assert np.array_equal(store.results(run["run"], 5).numbers, np.arange(5))
        assert store.match(run["run"], 7).returns == fresh.returns[7].tolist()


def test_two_who_play_the_same_run_at_once_store_every_match_once(url):
    """However their batches overlap, no match is stored twice, and the listed number of games is the true one."""
    game = ts.load("pig:target=20")
    players = [ts.player("random", game)] * 2
    plan = ArenaPlan(game, players, seatings(2, 2, 120, 0), 0)
    fresh = ts.arena(game, players, games=120)
    with contextlib.closing(Store(url)) as one, contextlib.closing(Store(url)) as other:
        both = [follow(plan, 120, store=one), follow(plan, 120, store=other)]
        tables = {}
        while both:
            for turn in list(both):
                try:
                    tables[turn] = next(turn)
                except StopIteration:
                    both.remove(turn)
        (run,) = one.runs()
        assert run["games"] == count(url) == 120
        assert np.array_equal(one.results(run["run"]).returns, fresh.returns)
        assert all(np.array_equal(table.returns, fresh.returns) for _, table in tables.values())
        matches = [one.match(run["run"], number) for number in range(120)]
        assert [match.returns for match in matches] == fresh.returns.tolist()
        assert all(list(match.positions())[-1].outcome for match in matches[::20])


def as_before(url):
    """Make a store what it was before its rows had digests."""
    run_sql(url, "update runs set seconds = (select sum(seconds) from batches)")
    for table, column in (("runs", "digest"), ("batches", "digest"), ("batches", "seconds")):
        run_sql(url, f"alter table {table} drop column {column}")


def test_stores_without_digests_are_read_and_go_on(url):
    """An older store keeps its results, and gets digests for what is added."""
    first = ts.arena("connect_four", ["random", "random"], games=10, store=url)
    as_before(url)
    again = ts.arena("connect_four", ["random", "random"], games=10, store=url)
    assert np.array_equal(again.returns, first.returns)
    assert again.seconds == pytest.approx(first.seconds)
    more = ts.arena("connect_four", ["random", "random"], games=30, store=url)
    assert np.array_equal(more.returns, ts.arena("connect_four", ["random", "random"], games=30).returns)
    digests = [row[0] for row in run_sql(url, "select digest from batches order by batch")]
    assert digests[0] is None
    assert all(digests[-1:])


def everything(store):
    """All that can be read from a store of one run of 20 games."""
    (run,) = store.runs()
    found = store.results(run["run"])
    matches = [store.match(run["run"], number) for number in range(20)]
    return run["seed"], run["players"], found.returns.tolist(), found.seating.tolist(), found.seconds, matches


def flipped(value, random):
    """The value with one bit turned, such that a database still takes it."""
    while True:
        raw = bytearray(np.float64(value).tobytes() if isinstance(value, float) else as_bytes(value))
        raw[random.integers(len(raw))] ^= 1 << int(random.integers(8))
        if isinstance(value, bytes):
            return bytes(raw)
        other = np.frombuffer(raw)[0].item() if isinstance(value, float) else raw.decode(errors="replace")
        if other != value and "\0" not in str(other):
            return other


def as_bytes(value):
    return value if isinstance(value, bytes) else value.encode()


def test_a_flipped_bit_in_any_column_is_told_with_its_row(url):
    """Whatever bit of a row flips, reading refuses in one line that names the row; nothing changes silently."""
    random = np.random.default_rng(5)
    ts.arena("pig:target=20", ["random", "random"], games=20, store=url)
    store = Store(url)
    true = everything(store)
    rows = [row[0] for row in run_sql(url, "select batch from batches order by batch")]
    columns = [("batches", c) for c in ("matches", "boards", "actions", "reasons", "digest", "seconds")]
    columns += [("runs", c) for c in ("players", "game", "seed", "digest")]
    for table, column in columns * 12:
        where = f"where batch = {random.choice(rows)}" if table == "batches" else ""
        ((before,),) = run_sql(url, f"select {column} from {table} {where}")
        before = bytes(before) if isinstance(before, memoryview) else before
        run_sql(url, f"update {table} set {column} = :value {where}", value=flipped(before, random))
        with pytest.raises(ts.BadInput, match=f"row .* of '{table}' .* is damaged; put a copy"):
            everything(store)
        run_sql(url, f"update {table} set {column} = :value {where}", value=before)
    assert everything(store) == true
    store.close()


def test_a_flipped_bit_anywhere_in_the_file_changes_no_result(tmp_path):
    """An arena on a damaged file gives the true table or refuses in one line."""
    url = f"sqlite:///{tmp_path}/s.db"
    true = ts.arena("pig:target=20", ["random", "random"], games=20, store=url)
    whole, random = (tmp_path / "s.db").read_bytes(), np.random.default_rng(6)
    for _ in range(150):
        raw = bytearray(whole)
        raw[random.integers(len(raw))] ^= 1 << int(random.integers(8))
        for rest in tmp_path.iterdir():
            rest.unlink()
        (tmp_path / "s.db").write_bytes(raw)
        with contextlib.suppress(ts.BadInput):
            found = ts.arena("pig:target=20", ["random", "random"], games=20, store=url)
            assert np.array_equal(found.returns, true.returns)


def test_a_small_row_cannot_fill_the_memory(url, monkeypatch):
    """What would be unpacked to more than any batch holds is refused as damaged, pressed either way."""
    monkeypatch.setattr(sys.modules["turnsmith.arena.store"], "MOST_BYTES", 2**20 - 1)
    ts.arena("pig:target=20", ["random", "random"], games=2, store=url)
    zeros = bytes(2**20)
    small, large = zlib.compressobj(), zstandard.ZstdCompressor().compressobj(size=2**40)
    bombs = [small.compress(zeros) + small.flush(), large.compress(zeros) + bytes(9)]
    for bomb in bombs:
        run_sql(url, "update batches set matches = :bomb, digest = null", bomb=bomb)
        with contextlib.closing(Store(url)) as store, pytest.raises(ts.BadInput, match="is damaged"):
            store.results(store.runs()[0]["run"])


def test_what_is_no_store_of_ours_is_refused_and_left_alone(tmp_path):
    """Another program's database, other tables of our names, a folder, a file of something else, and no rights."""
    with sqlite3.connect(tmp_path / "notes.db") as db:
        db.execute("create table notes (text)")
    with sqlite3.connect(tmp_path / "jogging.db") as db:
        db.execute("create table runs (run text primary key, miles real)")
    (tmp_path / "text.db").write_text("Dear diary, " * 100)
    (tmp_path / "folder.db").mkdir()
    ts.arena("pig:target=20", ["random", "random"], games=2, store=f"sqlite:///{tmp_path}/ours.db")
    said = {
        "sqlite:///{}/notes.db": "something else .with a table 'notes'",
        "sqlite:///{}/jogging.db": "no store of turnsmith: 'runs' has no 'game'",
        "sqlite:///{}/text.db": "not a database",
        "sqlite:///{}/folder.db": "unable to open",
        "sqlite:///file:{}/ours.db?mode=ro&uri=true": "readonly",
        "sqlite:///{}/new.db?nonsense=1": "nonsense",
        "sqlite://:memory:": "cannot be opened",
    }
    before = {file: file.read_bytes() for file in tmp_path.glob("*.db") if file.is_file()}
    for url, cause in said.items():
        with pytest.raises(ts.BadInput, match=cause) as refusal:
            ts.arena("pig:target=20", ["random", "random"], games=4, store=url.format(tmp_path))
        assert "\n" not in str(refusal.value)
    assert {file: file.read_bytes() for file in tmp_path.glob("*.db") if file.is_file()} == before


def test_keep_none_stores_no_moves(url):
    """With keep=none there are results but no moves, and asking for a replay says so."""
    ts.arena("connect_four", ["random", "random"], games=4, store=url, keep="none")
    store = Store(url)
    with pytest.raises(ts.BadInput, match="keep all"):
        store.match(store.runs()[0]["run"], 0)
    store.close()


def test_a_store_that_cannot_be_opened_is_refused(tmp_path):
    """A folder that is not there, a word that is no address, and a server that does not answer; no password is told."""
    nobody = f"postgresql://me:secret@/games?host={tmp_path}"
    for url in (f"sqlite:///{tmp_path}/no/such/folder.db", "nonsense", nobody):
        with pytest.raises(ts.BadInput, match="cannot be opened") as refusal:
            ts.arena("connect_four", ["random", "random"], games=2, store=url)
        assert "secret" not in str(refusal.value)


def test_a_server_without_an_encoding_is_as_good(postgres):
    """Set up without a locale, PostgreSQL gives its texts no encoding (SQL_ASCII); they are read all the same."""
    admin = sql.create_engine(postgres.format("postgres").replace("://", "+psycopg://"), isolation_level="AUTOCOMMIT")
    with admin.connect() as db:
        db.execute(sql.text("create database plain encoding 'SQL_ASCII' template template0"))
    admin.dispose()
    first, again = (
        ts.arena("pig:target=20", ["random", "random"], games=4, store=postgres.format("plain")) for _ in range(2)
    )
    assert again.seconds == pytest.approx(first.seconds)


def test_a_locked_store_is_waited_for_and_said_to_be_locked(tmp_path, monkeypatch, capsys):
    """Whoever waits is told so; a lock that goes costs nothing, and one that stays is no damage."""
    path, players = tmp_path / "s.db", ["random", "random"]
    free = ts.arena("pig:target=20", players, games=40, seed=3)
    ts.arena("pig:target=20", players, games=10, seed=3, store=str(path))
    monkeypatch.setattr(store_module, "TELL_SECONDS", 0.05)
    monkeypatch.setattr(store_module, "LOCKED_SECONDS", 60.0)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN EXCLUSIVE")
        said = []
        monkeypatch.setattr(store_module, "print", lambda *words, **_: said.append(words) or unlock(), raising=False)

        def unlock():
            if len(said) == 3:
                other.execute("ROLLBACK")

        table = ts.arena("pig:target=20", players, games=40, seed=3, store=str(path))
        assert np.array_equal(table.returns, free.returns)
        assert said == [("the store is locked by another program; waiting",)] * 3
        monkeypatch.undo()
        monkeypatch.setattr(store_module, "TELL_SECONDS", 0.05)
        monkeypatch.setattr(store_module, "LOCKED_SECONDS", 0.1)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ts.BadInput, match=r"has been locked by another program .* is whole: end that program"):
            ts.arena("pig:target=20", players, games=60, seed=3, store=str(path))
        assert "locked by another program; waiting" in capsys.readouterr().err
        other.execute("ROLLBACK")
    assert np.array_equal(ts.arena("pig:target=20", players, games=40, seed=3, store=str(path)).returns, free.returns)


def test_a_file_is_as_good_as_a_url(tmp_path):
    """The path of a file names the same store as its URL."""
    first = ts.arena("pig:target=20", ["random", "random"], games=4, store=str(tmp_path / "s.db"))
    again = ts.arena("pig:target=20", ["random", "random"], games=4, store=f"sqlite:///{tmp_path}/s.db")
    assert again.seconds == pytest.approx(first.seconds)
    assert count(f"sqlite:///{tmp_path}/s.db") == 4


def test_an_arena_killed_three_times_resumes(url):
    """A run ended by SIGKILL goes on where it was: every game once, the same table as without the kills; and where two
    go on with it at once, each has that table."""
    kills, games, arenas = (3, 400, 1) if url.startswith("sqlite") else (1, 120, 2)
    command = [
        *(sys.executable, "-m", "turnsmith", "arena", "connect_four", "--players", "mcts:simulations=1500,random"),
        *("--games", str(games), "--seed", "4", "--workers", "2", "--store", url, "--json"),
    ]
    for _ in range(kills):
        before = count(url)
        victim = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 120
        while count(url) < before + 5 and time.monotonic() < deadline and victim.poll() is None:
            time.sleep(0.02)
        victim.send_signal(signal.SIGKILL)
        assert victim.wait() == -signal.SIGKILL
        assert before < count(url) < games
    going_on = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(arenas)]
    tables = [json.loads(each.communicate()[0]) for each in going_on]
    fresh = ts.arena("connect_four", ["mcts:simulations=1500", "random"], games=games, seed=4, workers=2).to_dict()
    assert count(url) == games
    for table in tables:
        assert table["games"] == games
        assert table["players"] == fresh["players"]


def count(url):
    """Matches in the store so far."""
    try:
        return int(run_sql(url, "select coalesce(sum(games), 0) from batches")[0][0])
    except sql.exc.DBAPIError:
        return 0


def run_sql(url, text, **values):
    """The rows that a statement gives."""
    engine = sql.create_engine(url_of(url))
    try:
        with engine.begin() as db:
            found = db.execute(sql.text(text), values)
            return found.all() if found.returns_rows else []
    finally:
        engine.dispose()
