"""A short guided tour in the terminal: a code broken, a match, a tournament."""

from rich.console import Console
from rich.rule import Rule

import turnsmith as ts

console = Console(highlight=False)


def say(title, text):
    console.print(Rule(f"[bold]{title}"))
    console.print(text, "")


say("turnsmith", "Games written once, in Python. The first run compiles a few of them; later runs start at once.")

say("Mastermind", "`optimal` breaks a secret code of 6 colours and 4 pegs; no player needs fewer guesses on average.")
game = ts.load("mastermind")
position = game.start(seed=2026)
breaker = ts.player("optimal", game)
while position.outcome is None:
    decision = breaker.act(position.seen_by(0))
    console.print(f"guess [bold]{decision.words}[/]   {decision.note.splitlines()[0] if decision.note else ''}")
    position.push(decision.action)
console.print(position.text(), "")

say("Connect Four", "Monte Carlo tree search against alpha-beta, one match.")
match = ts.play("connect_four", ["mcts:simulations=5000", "negamax:depth=8"], seed=1)
*_, last = match.positions()
console.print(last.text())
console.print(f"{match.players[0]} ● against {match.players[1]} ○: {match.ending}, returns {match.returns}\n")

say("A small arena", "Every start in both seats; rates with 95 % intervals.")
players = ["mcts:simulations=400", "negamax:depth=4", "random"]
console.print(ts.arena("connect_four", players, games=300, workers=2))

say("What next", "turnsmith play mastermind      turnsmith serve      turnsmith --help")
