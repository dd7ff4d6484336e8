"""Players who move for people on the server: for one unit, for one move, or until the person takes the seat back."""

import asyncio

import pytest

from turnsmith.common.errors import BadInput
from turnsmith.play.seat import Seat
from turnsmith.search.random import Random
from turnsmith.web.api.routes import shown
from turnsmith.web.host import Host
from turnsmith.web.match import live_match
from turnsmith.web.server.bounds import Refused

GAME = "homeguard:size=7"


def hosted(tmp_path, play):
    """Run a coroutine function with a host."""

    async def run():
        host = Host(f"sqlite:///{tmp_path}/store.db", 1.0)
        try:
            await play(host)
        finally:
            host.close()

    asyncio.run(run())


def keys_of(match):
    return [seat.key for seat in match.seats if seat.key]


def test_a_player_goes_on_with_a_move_that_is_begun(tmp_path):
    """Own players choose among the moves that begin so, searches for the next unit; nonsense is refused."""

    async def play(host):
        match = await host.create("me", GAME, ["person", "greedy"], seed=2)
        keys = keys_of(match)
        for who in ("greedy", "maximin", "random", "mcts:simulations=50"):
            for begun in ("1stay", "1b2", "1stay 2stay"):
                found = await host.hint("me", match, keys, who, begun)
                assert f"{found.words} ".startswith(f"{begun} ")
                assert match.words()[match.position.actions.tolist().index(found.action)] == found.words
        free = await host.hint("me", match, keys, "greedy")
        same = await host.hint("me", match, keys, "greedy", free.words.split()[0])
        assert free.words == same.words
        with pytest.raises(BadInput, match="no move begins with '1c7'"):
            await host.hint("me", match, keys, "greedy", "1c7")

    hosted(tmp_path, play)


def test_a_player_that_would_not_go_on_says_so(tmp_path):
    """A player that only knows whole moves, and thinks of others, is not bent to what was chosen."""

    async def play(host):
        match = await host.create("me", "pacman:map=tiny", ["person", "random"], seed=3)
        own = (await host.hint("me", match, keys_of(match), "negamax:depth=1")).words.split()[0]
        other = next(word for word in match.words() if word.split()[0] != own).split()[0]
        with pytest.raises(BadInput, match=f"would have begun otherwise, with {own}"):
            await host.hint("me", match, keys_of(match), "negamax:depth=1", other)

    hosted(tmp_path, play)


def test_a_seat_is_handed_over_and_taken_back(tmp_path, monkeypatch):
    """The player moves on and on; then the person again, whose words were refused meanwhile, and who may take back."""
    monkeypatch.setattr(live_match, "HANDED_PACE", 30.0)  # so that it is not over before anybody looks

    async def play(host):
        match = await host.create("me", GAME, ["person", "greedy"], seed=2)
        keys = keys_of(match)
        await host.hand_over("me", match, keys, "maximin")
        await asyncio.sleep(0)
        assert shown(match, keys)["seats"][0]["decides"] == "maximin"
        assert match.seats[0].is_person
        with pytest.raises(Refused, match="it is not your turn"):
            await host.move("me", match, keys, "1stay 2stay")
        while not match.position.history:
            await asyncio.sleep(0.01)
        await host.hand_over("me", match, keys, "")
        assert match.decider(0) == live_match.PERSON
        await host.undo("me", match, keys)
        assert len(match.position.history) == 0
        await host.move("me", match, keys, "1stay 2stay")
        assert match.log.lines[0].truth == "1stay 2stay"

    hosted(tmp_path, play)


def test_a_seat_that_was_taken_back_is_not_played_on(tmp_path):
    """A player whose turn comes too late does nothing; the person does not lose by it."""

    async def play(host):
        match = await host.create("me", GAME, ["person", "greedy"], seed=2)
        match.play_on(1.0)
        assert not match.over
        assert len(match.position.history) == 0

    hosted(tmp_path, play)


def test_a_player_is_asked_once_at_a_time(tmp_path, monkeypatch):
    """While a thread has asked the player at hand nobody asks it again, or does anything else but wait."""
    asked = []

    async def play(host):
        match = await host.create("me", "connect_four", ["person", "random"], seed=2)
        monkeypatch.setattr(host, "_stretch", lambda match: asked.append(match) or type(host)._stretch(host, match))
        match.push("d")
        match.thinking = 1, Seat(Random(), match.game, match.position.boards)
        host.drive(match)
        await asyncio.sleep(0.3)
        match.play_on(1.0)
        assert not asked
        assert len(match.position.history) == 1
        match.thinking = None
        match.changes.tell()
        await host.settled(match, 20.0)
        assert len(asked) == 1
        assert len(match.position.history) == 2

    hosted(tmp_path, play)


def test_a_game_that_was_handed_over_is_played_to_its_end(tmp_path, monkeypatch):
    """Nobody need press anything more, and the record names a person who played."""
    monkeypatch.setattr(live_match, "HANDED_PACE", 0.001)

    async def play(host):
        match = await host.create("me", GAME, ["person", "greedy"], seed=2)
        await host.hand_over("me", match, keys_of(match), "greedy")
        while not match.over:
            await host.settled(match, 1.0)
        assert match.record().players == ["person", "greedy"]
        with pytest.raises(Refused, match="over"):
            await host.hand_over("me", match, keys_of(match), "greedy")

    hosted(tmp_path, play)


def test_handing_over_is_as_fair_as_hints(tmp_path):
    """Not against other people unless they agreed; not to a player that cannot play there, nor by who only looks on."""

    async def play(host):
        match = await host.create("me", GAME, ["person", "person"], seed=2)
        with pytest.raises(Refused, match="another person plays"):
            await host.hand_over("me", match, keys_of(match)[:1], "greedy")
        agreed = await host.create("me", GAME, ["person", "person"], hints=True)
        await host.hand_over("me", agreed, keys_of(agreed)[:1], "greedy")
        assert agreed.stand_ins == {0: "greedy"}
        split = await host.create("me", f"{GAME},moves=unit", ["person", "random"])
        with pytest.raises(BadInput, match="both soldiers at once"):
            await host.hand_over("me", split, keys_of(split), "greedy")
        with pytest.raises(Refused, match="no seat"):
            await host.hand_over("me", split, [], "random")
        entered = await host.create("me", "mastermind", ["person"], by_hand=True)
        with pytest.raises(Refused, match="by hand"):
            await host.hand_over("me", entered, keys_of(entered), "random")

    hosted(tmp_path, play)


def test_a_player_that_fails_gives_the_seat_back(tmp_path, monkeypatch):
    """What a stand-in does wrong costs the person nothing but its help."""

    def prepare(self, game, boards):
        raise RuntimeError("broken")

    async def play(host):
        match = await host.create("me", GAME, ["person", "greedy"], seed=2)
        monkeypatch.setattr(Random, "prepare", prepare)
        await host.hand_over("me", match, keys_of(match), "random")
        await host.settled(match, 20.0)
        assert not match.over
        assert match.may_move(keys_of(match))
        assert "broken" in str(match.notice)

    hosted(tmp_path, play)
