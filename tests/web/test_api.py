"""The JSON API of a running server: whole games, clear refusals, its own description, load, and restarts."""

import asyncio
import importlib.util
import json
import shutil
import subprocess
import sys
import threading
import time
import tracemalloc
import urllib.request
from pathlib import Path

import httpx
import pytest
import schemathesis
from browsing import COMPILING, call, server
from hypothesis import HealthCheck, settings
from schemathesis import checks

from turnsmith.web.api.routes import api
from turnsmith.web.host import Host

ROOT = Path(__file__).parent.parent.parent


def new_match(address, game="connect_four", seats=("person", "random"), **more):
    status, found = call(address, "/api/matches", {"game": game, "seats": list(seats), **more})
    assert status == 201, found
    return found, f"/api/matches/{found['match']}", [key for key in found["keys"] if key]


def test_games_and_players_are_described(address):
    """Every game with its options, players, settings and levels; a player that refuses says why."""
    status, games = call(address, "/api/games")
    assert status == 200
    assert {"connect_four", "mastermind", "dicewars"} <= {game["name"] for game in games}
    status, found = call(address, "/api/games/mastermind")
    assert status == 200
    assert {"name": "pegs", "kind": "int", "default": 4, "help": "Pegs of a code. 1 to 8."} in found["options"]
    mcts = next(each for each in found["players"] if each["name"] == "mcts")
    assert "simulations" in {setting["name"] for setting in mcts["settings"]}
    assert next(each for each in found["players"] if each["name"] == "negamax")["refuses"]
    assert list(found["levels"])[:3] == ["beginner", "easy", "medium"]
    assert found["levels"]["strongest"] == "best"


def test_a_whole_game(address):
    """Move by words and by number until it is over; then seed, moves and record are told."""
    match, place, key = new_match(address)
    while not match["over"]:
        _, legal = call(address, f"{place}/legal?key={key[0]}")
        choice = legal[len(match["log"]) % len(legal)]
        status, match = call(address, place + "/moves", {"key": key, "move": choice["words"], "wait": 30})
        assert status == 200
    assert match["returns"]
    assert match["ending"]
    assert "seed" in match
    status, record = call(address, place + "/record")
    assert record["actions"] == match["actions"]
    status, frames = call(address, place + "/frames?first=1&count=2")
    assert frames["positions"] == len(match["actions"]) + 1
    assert [frame[:4] for frame in frames["frames"]] == ["<svg", "<svg"]
    _, best = call(address, "/api/best", {"game": "connect_four", "actions": record["actions"][:4], "player": "random"})
    assert best["words"] in "abcdefg"


