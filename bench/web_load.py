"""The server under load; each starts one, asks, prints, and stops it.

``python bench/web_load.py [--games 50] [--seconds 20]``: fifty people at once. Every person plays an own game of Dice
Wars against three players through the JSON API and thinks a second between moves, as people do at the least. Then the
page's answers are timed while searches of three seconds keep every thread for searches busy.

``python bench/web_load.py --minutes 60 [--clients 6]``: mixed load. Clients play five games, ask for hints, boards,
frames and pages, send nonsense, and hang up in the middle of searches; the server's memory is printed as it goes.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

SEATS = ["person", "fast", "sdc", "ste"]
THINK = 1.0


class Refusal(Exception):
    """Status and text of an answer that is none."""


class Client:
    """A connection that stays open between questions, as a browser's does."""

    def __init__(self, address):
        self.line = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)

    def ask(self, path, body=None):
        """The answer, and the milliseconds it took."""
        begun = time.monotonic()
        if body is None:
            self.line.request("GET", path)
        else:
            self.line.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = self.line.getresponse()
        found = answer.read()
        took = 1000 * (time.monotonic() - begun)
        if answer.status >= 400:
            raise Refusal(answer.status, f"{path}: {found[:200]}")
        return found, took


def person(address, until, number):
    """One person: two attacks, then the end of the turn; begins anew when it is over.

    Milliseconds until an attack is answered, and until all three opponents have made their whole turns.
    """
    attacks, rounds, match, client = [], [], None, Client(address)
    time.sleep(THINK * (number % 50) / 50)
    while time.monotonic() < until:
        if match is None or match["over"]:
            match = json.loads(client.ask("/api/matches", {"game": "dicewars", "seats": SEATS})[0])
            place, key = f"/api/matches/{match['match']}", [match["keys"][0]]
        legal = json.loads(client.ask(f"{place}/legal?key={key[0]}")[0])
        if legal:
            ends = len(legal) == 1 or len(attacks) > 2 * len(rounds)
            move = {"key": key, "move": legal[-1 if ends else 0]["action"], "wait": 10 if ends else 0}
            found, took = client.ask(place + "/moves", move)
            (rounds if ends else attacks).append(took)
            match = json.loads(found)
        time.sleep(THINK)
    return attacks, rounds


def during_searches(address, seconds):
    """Milliseconds of page and API while more searches run than there are threads."""
    asked = {"game": "connect_four", "actions": [], "player": f"mcts:time={seconds:g}"}
    searches = [threading.Thread(target=Client(address).ask, args=("/api/best", asked)) for _ in range(4)]
    for search in searches:
        search.start()
    times, until, client = [], time.monotonic() + seconds, Client(address)
    while time.monotonic() < until:
        times += [client.ask("/")[1], client.ask("/api/games")[1]]
        time.sleep(0.1)
    for search in searches:
        search.join()
    return times


GAMES = {
    "dicewars": ["person", "fast", "sdc", "ste"],
    "connect_four": ["person", "mcts:simulations=100"],
    "mastermind": ["person"],
    "othello": ["person", "negamax:depth=3"],
    "pacman": ["person", "original-ghosts"],
}
NONSENSE = [
    ("/api/best", {"game": "chess", "actions": []}),
    ("/api/best", {"game": "dicewars", "actions": [], "source": {"players": 99}}),
    ("/api/matches", {"game": "pacman:map=" + "x" * 200, "seats": []}),
    ("/api/frames", {"game": "pig", "actions": [9]}),
    ("/nope", None),
    ("/watch/nothing?move=abc", None),
]


def one_visit(address, draw, counts):
    """Somebody comes, plays one game some way, looks around, and goes."""
    client, game = Client(address), draw.choice(list(GAMES))

    def ask(path, body=None):
        try:
            found, _ = client.ask(path, body)
            counts["answered"] += 1
            return json.loads(found) if path.startswith("/api") else found
        except Refusal as refusal:
            counts["refused" if refusal.args[0] < 500 else "failed"] += 1
            return None

    match = ask("/api/matches", {"game": game, "seats": GAMES[game]})
    if match is None:
        return
    place, key = f"/api/matches/{match['match']}", [match["keys"][0]]
    for _ in range(draw.randrange(60)):
        legal = ask(f"{place}/legal?key={key[0]}")
        if not legal or not (match := ask(place + "/moves", {"key": key, "move": draw.choice(legal)["action"]})):
            break
        if draw.random() < 0.05:
            ask(place + "/hint", {"key": key, "player": "random"})
    for path in draw.sample(["/", "/watch", "/arena", f"/new/{game}", f"/watch/{place[13:]}", f"/api/games/{game}"], 2):
        ask(path)
    ask("/api/frames", {"game": "pig", "actions": [0, 0] * draw.randrange(500), "count": 20})
    ask(*draw.choice(NONSENSE))
    if draw.random() < 0.2:  # hang up in the middle of a search
        asked = json.dumps({"game": "connect_four", "actions": [], "player": "mcts:time=2"})
        client.line.request("POST", "/api/best", asked, {"Content-Type": "application/json"})
        client.line.close()
    client.line.close()


