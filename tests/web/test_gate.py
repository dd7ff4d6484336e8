"""Who is let in: this server's own names and pages only, sockets included; mistakes are told in one form each."""

import asyncio
import contextlib
import http.client
import importlib
import inspect
import json
import socket
import threading
import time

import pytest
import uvicorn
from browsing import call

from turnsmith.cli.serve import serve
from turnsmith.common.errors import BadInput
from turnsmith.web import app as server
from turnsmith.web.server import connections
from turnsmith.web.server.bounds import known_game, known_player, source_of
from turnsmith.web.server.problems import of
from turnsmith.web.server.request_guard import Bounded, Gate


def ask(address, path, method="GET", **headers):
    """Status, kind and text of a request with headers of one's own."""
    line = http.client.HTTPConnection(address.removeprefix("http://"), timeout=30)
    line.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
    answer = line.getresponse()
    found = answer.status, answer.getheader("Content-Type", "").partition(";")[0], answer.read().decode()
    line.close()
    return found


SOCKET = "/_nicegui_ws/socket.io/?EIO=4&transport="
UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
UPGRADE |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}


@pytest.mark.parametrize("path", ["/", "/api/games", SOCKET + "polling"])
def test_another_name_is_not_served(address, path):
    """A name that was made to lead to this machine (DNS rebinding) gets nothing, neither page nor JSON nor socket."""
    port = address.rpartition(":")[2]
    for host in ("evil.example", f"evil.example:{port}", "localhost.evil.example", "[", ""):
        assert ask(address, path, Host=host)[0] == 421, host
    for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}"):
        assert ask(address, path, Host=host)[0] == 200, host


def test_another_page_is_not_answered(address):
    """What a page of another origin sends is refused; the server's own pages and programs without an origin are not."""
    for origin in ("http://evil.example", "null", address.replace("127.0.0.1", "localhost"), address + "0"):
        assert ask(address, "/api/best", "POST", Origin=origin)[0] == 403, origin
        assert ask(address, SOCKET + "polling", Origin=origin)[0] == 403, origin
        assert ask(address, SOCKET + "websocket", Origin=origin, **UPGRADE)[0] == 403, origin
    assert ask(address, SOCKET + "polling", Origin=address)[0] == 200
    assert ask(address, SOCKET + "websocket", Origin=address, **UPGRADE)[0] == 101
    assert ask(address, SOCKET + "websocket", **{**UPGRADE, "Host": "evil.example"})[0] == 403


def test_names_can_be_given():
    """A server is found under the names its owner gave it, whatever their case."""
    gate = Gate(None, ["Games.Example"])
    assert gate.refusal([(b"host", b"games.example:8080"), (b"origin", b"https://games.example:8080")]) is None
    assert gate.refusal([(b"host", b"games.example.evil")])[0] == 421
    assert gate.refusal([(b"host", b"games.example"), (b"host", b"evil.example")])[0] == 421


def test_only_this_machine_is_served_unless_asked(monkeypatch):
    """Without --host nothing but loopback listens, and no proxy is believed."""
    asked = []
    monkeypatch.setattr(server, "serve", asked.append)
    serve()
    assert asked[0].address == "127.0.0.1"
    assert asked[0].names == asked[0].proxies == []


def test_errors_have_one_form(address):
    """Whatever fails under /api says so as {"error"}; what people open is a page of ours with the right status."""
    wrong = [("GET", "/api/nope"), ("OPTIONS", "/api/best"), ("GET", "/api"), ("PUT", "/api/games")]
    for method, path in [*wrong, ("GET", "/api/matches/x/frames?first=x")]:
        status, kind, text = ask(address, path, method)
        assert status in (404, 405, 422)
        assert kind == "application/json"
        assert list(json.loads(text)) == ["error"]
    links = {"/nope": 404, "/match/nothing": 404, "/match/nothing/key": 404, "/new/chess": 404, "/watch/nothing": 404}
    links |= {"/arena/nothing": 404, "/join/a/b": 404, "/watch/run/a/0": 404, "/watch/nothing?move=abc": 422}
    links |= {"/watch/run/a/b": 422, "/new/chess?by_hand=maybe": 422}
    for path, expected in links.items():
        status, kind, text = ask(address, path)
        assert (status, kind) == (expected, "text/html"), path
        assert "Back to the games" in text


def test_an_unknown_mistake_tells_nothing():
    """A failure nobody thought of is a 500 with a sentence, without a trace of the code."""
    answer = of(RuntimeError("the secret of line 7"), "/api/best")
    assert answer.status_code == 500
    assert "secret" not in answer.body.decode()
    assert list(json.loads(answer.body)) == ["error"]


def test_deep_json_is_refused(address):
    """JSON nested a hundred thousand deep is a mistake of the sender's."""
    raw = b'{"game": "pig", "actions": [], "source": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    line = http.client.HTTPConnection(address.removeprefix("http://"), timeout=30)
    line.request("POST", "/api/best", raw, {"Content-Type": "application/json"})
    answer = line.getresponse()
    assert answer.status in (400, 422)
    assert json.loads(answer.read())["error"]


def test_no_answer_depends_on_files(tmp_path, monkeypatch):
    """Whether a file exists cannot be learned: what a setting may name is what comes with turnsmith."""
    monkeypatch.chdir(tmp_path)
    asked = [("dicewars", "fast:file={}"), ("pacman", "negamax:weights={}"), ("pacman", "sarsa:file={}")]
    for game, text in asked:
        told = []
        for there in (False, True):
            if there:
                (tmp_path / "extensionless").write_text("{}")
            with pytest.raises(BadInput) as refused:
                known_player(text.format("extensionless"), known_game(game))
            told.append(str(refused.value))
        (tmp_path / "extensionless").unlink()
        assert told[0] == told[1]
    assert known_player("negamax:weights=main", known_game("pacman")).weights == "main"
    for name in ("../maps/open-middle", "open-middle.txt", "/etc/passwd"):
        with pytest.raises(BadInput, match="files are not read here"):
            source_of(known_game(f"pacman:map={name}"))
    assert source_of(known_game("pacman:map=open-middle"))


