"""Server-sent events of matches and arenas, arenas over the JSON API, and requests from pages of chosen origins."""

import asyncio
import contextlib
import http.client
import json
from collections import deque

import httpx
import pytest
from browsing import call

from turnsmith.cli.serve import origin_of, serve
from turnsmith.common.errors import BadInput
from turnsmith.web.api.events import Marks, news
from turnsmith.web.api.routes import api
from turnsmith.web.host import Host


@contextlib.contextmanager
def stream(address, path, **headers):
    """Events as they come: (kind, id, data)."""
    line = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
    line.request("GET", path, headers=headers)
    answer = line.getresponse()

    def events():
        found = {}
        for raw in answer:
            text = raw.decode().rstrip("\n")
            if text and not text.startswith(":"):
                key, _, value = text.partition(": ")
                found[key] = value
            elif found:
                yield found["event"], found.get("id", ""), json.loads(found["data"])
                found = {}

    try:
        yield answer, events()
    finally:
        line.close()


def until(events, kind):
    """The events up to the first of a kind."""
    found = []
    for each in events:
        found.append(each)
        if each[0] == kind:
            return found
    raise AssertionError(f"the stream ended without {kind}: {found}")


def test_a_match_is_told_as_it_is_played(address):
    """Every move once, in order, to the end; who comes again with the last id hears the rest, then 204."""
    _, match = call(address, "/api/matches", {"game": "connect_four", "seats": ["person", "person"], "seed": 1})
    place, keys = f"/api/matches/{match['match']}", match["keys"]
    with stream(address, f"{place}/events") as (answer, events):
        assert answer.getheader("Content-Type").startswith("text/event-stream")
        assert until(events, "turn")[-1][2] == {"moves": 0, "mover": 0, "your_turn": False, "over": False}
        assert call(address, place)[1]["watching"] == 1
        call(address, place + "/moves", {"key": keys, "move": "a"})
        kind, mark, data = next(events)
        assert (kind, data) == ("move", {"number": 1, "by": 0, "words": "a"})
    for move in "bababa":
        call(address, place + "/moves", {"key": keys, "move": move})
    with stream(address, f"{place}/events", **{"Last-Event-ID": mark}) as (_, events):
        rest = list(events)  # it closes with the match
    assert [data["words"] for kind, _, data in rest if kind == "move"] == list("bababa")
    assert rest[-1][0] == "end"
    assert rest[-1][2]["winners"] == [0]
    with stream(address, f"{place}/events", **{"Last-Event-ID": rest[-1][1]}) as (answer, _):
        assert answer.status == 204
    with stream(address, f"{place}/events", **{"Last-Event-ID": "3-of another match"}) as (_, events):
        assert next(events)[0::2] == ("undo", {"moves": 0})
        assert len(until(events, "end")) == 7 + 2


def test_a_move_taken_back_is_told(address):
    """After an undo the listener knows how many moves stand."""
    _, match = call(address, "/api/matches", {"game": "connect_four", "seats": ["person", "person"], "seed": 1})
    place, keys = f"/api/matches/{match['match']}", match["keys"]
    call(address, place + "/moves", {"key": keys, "move": "a"})
    with stream(address, f"{place}/events?key={keys[0]}&key={keys[1]}") as (_, events):
        assert until(events, "turn")[-1][2]["your_turn"]
        assert call(address, place)[1]["watching"] == 0
        call(address, place + "/undo", {"key": keys})
        assert next(events)[0::2] == ("undo", {"moves": 0})


def test_hidden_moves_are_told_when_they_come_out():
    """What was hidden is told later under its number; its id then differs, so nobody resumes from what was less."""
    before, after = [(0, ""), (1, "b")], [(0, "a"), (1, "b"), (0, "c")]
    marks = Marks()
    old = marks.of(before)[2]
    told = [each.splitlines()[0].removeprefix("event: ") for each in news(before, after, marks.of(after))]
    assert told == ["told", "move"]
    assert marks.of(after)[2] != old
    assert marks.of(after) == Marks().of(after)


def test_strangers_hear_nothing_of_hidden_games(address):
    """A match with secrets is told to who sits there alone, and nothing that does not exist is told."""
    _, match = call(address, "/api/matches", {"game": "leduc", "seats": ["person", "person"]})
    assert call(address, f"/api/matches/{match['match']}/events")[0] == 403
    assert call(address, "/api/matches/nothing/events")[0] == 404
    with stream(address, f"/api/matches/{match['match']}/events?key={match['keys'][0]}") as (_, events):
        told = until(events, "turn")
    assert [data["words"] for kind, _, data in told if kind == "move"].count(None) == 1  # the other's card