def test_refusals_are_clear(address):
    """Whatever is wrong is answered with the right status and a sentence, and changes nothing."""
    match, place, key = new_match(address)
    asked = [
        ("/api/matches", {"game": "chess", "seats": []}, 400, "there is no game 'chess'"),
        ("/api/matches", {"game": "./evil.py", "seats": []}, 400, "there is no game './evil.py'"),
        ("/api/matches", {"game": "pacman:map=/etc/motd.txt", "seats": []}, 400, "files are not read here"),
        ("/api/matches", {"game": "pacman:map=" + "a" * 260, "seats": []}, 400, "files are not read here"),
        ("/api/best", {"game": "dicewars", "actions": [], "player": "fast:file=net.onnx"}, 400, "files are not read"),
        ("/api/best", {"game": "pig", "actions": [], "player": "solve:limit=-5"}, 400, "solve"),
        ("/api/best", {"game": "pacman", "actions": [], "source": {"map": []}}, 400, "this is no board of pacman: "),
        ("/api/matches", {"game": "connect_four", "seats": ["person"]}, 400, "2 seats"),
        ("/api/matches", {"game": "connect_four", "seats": ["person", "solve:limt=1"]}, 400, "did you mean 'limit'"),
        ("/api/matches", {"game": "connect_four", "seets": []}, 422, "body.seats"),
        ("/api/matches", {"game": "connect_four", "seats": ["person", "random"], "source": [1]}, 400, "no board"),
        (place + "/moves", {"key": key, "move": "z"}, 400, "legal: a, b, c"),
        (place + "/moves", {"key": ["x"], "move": "a"}, 403, "no seat in this match"),
        (place + "/moves", {"key": [], "move": "a"}, 403, "not your turn"),
        (place + "/undo", {"key": key}, 403, "no move to take back"),
        (place + "/hint", {"key": key, "player": "expectimacks"}, 400, "did you mean 'expectimax'"),
        ("/api/matches/nothing/moves", {"key": [], "move": "a"}, 404, "the link is wrong"),
        ("/api/best", {"game": "connect_four", "actions": [0] * 7}, 400, "action 7"),
        ("/api/best", {"game": "pig", "actions": [0]}, 400, "nobody is to decide"),
        ("/api/frames", {"game": "connect_four", "actions": [], "viewer": 5}, 400, "there is no seat 5"),
    ]
    for path, body, expected, text in asked:
        status, found = call(address, path, body)
        assert (status, text in found["error"]) == (expected, True), (path, body, status, found)
    nowhere = ("/api/matches/nothing", "/api/runs/nothing", "/api/nothing", "/api/best")
    for path, expected in (*((path, 404) for path in nowhere), (place + "/record", 403)):
        status, found = call(address, path)
        assert status == expected
        assert found["error"]
    assert call(address, place)[1]["log"] == match["log"] == []


def test_a_long_match_is_drawn_in_little_memory(tmp_path):
    """Ten thousand actions are replayed for the few frames asked for, without a copy of the game for each of them."""
    host = Host(f"sqlite:///{tmp_path}/store.db", 1.0)
    roll, one = 0, 0  # everybody rolls, gets a one, and the next seat is to move
    asked = {"game": "pig", "actions": [roll, one] * 5_000, "first": 9_000, "count": 5}

    async def ask():
        async with httpx.AsyncClient(transport=httpx.ASGITransport(api(host)), base_url="http://localhost") as client:
            await client.post("/api/frames", json={**asked, "actions": [], "first": 0})  # compiles
            tracemalloc.start()
            answer = await client.post("/api/frames", json=asked, timeout=60)
            return answer.json(), tracemalloc.get_traced_memory()[1]

    found, peak = asyncio.run(ask())
    tracemalloc.stop()
    host.close()
    assert found["positions"] == 10_001
    assert len(found["frames"]) == 5
    assert peak < 30_000_000


def test_bad_and_large_bodies(address):
    """Broken JSON and a body of more than a megabyte are refused; the server goes on."""
    for raw, expected in ((b"{", 422), (b"[1]", 422), (b'"' + b"x" * 1_200_000 + b'"', 413)):
        request = urllib.request.Request(address + "/api/best", raw, {"Content-Type": "application/json"})
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=30)
        assert refused.value.code == expected
        assert json.loads(refused.value.read())["error"]
    assert call(address, "/api/games")[0] == 200


def test_too_much_at_once_is_refused_and_others_are_served(address):
    """One client that asks for sixty searches gets 429 for some of them, while a short request is answered; saying that
    each is asked for somebody else (X-Forwarded-For) does not help."""
    statuses = []

    def search(number):
        asked = {"game": "connect_four", "actions": [], "player": "mcts:time=0.3"}
        statuses.append(call(address, "/api/best", asked, **{"X-Forwarded-For": f"10.0.0.{number}"})[0])

    call(address, "/api/best", {"game": "connect_four", "actions": [], "player": "mcts:time=0.1"})
    threads = [threading.Thread(target=search, args=[number]) for number in range(60)]
    for thread in threads:
        thread.start()
    assert call(address, "/api/games/connect_four")[0] == 200
    for thread in threads:
        thread.join()
    assert statuses.count(200) + statuses.count(429) == 60
    assert statuses.count(429) > 0
    assert statuses.count(200) > 4


