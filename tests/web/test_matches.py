"""Matches on the server: who may move and see, what may be taken back, and that nothing is lost."""

import asyncio
import contextlib
import gc
import json
import sqlite3
import threading
import time

import pytest
import sqlalchemy as sql

import turnsmith as ts
from turnsmith.arena import store as stores
from turnsmith.arena.match import play
from turnsmith.arena.store import Store
from turnsmith.common.errors import BadInput
from turnsmith.web import host as hosts
from turnsmith.web.api.routes import shown
from turnsmith.web.host import Host
from turnsmith.web.match import live_match
from turnsmith.web.match.live_match import EVERYBODY, LiveMatch, Participant
from turnsmith.web.match.matches import Matches
from turnsmith.web.pages import home
from turnsmith.web.pages.board import next_pieces
from turnsmith.web.server.bounds import NotFound, Refused


@pytest.fixture
def store(tmp_path):
    store = Store(f"sqlite:///{tmp_path}/store.db")
    yield store
    store.close()


@pytest.fixture
def matches(store):
    return Matches(store)


def keys_of(match):
    return [seat.key for seat in match.seats if seat.key]


def test_a_secret_stays_on_the_server(matches):
    """Neither the log, the words, the picture nor the JSON of a running match tell what chance hid; the end does."""
    match = matches.create("mastermind", ["person"], seed=5)
    secret = match.log.lines[0].truth
    seen = json.dumps(shown(match, keys_of(match)))
    assert match.log.read_by(0) == [(-1, "")]
    assert secret not in seen
    assert str(match.seed) not in {str(value) for value in shown(match, keys_of(match)).values()}
    other = matches.create("mastermind", ["person"], seed=6)
    assert other.log.lines[0].truth != secret
    strip = {"match": "", "seats": ""}
    assert {**shown(match, keys_of(match)), **strip} == {**shown(other, keys_of(other)), **strip}
    match.push(secret)
    assert match.over
    assert shown(match, [])["log"][0]["words"] == secret


def test_chance_that_all_see_is_in_the_log(matches):
    """Rolls and dice that change the map are told to every seat."""
    match = matches.create("dicewars:players=2", ["person", "sdc"], seed=3)
    match.push(match.words()[0])
    assert [words for _, words in match.log.read_by(0)][1] in ("won", "lost")


def test_only_those_who_play_may_look_at_secrets(matches):
    """A game that hides something is closed to onlookers until it is over, open where players play among themselves."""
    match = matches.create("mastermind", ["person"], seed=5)
    with pytest.raises(Refused, match="only those who play"):
        match.viewer([])
    with pytest.raises(Refused, match="no seat"):
        match.viewer(["made-up"])
    assert matches.create("mastermind", ["knuth"], seed=5).viewer([]) is None


def test_what_the_rules_never_reveal_stays_hidden(matches):
    """A card folded in Leduc poker is seen by its owner alone, also when it is over, by onlookers by nobody; the file,
    which has it, is only for who holds all people's seats."""
    match = matches.create("leduc", ["person", "person"], seed=3)
    while not match.over:
        match.push("fold" if "fold" in match.words() else "raise")
    first, second = ([seat.key] for seat in match.seats)
    deals = [match.log.lines[deal].truth for deal in (0, 1)]
    for keys, read in ((first, [deals[0], ""]), (second, ["", deals[1]]), ([], ["", ""])):
        told = shown(match, keys)
        assert [line["words"] or "" for line in told["log"][:2]] == read
        assert "actions" not in told
        assert not match.tells_all(keys)
    assert shown(match, first + second)["actions"] == match.position.history
    assert len({match.look(viewer).picture() for viewer in (0, 1, EVERYBODY, None)}) == 4


def test_the_end_says_who_won(matches):
    """Whoever won is told so; where nobody wins, such as in Mastermind, only why it ended."""
    four = matches.create("connect_four", ["person", "person"])
    for move in "abababa":
        four.push(move)
    assert shown(four, [four.seats[0].key])["said"].startswith("You win")
    assert shown(four, [])["said"].startswith("Player 1 wins")
    code = matches.create("mastermind:maker=seat", ["person", "person"], by_hand=True)
    code.push("aabb")
    code.push("4+0")
    found = shown(code, [])
    assert "win" not in found["said"].lower()
    assert found["winners"] == ()


