"""A server besieged through its JSON API, while somebody innocent plays on: it must stay alive, and nobody forfeits.

``python bench/web_siege.py [--undos 1000] [--matches 20] [--hostile 10000] [--minutes 5] [--bounds]``, in this order:

* undos: eight people move against a player that thinks a second, and take the move back while it does;
* matches: so many people at once play against such players, to the end;
* hostile: strangers without a seat, forged keys, endless headers, silent and broken connections, nonsense;
* minutes: eight clients do everything that can be done to matches, in any order.

Meanwhile the innocent plays Connect Four with `random`, and every move is timed. Prints what came of it; `--bounds`
compiles the server's players with bounds checks. The exit code is 1 if the server died, answered with a status of 500
or more, or let a player forfeit.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import socket
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from web_load import Client, Refusal, memory_mb, serving, share

GAME, CLIENTS = "connect_four", 8
THINKER = "mcts:time=1"
SLOW = [THINKER, "mcts:time=2", "zero:simulations=200000", "negamax:depth=9", "mcts:simulations=20", "random"]


class Siege:
    """What is done to one server, and what came of it."""

    def __init__(self, address, seed=0):
        self.address, self.seed = address, seed
        self.counts, self.faults, self.lock = Counter(), [], threading.Lock()

    def count(self, what, by=1):
        with self.lock:
            self.counts[what] += by

    def ask(self, client, path, body=None):
        """The answer as JSON, or None where it was refused."""
        try:
            return json.loads(client.ask(path, body)[0])
        except Refusal as refusal:
            self.count("refused")
            if refusal.args[0] >= 500:
                self.faults.append(f"{refusal.args}")
            return None

    def look(self, match):
        """Note a player that gave up."""
        if match and match["over"] and "gave up" in match.get("ending", ""):
            self.count("forfeits")
            self.faults.append(match["ending"])
        return match

    def begin(self, client, seats):
        match = self.ask(client, "/api/matches", {"game": GAME, "seats": seats})
        if match is None:
            time.sleep(0.2)
            return None, "", []
        return match, f"/api/matches/{match['match']}", [key for key in match["keys"] if key]

    def together(self, work, clients):
        with ThreadPoolExecutor(clients) as people:
            for each in [people.submit(work, Client(self.address), number) for number in range(clients)]:
                each.result()

    # ------------------------------------------------------------ attacks

    def undos(self, count):
        def taking_back(client, number):
            draw, done = random.Random(self.seed + number), 0
            while done < count // CLIENTS + (number < count % CLIENTS):
                match, place, key = self.begin(client, ["person", draw.choice([THINKER, SLOW[2]])])
                for _ in range(20 if match else 0):
                    if done >= count // CLIENTS + (number < count % CLIENTS):
                        break
                    if self.ask(client, f"{place}/moves", {"key": key, "move": draw.choice("abcdefg")}) is None:
                        break
                    time.sleep(draw.choice([0.0, 0.02, 0.1, 0.4]))
                    thinks = self.look(self.ask(client, f"{place}?key={key[0]}"))["mover"] == 1
                    if self.look(self.ask(client, f"{place}/undo", {"key": key})):
                        done += thinks
                        self.count("undos during a thought" if thinks else "undos after a thought")
                if match:
                    self.ask(client, f"{place}/resign", {"key": key})

        self.together(taking_back, CLIENTS)

    def at_once(self, count, moves=21):
        def playing(client, number):
            draw = random.Random(self.seed + number)
            match, place, key = self.begin(client, ["person", THINKER])
            for _ in range(moves):
                legal = self.ask(client, f"{place}/legal?key={key[0]}")
                if legal:
                    self.ask(client, f"{place}/moves", {"key": key, "move": draw.choice(legal)["action"]})
                while match["mover"] == 1 or not legal:
                    match = self.look(self.ask(client, f"{place}?key={key[0]}"))
                    if match["over"] or match["your_turn"]:
                        break
                    time.sleep(0.1)
                if match["over"]:
                    break
            self.count("matches at once")
            self.count("moves of players", len(match["log"]) // 2)

        self.together(playing, count)

    def hostile(self, count):
        _, place, key = self.begin(Client(self.address), ["person", SLOW[1]])
        host, port = self.address.removeprefix("http://").split(":")
        forged = {"key": ["forged"]}
        asked = [
            (f"{place}/hand", {"key": [], "player": ""}),
            (f"{place}/hand", {**forged, "player": "random"}),
            (f"{place}/undo", {"key": []}),
            (f"{place}/resign", forged),
            (f"{place}/moves", {**forged, "move": "d"}),
            (f"{place}/moves", {"key": key, "move": "z" * 300}),
            (f"{place}/hint", {"key": [], "player": SLOW[1]}),
            ("/api/matches", {"game": GAME, "seats": ["person"] * 9}),
            ("/api/runs/none/stop", {"key": "forged"}),
            ("/api/best", {"game": GAME, "actions": [9] * 50}),
        ]
        raw = [
            b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 200_000,
            b"GET /" + b"a" * 100_000,
            b"POST /api/best HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999\r\n\r\n" + b"{" * 1000,
            b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: " + b"a" * 200_000,
            b"\x16\x03\x01" + os.urandom(500),
            b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000,
            b"",
        ]

        def attacking(client, number):
            draw, silent = random.Random(self.seed + number), []
            for _ in range(count // CLIENTS + (number < count % CLIENTS)):
                self.count("hostile requests")
                if draw.random() < 0.7:
                    try:
                        self.ask(client, *draw.choice(asked))
                    except (OSError, http.client.HTTPException):
                        client.line.close()
                    continue
                with contextlib.suppress(OSError):
                    line = socket.create_connection((host, int(port)), timeout=5)
                    silent = [*silent, line][-60:]  # those before are closed
                    line.sendall(draw.choice(raw))

        self.together(attacking, CLIENTS)

    def everything(self, seconds):
        until, known = time.monotonic() + seconds, []

        def meddling(client, number):
            draw = random.Random(self.seed + number)
            while time.monotonic() < until:
                if len(known) < CLIENTS or draw.random() < 0.1:
                    seats = draw.choice([["person", draw.choice(SLOW)], [draw.choice(SLOW), "person"], ["person"] * 2])
                    match, place, key = self.begin(client, seats)
                    known[:] = [*known, *([(place, key)] if match else [])][-CLIENTS:]
                    continue
                place, key = draw.choice(known)
                one = [draw.choice(key)]
                path, body = draw.choice(
                    [
                        ("/moves", {"key": key, "move": draw.choice("abcdefg"), "wait": draw.choice([0, 0, 0.5])}),
                        ("/moves", {"key": key, "move": draw.choice("abcdefg")}),
                        ("/undo", {"key": key}),
                        ("/undo", {"key": one}),
                        ("/hand", {"key": one, "player": draw.choice([*SLOW, ""])}),
                        ("/hand", {"key": [], "player": ""}),
                        ("/hint", {"key": key, "player": draw.choice(SLOW)}),
                        (f"?key={one[0]}", None),
                        (f"/legal?key={one[0]}", None),
                        (f"/frames?key={one[0]}&count=5", None),
                    ]
                    + ([("/resign", {"key": one})] if draw.random() < 0.1 else [])
                )
                self.count(f"mixed {path.partition('?')[0] or '/'}")
                found = self.ask(client, place + path, body)
                if isinstance(found, dict) and "over" in found:
                    self.look(found)
                time.sleep(draw.choice([0.0, 0.0, 0.05, 0.3]))

        self.together(meddling, CLIENTS)

    # ------------------------------------------------------------ and meanwhile

    def innocent(self, is_over, times):
        """Somebody who plays on; the milliseconds of every move."""
        client, match, draw = Client(self.address), None, random.Random(self.seed)
        while not is_over.is_set():
            try:
                if match is None or match["over"]:
                    match, place, key = self.begin(client, ["person", "random"])
                    continue
                legal = json.loads(client.ask(f"{place}/legal?key={key[0]}")[0])
                if not legal:
                    match = json.loads(client.ask(f"{place}?key={key[0]}")[0])
                    continue
                found, took = client.ask(f"{place}/moves", {"key": key, "move": draw.choice(legal)["action"]})
                match, _ = json.loads(found), times.append(took)
            except Refusal as refusal:
                self.count(f"innocent refused {refusal.args[0]}")
            except (OSError, http.client.HTTPException) as error:
                self.count("innocent cut off")
                self.counts[repr(error)] += 1
                client = Client(self.address)
            time.sleep(0.2)


def besiege(given):
    known = {"NUMBA_BOUNDSCHECK": "1"} if given.bounds else {}
    with serving("--no-warm", **known) as (address, process):
        siege, is_over, times, rows = Siege(address, given.seed), threading.Event(), [], {}
        _match, place, key = siege.begin(Client(address), ["person", THINKER])  # compiled before it counts
        for who in SLOW[2:]:
            siege.ask(Client(address), "/api/best", {"game": GAME, "actions": [], "player": who})
        siege.ask(Client(address), f"{place}/moves", {"key": key, "move": "d", "wait": 30})
        playing = threading.Thread(target=siege.innocent, args=(is_over, times))
        playing.start()
        work = {"undos": lambda: siege.undos(given.undos), "matches": lambda: siege.at_once(given.matches)}
        work |= {"hostile": lambda: siege.hostile(given.hostile)}
        work |= {"minutes": lambda: siege.everything(60 * given.minutes)}
        for name, attack in work.items():
            if not getattr(given, name):
                continue
            before, begun = len(times), time.monotonic()
            try:
                attack()
            except (OSError, http.client.HTTPException) as error:
                siege.faults.append(f"{name}: {error!r}")
            own = times[before:]
            rows[name] = {
                "seconds": round(time.monotonic() - begun, 1),
                "innocent_moves": len(own),
                "innocent_median_ms": round(share(own, 0.5), 1) if own else None,
                "innocent_p95_ms": round(share(own, 0.95), 1) if own else None,
                "innocent_worst_ms": round(max(own), 1) if own else None,
                "mb": memory_mb(process),
            }
            print(json.dumps({name: rows[name]}), file=sys.stderr, flush=True)
            if not rows[name]["mb"]:  # the server is dead
                break
        is_over.set()
        playing.join()
        try:
            is_alive = bool(siege.ask(Client(address), "/api/games"))
        except OSError:
            is_alive = False
    counts = dict(sorted(siege.counts.items()))
    return {
        "alive": is_alive,
        "forfeits": counts.pop("forfeits", 0),
        **rows,
        "counts": counts,
        "faults": siege.faults[:20],
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--undos", type=int, default=1000)
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--hostile", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--bounds", action="store_true")
    came = besiege(parser.parse_args())
    print(json.dumps(came, indent=1))
    sys.exit(not came["alive"] or bool(came["faults"]))