def test_a_client_that_leaves_drops_its_work():
    """When the sender of a request has gone, its handler is cancelled; until then it is not."""
    told = []

    async def handler(scope, receive, send):
        told.append((await receive())["body"])
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            told.append("cancelled")
            raise

    async def play():
        messages = asyncio.Queue()
        messages.put_nowait({"type": "http.request", "body": b"hello", "more_body": False})
        scope = {"type": "http", "method": "POST", "path": "/api/best", "headers": []}
        serving = asyncio.create_task(Bounded(handler)(scope, messages.get, None))
        await asyncio.sleep(0.05)
        assert told == [b"hello"]
        messages.put_nowait({"type": "http.disconnect"})
        await asyncio.wait_for(serving, 10)
        await asyncio.sleep(0)

    asyncio.run(play())
    assert told == [b"hello", "cancelled"]


def test_a_request_that_does_not_come_is_given_up(monkeypatch):
    """Who announces a body and does not send it is told so after a while."""
    monkeypatch.setattr("turnsmith.web.server.request_guard.PATIENCE", 0.05)
    sent = []

    async def play():
        messages = asyncio.Queue()
        messages.put_nowait({"type": "http.request", "body": b"{", "more_body": True})
        scope = {"type": "http", "method": "POST", "path": "/api/best", "headers": []}

        async def send(message):
            sent.append(message)

        await asyncio.wait_for(Bounded(None)(scope, messages.get, send), 10)

    asyncio.run(play())
    assert sent[0]["status"] == 408
    assert "error" in json.loads(sent[1]["body"])


def test_a_request_that_is_dropped_leaves_the_server_well(address):
    """Hanging up in the middle of an answer harms nobody else."""
    asked = json.dumps({"game": "connect_four", "actions": [], "player": "mcts:time=1"})
    line = http.client.HTTPConnection(address.removeprefix("http://"), timeout=30)
    line.request("POST", "/api/best", asked, {"Content-Type": "application/json"})
    line.close()
    assert call(address, "/api/games")[0] == 200


@contextlib.contextmanager
def listening(**patched):
    """A server within this process that answers everything with "hello"; yields its address."""

    async def hello(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
        await send({"type": "http.response.body", "body": b"hello"})

    config = uvicorn.Config(
        hello, http=connections.Connection, lifespan="off", log_level="error", forwarded_allow_ips=[]
    )
    running, listening = uvicorn.Server(config), server.listen("127.0.0.1", 0)
    thread = threading.Thread(target=lambda: running.run(sockets=[listening]))
    with pytest.MonkeyPatch.context() as patch:
        for name, value in patched.items():
            patch.setattr(connections, name, value)
        thread.start()
        try:
            while not running.started:
                time.sleep(0.01)
            yield listening.getsockname()
        finally:
            running.should_exit = True
            thread.join(20)
            listening.close()


def sent(address, *pieces):
    """What a server answers to these bytes, until it hangs up; b"" if it just does."""
    with socket.create_connection(address, timeout=30) as line, contextlib.suppress(ConnectionError):
        for piece in pieces:
            line.sendall(piece)
        return b"".join(iter(lambda: line.recv(65536), b""))
    return b""


def test_headers_are_bounded_in_bytes_and_time():
    """An endless header, many headers, and what follows a body in pieces are cut off; slow ones and silence too."""
    piece, start = b"a" * 60_000, b"GET / HTTP/1.1\r\nHost: x\r\n"
    with listening(MOST_SENT=200_000, HEAD_SECONDS=60.0) as address:
        assert b" 431 " in sent(address, start, b"X: " + piece[:20_000], piece[:20_000])
        assert b" 431 " in sent(address, start, *[b"X: y\r\n" * 1000] * 6)
        assert b" 200 " not in sent(address, b"GET /" + piece), "refused, or cut off while it still came"
        assert b" 431 " in sent(address, start + b"X: " + piece[:33_000] + b"\r\n\r\n"), "whole, in one piece"
        chunked = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: "
        assert b" 200 " not in sent(address, chunked, *[piece] * 1000)[20:], "hung up after the first answer at most"
        assert b" 200 " in sent(address, start, b"Connection: close\r\n\r\n")
    with listening(HEAD_SECONDS=0.2) as address:
        assert b" 408 " in sent(address)
        assert b" 408 " in sent(address, start)


def test_silent_connections_make_room():
    """However many connections wait and say nothing, who says something is answered; those at work are left alone."""
    with listening(MOST_OF_ONE=8, HEAD_SECONDS=60.0) as address, contextlib.ExitStack() as lines:
        silent = [lines.enter_context(socket.create_connection(address, timeout=30)) for _ in range(30)]
        for _ in range(20):
            assert b"hello" in sent(address, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            assert silent[0].recv(1) == b"", "the first to come and say nothing has gone"


@pytest.mark.parametrize("name", ["arena", "home", "play", "setup", "watch"])
def test_no_page_is_given_up_after_three_seconds(name):
    """On a busy machine a page may take longer than its framework waits by itself, which answers with a 500 then."""
    module = importlib.import_module(f"turnsmith.web.pages.{name}")
    assert module.page.keywords["response_timeout"] >= 60
    assert "ui.page(" not in inspect.getsource(module)