def test_undo_is_fair(matches):
    """Own moves and players' answers are taken back; chance, secrets and other people's moves are not."""
    match = matches.create("connect_four", ["person", "negamax:depth=2"], seed=1)
    mine = keys_of(match)
    assert "no move" in match.unfair(mine)
    match.push("d")
    match.play_on(5)
    assert len(match.position.history) == 2
    match.undo(mine)
    assert match.position.history == []
    assert match.log.lines == []
    assert match.mover == 0

    two = matches.create("connect_four", ["person", "person"])
    two.push("d")
    two.push("c")
    assert "another person" in two.unfair([two.seats[0].key])
    assert two.unfair(keys_of(two)) is None

    pig = matches.create("pig", ["person", "random"], seed=1)
    pig.push("roll")
    assert "chance" in pig.unfair(keys_of(pig))
    secret = matches.create("mastermind", ["person"])
    secret.push("aabb")
    assert "something is hidden" in secret.unfair(keys_of(secret))
    with pytest.raises(Refused, match="something is hidden"):
        secret.undo(keys_of(secret))


def test_a_maker_takes_back_a_wrong_answer(matches):
    """Who answers a player's guesses hides nothing from themselves and may correct an answer, time and again."""
    match = matches.create("mastermind:maker=seat", ["knuth", "person"])
    mine = keys_of(match)
    for answer in ("1+0", "0+1"):
        match.play_on(5)
        match.push(answer)
    match.play_on(5)
    for count in (3, 1):
        match.undo(mine)
        assert (len(match.position.history), match.mover) == (count, 1)


def test_other_people_are_asked_before_a_move_is_taken_back(matches):
    """A move that another person has answered is taken back when they agree; no and a move are a refusal."""
    match = matches.create("mastermind:maker=seat", ["person", "person"])
    breaker, maker = [match.seats[0].key], [match.seats[1].key]
    match.push("aabb")
    match.push("1+1")
    match.push("ccdd")
    assert "another person" in match.unfair(maker)
    match.undo(maker)
    assert match.request.by == 1
    assert len(match.position.history) == 3
    match.decline(breaker)
    assert match.request is None
    match.undo(maker)
    match.push(match.words()[0])
    assert match.request is None
    match.undo(breaker)
    match.undo(maker)
    assert match.mover == 0
    assert len(match.log.lines) == len(match.position.history) == 2


def test_hints_are_for_those_who_agreed(tmp_path):
    """Against another person there are no hints unless the match was set up with them; at one screen there are."""

    async def play():
        host = Host(f"sqlite:///{tmp_path}/store.db", 1.0)
        try:
            plain = await host.create("me", "connect_four", ["person", "person"])
            with pytest.raises(Refused, match="another person plays"):
                await host.hint("me", plain, [plain.seats[0].key], "random")
            assert (await host.hint("me", plain, keys_of(plain), "random")).words in "abcdefg"
            agreed = await host.create("me", "connect_four", ["person", "person"], hints=True)
            assert (await host.hint("me", agreed, [agreed.seats[0].key], "random")).words in "abcdefg"
            assert host.matches.store.take(agreed.name).hints
            assert host.matches.again(agreed).hints
        finally:
            host.close()

    asyncio.run(play())


def test_commitments_are_in_the_log_once_they_are_revealed():
    """A hidden bid is "" to the other seat while the round is open, and its words when the round is over."""
    game = ts.load("goofspiel:cards=3")
    match = LiveMatch("m", game, game.describe(1), 1, [Participant("person", "a"), Participant("person", "b")])
    match.begin()
    before = len(match.log.lines)
    match.push(match.words()[0])
    assert match.log.read_by(0)[before][1] != ""
    assert match.log.read_by(1)[before][1] == ""
    match.push(match.words()[1])
    truth = match.log.read_by(None)[before : before + 2]
    assert match.log.read_by(0)[before : before + 2] == match.log.read_by(1)[before : before + 2] == truth
    match.push(match.words()[0])
    assert [words for _, words in match.log.read_by(1)].count("") == 1


