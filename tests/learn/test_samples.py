"""Positions to learn from: replayed from matches as they are played, or from the store."""

import numpy as np
import pytest
import sqlalchemy as sql

import turnsmith as ts
from turnsmith.arena import runners
from turnsmith.arena import store as stores
from turnsmith.arena.runners import ArenaPlan
from turnsmith.arena.schedule import seatings
from turnsmith.compile.kernel import interpreted
from turnsmith.compile.rng import below
from turnsmith.learn import samples
from turnsmith.learn.samples import described, every_decision, joined, observed, sample, sample_stored
from turnsmith.play.observe import observer
from turnsmith.play.position import Position

GAMES = 60


def now_and_then(board, state, mover, action, ply, rng):
    """One position in three, by chance."""
    return below(rng, 3) == 0


def whose(board, state, mover, out):
    out[0] = mover
    out[1] = state.scores[mover]


@pytest.fixture(scope="module")
def plan():
    """Pig, where chance moves and a turn has many decisions, with two players at tables of three."""
    game = ts.load("pig:players=3,target=20")
    return ArenaPlan(game, [ts.player("random"), ts.player("random")], seatings(2, 3, GAMES, 4), 4)


@pytest.fixture(scope="module")
def taken(plan):
    return sample(plan, np.arange(GAMES), now_and_then, seed=7)


def same(one, other):
    columns = [name for name in vars(one) if name != "game"]
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in columns)


def test_rows_are_positions_of_the_matches(plan, taken):
    """Each row is what a match came through before its mover's action, with the match's end beside it."""
    assert 100 < len(taken) < 2000
    for batch in samples.run(plan, np.arange(6)):
        for index, number in enumerate(batch.numbers):
            position = Position(plan.game, 0, plan.game.board(), draws_chance=False)
            rows = np.flatnonzero(taken.match == number)
            log = batch.log[batch.offsets[index] : batch.offsets[index + 1]]
            for ply, action in enumerate(log.tolist()):
                row = rows[taken.ply[rows] == ply]
                if len(row):
                    assert taken.states[row[0]].tobytes() == position.state.tobytes()
                    assert (taken.mover[row[0]], taken.action[row[0]]) == (position.mover, action)
                position.push(action)
            assert (taken.length[rows] == len(log)).all()
            assert (taken.returns[rows] == batch.returns[index]).all()
            assert (taken.start[rows] == number // 3).all()
    assert set(taken.quarter) == {0, 1, 2, 3}


def test_batches_do_not_matter(plan, taken, monkeypatch):
    """Other batches, more threads, little room and interpreted rules give the same rows."""
    monkeypatch.setattr(samples, "FIRST_ROWS", 3)
    assert same(sample(plan, np.arange(GAMES), now_and_then, seed=7, workers=2), taken)
    parts = [sample(plan, np.arange(a, a + 20), now_and_then, seed=7) for a in (0, 20, 40)]
    assert same(joined(parts), taken)
    monkeypatch.setattr(samples, "compiled", interpreted)
    few = sample(plan, np.arange(4), now_and_then, seed=7)
    assert same(few, taken.of(taken.match < 4))
    assert not same(sample(plan, np.arange(4), now_and_then, seed=8), few)


def test_only_the_players_asked_for_teach(plan):
    """Positions of one player are those in which it decides, wherever it sits."""
    rows = sample(plan, np.arange(12), every_decision, who=[1])
    assert set(plan.seating[rows.match, rows.mover]) == {1}
    assert len(rows) < len(sample(plan, np.arange(12), every_decision))


def test_whoever_forfeits_is_no_teacher(plan, monkeypatch):
    """A player that makes an illegal move is named, and nothing is learned."""

    def forfeited(*_):
        batch = runners.play_compiled(plan, np.arange(3))
        batch.culprits[1], batch.reasons[1] = 2, "made an illegal move"
        yield batch

    monkeypatch.setattr(samples, "run", forfeited)
    with pytest.raises(ts.BadInput, match="random made an illegal move; learn from another player"):
        sample(plan, np.arange(3), every_decision)


def test_positions_are_described_and_observed(plan, taken):
    """A compiled function of one's own and an observer see every row from its mover's side."""
    seen = described(taken, whose, 2)
    assert np.array_equal(seen[:, 0], taken.mover)
    assert np.array_equal(seen[:, 1], taken.states["scores"][np.arange(len(taken)), taken.mover])
    eyes = observer(plan.game, taken.boards)
    rows = observed(taken, eyes)
    for row in range(0, len(taken), 50):
        expected = eyes.see(taken.boards, taken.states[row : row + 1], int(taken.mover[row]))
        assert np.array_equal(rows[row], expected)


def test_the_store_gives_the_same_rows(plan, taken, tmp_path):
    """Matches kept in a store are replayed to the very rows they gave when they were played."""
    store = stores.Store(f"sqlite:///{tmp_path}/kept.db")
    name = store.open_run(plan)
    for batch in samples.run(plan, np.arange(GAMES)):
        store.add(name, plan, batch, 1.0)
    assert same(sample_stored(store, name, now_and_then, seed=7), taken)
    with pytest.raises(ts.BadInput, match="no run 'nosuch'"):
        sample_stored(store, "nosuch", every_decision)

    with store.engine.begin() as db:  # somebody who knows how rows are written puts in other moves
        row = dict(db.execute(sql.select(stores._batches)).mappings().first())
        row["actions"] = stores.pack(np.full(len(stores.unpack(row["actions"])), 99, np.int32))
        row["digest"] = stores.row_digest(row)
        db.execute(stores._batches.update().where(stores._batches.c.batch == row["batch"]).values(**row))
    with pytest.raises(ts.BadInput, match=r"moves that pig:.* does not allow there"):
        sample_stored(store, name, every_decision)
    store.close()


def test_seeds_alone_teach_nothing(plan, tmp_path):
    """A run stored without its moves is refused with the cure."""
    store = stores.Store(f"sqlite:///{tmp_path}/seeds.db")
    name = store.open_run(plan)
    for batch in samples.run(plan, np.arange(3)):
        store.add(name, plan, batch, 1.0, keep="none")
    with pytest.raises(ts.BadInput, match="--keep all"):
        sample_stored(store, name, every_decision)
    store.close()
