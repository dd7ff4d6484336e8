"""Play a whole game through the JSON API, as an engine would: ``python examples/json_client.py [ADDRESS]``.

Without an address it starts a server of its own, and stops it at the end.
"""

import json
import re
import subprocess
import sys
import tempfile
import urllib.request


def ask(address, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def play(address):
    print(", ".join(game["name"] for game in ask(address, "/api/games")))
    match = ask(address, "/api/matches", {"game": "connect_four", "seats": ["person", "mcts:simulations=50"]})
    place, key = f"/api/matches/{match['match']}", [match["keys"][0]]
    while not match["over"]:
        hint = ask(address, place + "/hint", {"key": key, "player": "negamax:depth=5"})
        match = ask(address, place + "/moves", {"key": key, "move": hint["words"], "wait": 30})
        print(" ".join(line["words"] for line in match["log"]))
    print(f"{match['ending']}, returns {match['returns']}")
    best = ask(address, "/api/best", {"game": "connect_four", "actions": match["actions"][:6], "player": "mcts"})
    print(f"after six moves mcts would have played {best['words']}")
    print(f"{len(ask(address, place + '/frames')['frames'])} pictures of it, as SVG")


if len(sys.argv) > 1:
    play(sys.argv[1])
else:
    command = [sys.executable, "-m", "turnsmith", "serve", "--port", "0", "--no-open"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, encoding="utf-8") as server,
    ):
        try:
            play(re.search(r"http://\S+", server.stdout.readline())[0])
        finally:
            server.terminate()