def test_a_greedy_search_is_cut_short(address):
    """A search without end is answered after the time a player has here."""
    begun = time.monotonic()
    asked = {"game": "connect_four", "actions": [], "player": "mcts:simulations=1000000000"}
    status, found = call(address, "/api/best", asked, timeout=COMPILING)
    assert status == 200
    assert found["words"]
    assert time.monotonic() - begun >= 1  # it did think until it was stopped


schema = schemathesis.openapi.from_dict(api(None).openapi())
schema = schema.exclude(method="POST", path="/api/runs")  # an arena of any length would keep the others waiting
ASKED = [checks.not_a_server_error, checks.status_code_conformance, checks.content_type_conformance]
ASKED += [checks.response_schema_conformance]


@schema.parametrize()
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_description_is_true(case, address):
    """Whatever fits the OpenAPI document, or hardly does, is answered as it says, never with an error of ours."""
    response = case.call(base_url=address, timeout=60)
    case.validate_response(response, checks=ASKED)


def test_docs_need_no_network(address):
    """The page that describes the API loads nothing from elsewhere."""
    with urllib.request.urlopen(address + "/docs") as answer:
        page = answer.read().decode()
    assert "swagger" in page
    assert "http://" not in page.replace(address, "")
    assert "https://" not in page


CLIENTS = {
    "py": ([], [sys.executable, "json_client.py"], "SVG"),
    "mjs": ([], ["node", "json_client.mjs"], "SVG"),
    "gd": ([], ["godot3-server", "-s", "json_client.gd"], " win"),
    "cs": (["mcs", "JsonClient.cs"], ["mono", "JsonClient.exe"], " win"),
}


@pytest.mark.parametrize("kind", CLIENTS)
def test_the_clients_play(address, tmp_path, kind):
    """The clients in examples/, for Python, JavaScript, Godot and Unity, play a game to its end."""
    build, run, said = CLIENTS[kind]
    for program in filter(None, (build[:1], run[:1])):
        if shutil.which(program[0]) is None:
            assert kind in ("gd", "cs"), f"{program[0]} is needed to run this client"
            pytest.skip(f"{program[0]} is not here, so this client is not run")
    for file in (ROOT / "examples").glob(f"*.{kind}"):
        shutil.copy(file, tmp_path)
    for command in filter(None, (build, [*run, address])):
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    assert said in ran.stdout.strip().splitlines()[-1]


def test_a_restarted_server_goes_on(tmp_path):
    """A match begun before the server was stopped is played on after it was started again; the stop is clean."""
    with server(tmp_path) as address:
        _, place, key = new_match(address, seed=4)
        call(address, place + "/moves", {"key": key, "move": "d", "wait": 30})
        before = call(address, f"{place}?key={key[0]}")[1]
    assert len(before["log"]) == 2
    with server(tmp_path) as address:
        after = call(address, f"{place}?key={key[0]}")[1]
        assert after["log"] == before["log"]
        assert call(address, place + "/moves", {"key": key, "move": "a"})[0] == 200
    assert "Traceback" not in (tmp_path / "server.log").read_text()


def test_fifty_games_at_once():
    """Fifty people play and none is turned away; how fast it was is told in docs/explanation/server.md."""
    spec = importlib.util.spec_from_file_location("web_load", ROOT / "bench" / "web_load.py")
    load = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(load)
    load.THINK = 0.2
    found = load.measure(50, 4.0, 1.0)
    assert found["games_moved"] == 50
    assert found["moves"] >= 100


def test_a_taken_port_is_told_in_one_line(address, tmp_path):
    """Serving where something else listens is refused with the cause and the cure."""
    port = address.rpartition(":")[2]
    command = [sys.executable, "-m", "turnsmith", "serve", "--no-open", "--port", port]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 2
    assert "--port" in ran.stderr
    assert len(ran.stderr.strip().splitlines()) == 1
