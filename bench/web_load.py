"""Fifty people at once: ``python bench/web_load.py [--games 50] [--seconds 20]`` starts a server, plays, prints, stops.

Every person plays an own game of Dice Wars against three players through the JSON API and thinks a second between
moves, as people do at the least. Then the page's answers are timed while searches of three seconds keep every thread
for searches busy.
"""

import argparse
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

SEATS = ["person", "fast", "sdc", "ste"]
THINK = 1.0


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
            raise RuntimeError(f"{path}: {answer.status} {found[:200]}")
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


def processor_seconds(process):
    """What a process has used of the processor so far."""
    with open(f"/proc/{process}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def share(times, part):
    return sorted(times)[min(len(times) - 1, int(part * len(times)))]


def measure(games=50, seconds=20.0, search=3.0):
    """What was measured, for people and for tests."""
    command = [sys.executable, "-m", "turnsmith", "serve", "--port", "0", "--no-open"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server,
    ):
        try:
            address = re.search(r"http://\S+", server.stdout.readline())[0]
            client = Client(address)
            first = json.loads(client.ask("/api/matches", {"game": "dicewars", "seats": SEATS})[0])
            last = {"key": [first["keys"][0]], "move": "end", "wait": 30}  # compiles every player before it counts
            client.ask(f"/api/matches/{first['match']}/moves", last)
            client.ask("/api/best", {"game": "connect_four", "actions": [], "player": "mcts:simulations=10"})
            before, until = processor_seconds(server.pid), time.monotonic() + seconds
            with ThreadPoolExecutor(games) as people:
                played = list(people.map(lambda number: person(address, until, number), range(games)))
            attacks, rounds = ([took for both in played for took in both[kind]] for kind in (0, 1))
            used = processor_seconds(server.pid) - before
            page = during_searches(address, search)
        finally:
            server.terminate()
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
    given = parser.parse_args()
    print(json.dumps(measure(given.games, given.seconds), indent=2))
