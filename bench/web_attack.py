"""Requests a server should survive: ``python bench/web_attack.py [--requests 5000] [--seed 0]`` starts one, and asks.

Every request is one that is in order, with one to three things changed: a value of another kind or size, a key left
out, a header of another site, a path cut or lengthened, a connection hung up. Prints how many were answered with which
status and what took longest; a status of 500 or more, and an answer that is neither `{"error"}` nor a page, is shown.
"""

import argparse
import copy
import http.client
import json
import random
import time
from collections import Counter

from web_load import Client, memory_mb, serving

PLAYERS = ["random", "mcts:simulations=50", "negamax:depth=2", "solve:limit=1000", "expectimax:depth=1", "maxn:depth=1"]
ODD = [None, True, -1, 0, 1, 2**31, 2**63, 10**30, 0.5, -0.0, "", "x", "a" * 500, "\x00", "🎲", "../../etc/passwd"]
ODD += [[], [[]], [1] * 50, {}, {"": None}, {"a": {"b": {"c": []}}}]
ODD += ["mcts:simulations=-1", "solve:limit=-5", "pacman:map=x", "fast:file=LICENSE", "mcts:simulations=1000000000"]
HEADERS = [{}, {}, {}, {"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Content-Type": "text/plain"}]
HEADERS += [{"X-Forwarded-For": "1.2.3.4"}, {"Accept": "text/markdown"}]
PAGES = ["/", "/watch", "/arena", "/new/pig", "/new/x", "/watch/x?move=1", "/match/x/y", "/join/x/y", "/arena/x"]
SEATS = {"dicewars": ["rand"] * 4, "pacman": ["random"] * 2, "mastermind": ["random"], "pig": ["random"] * 2}


def sources(client):
    """Boards as the games describe them, from matches that were played to their end."""
    found = {}
    for game, seats in SEATS.items():
        match = json.loads(client.ask("/api/matches", {"game": game, "seats": seats})[0])
        while not json.loads(client.ask(f"/api/matches/{match['match']}")[0])["over"]:
            time.sleep(0.2)
        found[game] = json.loads(client.ask(f"/api/matches/{match['match']}/record")[0])
    return found


def in_order(draw, records):
    """Path and body of a request that is in order."""
    game, record = draw.choice(list(records.items()))
    actions = record["actions"][: draw.randrange(len(record["actions"]))]
    given = {"game": game, "actions": actions, "source": record["source"], "seed": record["seed"] % 2**53}
    return draw.choice(
        [
            ("/api/best", {**given, "player": draw.choice(PLAYERS)}),
            ("/api/frames", {**given, "first": max(0, len(actions) - 3), "count": 3}),
            ("/api/matches", {"game": game, "seats": record["players"], "source": record["source"]}),
            (f"/api/games/{game}", None),
            (draw.choice(PAGES), None),
        ]
    )


def changed(draw, thing):
    """The same with one value somewhere in it replaced, left out or doubled."""
    if isinstance(thing, dict) and thing and draw.random() < 0.9:
        key = draw.choice(list(thing))
        if draw.random() < 0.1:
            del thing[key]
        else:
            thing[key] = changed(draw, thing[key])
        return thing
    if isinstance(thing, list) and thing and draw.random() < 0.8:
        place = draw.randrange(len(thing))
        if draw.random() < 0.2:
            thing[place:place] = thing[place : place + 1] * draw.choice([1, 3, 400])
        else:
            thing[place] = changed(draw, thing[place])
        return thing
    if isinstance(thing, int) and draw.random() < 0.4:
        return thing + draw.choice([-1, 1, 99, 2**15, 2**40])
    return copy.deepcopy(draw.choice(ODD))


def send(address, path, body, headers, hangs_up):
    """Status and text of the answer; 0 where nobody waited for one."""
    line = http.client.HTTPConnection(address.removeprefix("http://"), timeout=180)
    data = None if body is None else json.dumps(body).encode()
    try:
        line.request("GET" if body is None else "POST", path, data, {"Content-Type": "application/json", **headers})
        if hangs_up:
            return 0, ""
        answer = line.getresponse()
        return answer.status, answer.read(2000).decode("utf-8", "replace")
    finally:
        line.close()


def attack(requests, seed):
    draw, statuses, slowest, failures = random.Random(seed), Counter(), [], []
    with serving() as (address, process):
        records = sources(Client(address))
        before = memory_mb(process)
        for number in range(requests):
            path, body = copy.deepcopy(in_order(draw, records))
            for _ in range(draw.randint(1, 3)):
                body = changed(draw, body) if body is not None else None
            if draw.random() < 0.1:
                path = draw.choice(
                    [path[: draw.randrange(1, len(path) + 1)], path + "/x", path + "?first=x&move=-9&key=k"]
                )
            begun = time.monotonic()
            try:
                status, text = send(address, path, body, draw.choice(HEADERS), draw.random() < 0.02)
            except (OSError, http.client.HTTPException) as error:
                status, text = 999, repr(error)
            slowest = sorted([*slowest, (time.monotonic() - begun, path, str(body)[:300])], reverse=True)[:3]
            statuses[status] += 1
            told = text.startswith(('{"error"', "<!doctype", "Invalid HTTP")) or status < 400
            if status >= 500 or not told:
                failures.append(
                    {"number": number, "status": status, "path": path, "body": str(body)[:500], "text": text[:300]}
                )
        alive, _ = send(address, "/api/games", None, {}, False)
        after = memory_mb(process)
    shown = [{"seconds": round(took, 1), "path": path, "body": body} for took, path, body in slowest]
    counts = {str(status): count for status, count in sorted(statuses.items())}
    head = {"requests": requests, "statuses": counts, "failed": len(failures), "alive": alive == 200}
    return {**head, "mb": [before, after], "slowest": shown, "failures": failures[:20]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(json.dumps(attack(given.requests, given.seed), indent=1))