def test_a_real_board_is_entered_by_hand(matches):
    """Guesses and answers are entered and taken back; an answer that cannot be is refused with the reason."""
    match = matches.create("mastermind:maker=seat", ["person", "person"], by_hand=True)
    mine = keys_of(match)
    match.push("aabb")
    match.push("0+0")
    assert "256 codes remain" in match.game.remark(match.position.board, match.look(0).state)
    match.push("abab")
    with pytest.raises(BadInput, match="no code answers 1\\+0"):
        match.push("1+0")
    match.undo(mine)
    assert match.mover == 0
    dice = matches.create("pig", ["person", "person"], by_hand=True)
    dice.push("roll")
    assert dice.mover == -1
    assert dice.may_move(keys_of(dice))
    dice.push(dice.words()[3])
    dice.undo(keys_of(dice))
    assert dice.mover == -1


def test_a_restarted_server_has_the_match(store, matches):
    """Another process finds board, moves, log, keys and clocks as they were."""
    match = matches.create("dicewars:players=2", ["person", "ste"], seed=9, minutes=3)
    match.push("end")
    while match.waits_for_player:
        match.play_on(5)
    matches.keep(match)
    again = Matches(store).get(match.name)
    assert again is not match
    assert again.position.history == match.position.history
    assert again.log.read_by(0) == match.log.read_by(0)
    assert again.look(0).picture() == match.look(0).picture()
    assert again.may_move(keys_of(match))
    assert again.minutes == 3
    with pytest.raises(NotFound, match="no match"):
        matches.get("nothing")


@pytest.mark.parametrize(
    ("column", "spoilt"),
    [
        ("actions", lambda raw: raw[:-3]),
        ("actions", lambda raw: bytes([9]) + raw[1:]),
        ("settings", lambda text: text[:-1]),
        ("settings", lambda text: text.replace('"minutes": 0.0', '"minutes": "0"')),
        ("settings", lambda text: text.replace("}", ', "newer": 1}')),
        ("settings", lambda text: text.replace('"pace": 0.0', '"pace": NaN')),
        ("settings", lambda text: text.replace('"culprit": -1', '"culprit": 9')),
        ("seats", lambda text: text.replace('"who"', '"whom"')),
        ("ending", lambda text: text + "!"),
    ],
)
@pytest.mark.parametrize("keeps_digest", [True, False])
def test_a_damaged_match_is_refused_by_its_name_and_left_out(store, matches, column, spoilt, keeps_digest):
    """A row that is not what was written, with its digest or without one, costs nobody else anything."""
    if column == "ending" and not keeps_digest:
        return  # without a digest nobody can tell
    good, bad = (matches.create("tic_tac_toe", ["random", "random"], seed=seed) for seed in (1, 2))
    for match in (good, bad):
        while not match.over:
            match.play_on(5)
        matches.keep(match)
    row = sql.table("live", *map(sql.column, ("match", column, "digest")))
    mine = row.c.match == bad.name
    with store.engine.begin() as db:
        value = db.execute(sql.select(row.c[column]).where(mine)).scalar()
        changes = {column: spoilt(value)} | ({} if keeps_digest else {"digest": None})
        db.execute(row.update().where(mine).values(changes))
    fresh = Matches(store)
    shown, unreadable = fresh.store.recent(20)
    assert [match["match"] for match in shown] == [good.name]
    assert unreadable == [bad.name]
    assert fresh.get(good.name).over
    with pytest.raises(NotFound, match=f"{bad.name}.*damaged"):
        fresh.get(bad.name)


def test_a_change_that_cannot_be_written_has_not_happened(tmp_path, monkeypatch):
    """A move, a resignation or a move taken back that the store refuses is as if nobody had asked for it."""

    def full(match):
        raise sql.exc.OperationalError("update", {}, OSError("disk full"))

    async def play():
        host = Host(f"sqlite:///{tmp_path}/store.db", 10.0)
        match = await host.create("me", "connect_four", ["person", "random"], seed=3)
        keys = keys_of(match)
        await host.move("me", match, keys, "d")
        await host.settled(match, 20)
        before, lines, clocks = list(match.position.history), match.log.read_by(0), match.seats[0].seconds
        with monkeypatch.context() as patch:
            patch.setattr(host.matches.store, "put", full)
            for change in (
                host.move("me", match, keys, "c"),
                host.undo("me", match, keys),
                host.resign("me", match, keys),
            ):
                with pytest.raises(sql.exc.OperationalError):
                    await change
                assert (match.position.history, match.log.read_by(0)) == (before, lines)
                assert match.seats[0].seconds == clocks
                assert not match.over
                assert match.may_move(keys)
        await host.move("me", match, keys, "c")
        assert match.position.history[: len(before)] == before
        await host.settled(match, 20)
        host.close()

    asyncio.run(play())