def mixed(minutes, clients, every=30.0):
    """Mixed load for so many minutes; prints the server's memory every so many seconds, and gives all of it back."""
    counts = dict.fromkeys(("answered", "refused", "failed"), 0)
    rows = []
    with serving() as (address, process):
        until = time.monotonic() + 60 * minutes

        def keep_on(number):
            draw = random.Random(number)
            while time.monotonic() < until:
                one_visit(address, draw, counts)
                time.sleep(draw.random())

        with ThreadPoolExecutor(clients) as people:
            running = [people.submit(keep_on, number) for number in range(clients)]
            begun = time.monotonic()
            while time.monotonic() < until:
                time.sleep(min(every, max(0.0, until - time.monotonic())))
                rows.append({"minute": round((time.monotonic() - begun) / 60, 1), "mb": memory_mb(process), **counts})
                print(json.dumps(rows[-1]), flush=True)
            for each in running:
                each.result()
    return rows


def memory_mb(process):
    """What a process holds in memory now; 0 if it has ended."""
    with open(f"/proc/{process}/status", encoding="utf-8") as file:
        held = re.search(r"VmRSS:\s+(\d+)", file.read())
    return round(int(held[1]) / 1024) if held else 0


def processor_seconds(process):
    """What a process has used of the processor so far."""
    with open(f"/proc/{process}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def share(times, part):
    return sorted(times)[min(len(times) - 1, int(part * len(times)))]


@contextlib.contextmanager
def serving(*words, **known):
    """A server of our own: its address and the number of its process; `known` is added to its environment."""
    command = [sys.executable, "-m", "turnsmith", "serve", "--port", "0", "--no-open", *words]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, encoding="utf-8", env=os.environ | known
        ) as server,
    ):
        try:
            yield re.search(r"http://\S+", server.stdout.readline())[0], server.pid
        finally:
            server.terminate()


def measure(games=50, seconds=20.0, search=3.0):
    """What was measured, for people and for tests."""
    with serving() as (address, process):
        client = Client(address)
        first = json.loads(client.ask("/api/matches", {"game": "dicewars", "seats": SEATS})[0])
        last = {"key": [first["keys"][0]], "move": "end", "wait": 30}  # compiles every player before it counts
        client.ask(f"/api/matches/{first['match']}/moves", last)
        client.ask("/api/best", {"game": "connect_four", "actions": [], "player": "mcts:simulations=10"})
        before, until = processor_seconds(process), time.monotonic() + seconds
        with ThreadPoolExecutor(games) as people:
            played = list(people.map(lambda number: person(address, until, number), range(games)))
        attacks, rounds = ([took for both in played for took in both[kind]] for kind in (0, 1))
        used = processor_seconds(process) - before
        page = during_searches(address, search)
    return {
        "games": games,
        "games_moved": sum(bool(both[0] and both[1]) for both in played),
        "moves": len(attacks) + len(rounds),
        "processor_ms_a_move": round(1000 * used / (len(attacks) + len(rounds)), 1),
        "attack_median_ms": round(share(attacks, 0.5), 1),
        "attack_p95_ms": round(share(attacks, 0.95), 1),
        "round_of_three_players_median_ms": round(share(rounds, 0.5), 1),
        "round_of_three_players_p95_ms": round(share(rounds, 0.95), 1),
        "page_during_search_median_ms": round(share(page, 0.5), 1),
        "page_during_search_worst_ms": round(max(page), 1),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--minutes", type=float, default=0.0, help="mixed load instead, for so long")
    parser.add_argument("--clients", type=int, default=6)
    given = parser.parse_args()
    if given.minutes:
        mixed(given.minutes, given.clients)
    else:
        print(json.dumps(measure(given.games, given.seconds), indent=2))