def test_listeners_are_bounded(address):
    """One client may listen 32 times; the next is told to close one, and may come again when it has."""
    _, match = call(address, "/api/matches", {"game": "pig", "seats": ["person", "person"]})
    path, open_now = f"/api/matches/{match['match']}/events", contextlib.ExitStack()
    with open_now:
        for _ in range(32):
            _, events = open_now.enter_context(stream(address, path))
            next(events)
        status, found = call(address, path)
        assert (status, "close a stream" in found["error"]) == (429, True)
    for _ in range(50):
        with stream(address, path) as (answer, _):
            if answer.status == 200:
                break
    else:
        raise AssertionError("those who left still count")


def test_an_arena_over_the_api(address):
    """Start, follow, table with its verdict, start again for more, stop; mistakes are told."""
    asked = {"game": "pig:target=20", "players": ["random", "random"], "games": 40, "seed": 3}
    status, run = call(address, "/api/runs", asked)
    assert status == 201, run
    place = f"/api/runs/{run['run']}"
    with stream(address, f"{place}/events") as (_, events):
        (last,) = deque(events, maxlen=1)
    assert (last[0], last[2]["done"], last[2]["running"]) == ("end", 40, False)
    table = call(address, place)[1]
    assert table["games"] == 40
    assert table["verdict"].startswith(("No seat is shown", "Not fair: seat"))
    more = {**asked, "games": 1_000_000}
    again = call(address, "/api/runs", more)[1]
    key = again["key"]
    assert again["run"] == run["run"]
    assert call(address, "/api/runs", asked)[0] == 403
    assert call(address, f"{place}/stop", {"key": "guessed"})[0] == 403
    assert call(address, f"{place}/progress")[1]["running"]
    assert "key" not in call(address, f"{place}/progress")[1]
    assert call(address, f"{place}/stop", {"key": key})[0] == 200
    with stream(address, f"{place}/events") as (_, events):
        (last,) = deque(events, maxlen=1)
    assert 40 <= last[2]["done"] < 1_000_000
    assert call(address, f"{place}/progress")[1] == last[2]
    for path, body, expected, text in (
        (f"{place}/stop", {"key": key}, 403, "does not run"),
        (f"{place}/stop", {}, 422, "body.key"),
        ("/api/runs", {**asked, "players": ["randm", "random"]}, 400, "did you mean 'random'"),
        ("/api/runs", {**asked, "games": 0}, 422, "body.games"),
        ("/api/runs/nothing/stop", {"key": key}, 404, "no arena 'nothing'"),
    ):
        status, found = call(address, path, body)
        assert (status, text in found["error"]) == (expected, True), found


def test_pages_of_chosen_origins_may_ask(tmp_path, monkeypatch):
    """With --allow-origin a site's pages use the JSON API, preflight included, but no pages; others are refused, and
    without it all are."""
    asked, site = [], "https://games.example"
    monkeypatch.setattr("turnsmith.web.app.serve", asked.append)
    serve(allow_origin=["https://Games.Example:443/"], no_open=True)
    host = Host(f"sqlite:///{tmp_path}/store.db", 1.0)

    async def ask(method, path, origin, origins=asked[0].origins, **headers):
        app = httpx.ASGITransport(api(host, [], origins))
        async with httpx.AsyncClient(transport=app, base_url="http://localhost") as client:
            answer = await client.request(method, path, headers={"Origin": origin, **headers})
            return answer.status_code, answer.headers.get("Access-Control-Allow-Origin")

    async def all_of_them():
        assert await ask("GET", "/api/games", site) == (200, site)
        assert await ask("GET", "/api/matches/nothing", site) == (404, site)
        before = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        assert await ask("OPTIONS", "/api/best", site, **before) == (200, site)
        assert await ask("GET", "/docs", site) == (403, None)
        for other in ("https://evil.example", "http://games.example", "null"):
            assert await ask("GET", "/api/games", other) == (403, None)
        assert await ask("GET", "/api/games", site, ()) == (403, None)

    asyncio.run(all_of_them())
    host.close()


@pytest.mark.parametrize("text", ["*", "games.example", "https://games.example/page", "https://*.example", "file:///x"])
def test_what_is_no_origin_is_refused(text):
    """An origin is one site: the refusal says how to write it."""
    with pytest.raises(BadInput, match="is no origin; write"):
        origin_of(text)