def test_a_locked_store_holds_up_nobody_for_long(tmp_path, monkeypatch):
    """A move that cannot be written, as another program holds the store, is given up soon, and made when it can be."""
    monkeypatch.setattr(hosts, "STORE_SECONDS", 0.1)
    monkeypatch.setattr(stores, "TELL_SECONDS", 0.05)

    async def play():
        host = Host(f"sqlite:///{tmp_path}/store.db", 10.0)
        match = await host.create("me", "connect_four", ["person", "person"], seed=3)
        with contextlib.closing(sqlite3.connect(tmp_path / "store.db", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            with pytest.raises(sql.exc.OperationalError, match="locked"):
                await host.move("me", match, keys_of(match), "d")
            assert not match.position.history
        await host.move("me", match, keys_of(match), "d")
        assert len(match.position.history) == 1
        host.close()

    asyncio.run(play())


def test_players_that_nobody_looks_at_wait(tmp_path, monkeypatch):
    """Players among themselves go on while somebody looks, and again when somebody comes back."""
    monkeypatch.setattr(live_match, "DESERTED", 0.0)

    async def play():
        host = Host(f"sqlite:///{tmp_path}/store.db", 10.0)
        match = await host.create("me", "connect_four", ["mcts:simulations=20"] * 2, seed=3, pace=0.001)
        await host.settled(match, 20)
        assert not match.over
        with match.watched():
            host.drive(match)
            while not match.over:
                await host.settled(match, 20)
        host.close()

    asyncio.run(play())


def test_the_store_is_bounded(store, matches, monkeypatch):
    """Finished matches go when they are old or too many, abandoned ones after a year; what is played stays."""
    running = matches.create("connect_four", ["person", "person"])
    finished = [matches.adopt(play("pig", ["random", "random"], seed=seed)) for seed in range(4)]

    def there():
        again = Matches(store)
        return [index for index, match in enumerate(finished) if again.store.take(match.name)]

    assert there() == [0, 1, 2, 3]
    matches.store.tidy(most=2)
    assert there() == [2, 3]
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 100 * 86_400)
    assert there() == []
    assert Matches(store).get(running.name).name == running.name
    monkeypatch.setattr(time, "time", lambda: now + 400 * 86_400)
    with pytest.raises(NotFound):
        Matches(store).get(running.name)
    running.push("d")
    matches.keep(running)
    assert Matches(store).get(running.name).position.history == [3]


def test_matches_in_memory_are_bounded_by_what_they_take(matches, monkeypatch):
    """A few long matches are as many as memory is for; the others are read from the store when they are asked for."""
    monkeypatch.setattr("turnsmith.web.match.matches.MOST_HELD_BYTES", 300_000)
    records = [play("dicewars", ["rand"] * 4, seed=seed) for seed in range(4)]
    names = [matches.adopt(record).name for record in records]
    gc.collect()
    held = [name for name in names if matches.held(name)]
    assert names[-1] in held
    assert len(held) < 4
    assert sum(matches.held(name).weight for name in held[:-1]) < 300_000
    assert matches.get(names[0]).position.history == records[0].actions


def test_a_match_in_use_is_never_read_twice(matches, monkeypatch):
    """However many others are played meanwhile, all who look at a match look at the same one."""
    monkeypatch.setattr("turnsmith.web.match.matches.MOST_HELD", 2)
    match = matches.create("connect_four", ["person", "person"])
    for _ in range(4):
        matches.create("connect_four", ["person", "person"])
    assert matches.get(match.name) is match


def test_an_invitation_is_for_one(matches):
    """The first who takes an invited seat has it; not even who made the match has a key to it."""
    match = matches.create("connect_four", ["person", "person"], invited=[1])
    assert match.seats[1].key == ""
    invitation = match.seats[1].invitation
    key = match.take_seat(invitation)
    assert match.owned([key]) == [1]
    with pytest.raises(Refused, match="has been taken"):
        match.take_seat(invitation)


def test_no_clock_runs_until_all_are_there(matches):
    """While a seat waits for somebody nobody's time runs and nobody forfeits; from then on it does."""
    match = matches.create("connect_four", ["person", "person"], minutes=0.001, invited=[1])
    time.sleep(0.1)
    match.check_clock()
    assert not match.over
    match.push("d")
    time.sleep(0.1)
    match.check_clock()
    assert match.clocks() == [0.0, 0.0]
    assert not match.over
    match.take_seat(match.seats[1].invitation)
    time.sleep(0.1)
    match.check_clock()
    assert match.outcome.ending == "seat 1 ran out of time"


def test_the_clock_ends_a_match(matches):
    """Who has no time left loses, and the reason says so."""
    match = matches.create("connect_four", ["person", "random"], minutes=0.001)
    time.sleep(0.1)
    match.check_clock()
    assert match.over
    assert match.outcome.ending == "seat 0 ran out of time"
    assert match.outcome.winner == 1


def test_a_player_that_fails_loses_its_match_only(matches, monkeypatch):
    """An error inside a player ends this match with a reason; the server goes on."""
    from turnsmith.search.random import Random

    def prepare(self, game, boards):
        raise RuntimeError("broken")

    monkeypatch.setattr(Random, "prepare", prepare)
    match = matches.create("connect_four", ["random", "person"])
    match.play_on(1)
    assert match.over
    assert "broken" in match.outcome.ending


def test_records_are_checked(matches):
    """A recorded match is replayed move by move; a wrong move, a wrong board or an endless one is refused."""
    from dataclasses import replace

    record = play("connect_four", ["random", "random"], seed=3)
    match = matches.adopt(record)
    assert match.over
    assert match.record().actions == record.actions
    assert match.record().returns == record.returns
    with pytest.raises(BadInput, match="move 1"):
        matches.adopt(replace(record, actions=[99]))
    with pytest.raises(BadInput, match="no board of connect_four: width=wide"):
        matches.adopt(replace(record, source={"width": "wide"}))
    with pytest.raises(BadInput, match="there is no game"):
        matches.adopt(replace(record, game="./evil.py"))
    with pytest.raises(BadInput, match="at most"):
        matches.adopt(replace(record, actions=[0] * 100_000))


def test_replaying_is_bounded_by_time(matches, monkeypatch):
    """A record whose moves take too long to make is refused after that time, however many it has."""
    monkeypatch.setattr("turnsmith.web.server.bounds.REPLAY_SECONDS", 0.0)
    with pytest.raises(BadInput, match="give fewer"):
        matches.adopt(play("connect_four", ["random", "random"], seed=3))


def test_size_is_bounded(matches):
    """A game with too many moves to list is refused before anything is listed."""
    with pytest.raises(BadInput, match="moves to list"):
        matches.create("mastermind:colors=12,pegs=6", ["person"])


def test_a_rematch_is_the_same_for_all(matches):
    """Whoever asks first makes it; who asks later joins it; chance is another."""
    match = matches.create("connect_four", ["person", "person"])
    fresh = matches.again(match)
    assert matches.again(match) is fresh
    assert fresh.seed != match.seed
    assert [seat.who for seat in fresh.seats] == ["person", "person"]


def test_pieces_lead_to_moves(matches):
    """Every sequence of clicks that the pieces allow ends in a legal move."""
    match = matches.create("mastermind:colors=3,pegs=2", ["person"])
    words = match.words()
    for first in next_pieces(words, []):
        for second in next_pieces(words, [first]):
            assert f"{first} {second}" in words
    assert set(next_pieces(words, [])) == {"a", "b", "c"}


def test_many_visitors_move_a_live_picture_once_at_a_time(monkeypatch):
    """Threads that all look at home, with no time between moves, see pictures of a game that keeps its rules."""
    monkeypatch.setattr(home, "STEP", 0.0)
    show, wrong = home.Showcase("tactics"), []
    show.look()

    def visit():
        try:
            for _ in range(40):
                assert show.look().startswith("<svg")
        except Exception as error:
            wrong.append(error)

    visitors = [threading.Thread(target=visit) for _ in range(4)]
    for visitor in visitors:
        visitor.start()
    for visitor in visitors:
        visitor.join()
    assert wrong == []
