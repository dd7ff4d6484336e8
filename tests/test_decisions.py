"""Whole decisions of every compiled player that comes with turnsmith: interpreted, and compiled with bounds checks.

What is read or written past the end of an array shows in both; and both must decide the same. Compiled code that checks
bounds runs in a process of its own, as the main program of this file: that of the first tier, where there is one, so
that a search is compiled once for all games. The signature holds the second tier to the same decisions.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import turnsmith as ts
from turnsmith.compile.rng import stream
from turnsmith.play.player import POLICY, CompiledPlayer, at
from turnsmith.play.position import Position
from turnsmith.play.tiers import FIRST, code_for, within_tier
from turnsmith.search import SEARCHES

SMALL_CHESS = str(Path(__file__).parent / "games_for_tests" / "small_chess.py")
ROSTERS = {
    "connect_four:width=4,height=4": "random negamax:depth=2,table=4 mcts:simulations=12 perfect:table=15",
    "othello:size=4": "negamax:depth=2,table=4 alphazero:simulations=12",
    "leduc": "mcts:simulations=12 cfr:iterations=20",
    "pig:target=8,sides=3": "expectimax:depth=1,table=4 maxn:depth=1 solve "
    "softmax:player=expectimax,player.depth=1,player.table=4,temperature=0.2",
    "mastermind:colors=3,pegs=2": "random random-unique eliminate eliminate-frequency knuth entropy expected-size "
    "most-parts optimal learned",
    "dicewars:areas=8": "rand xlogin00 sdc wpm_d wpm_c ste stei wpm_s maxn:lines=4,length=2 maxn-net:lines=2,length=2 "
    "fast strong:rounds=2,width=1 master:rounds=1,width=1",
    "pacman:map=tiny": "original-ghosts fuzzy junctions:simulations=4,horizon=6 sarsa negamax:depth=1,table=4 "
    "learned:depth=1,table=4 zero:simulations=2",
    "tactics:size=8,team=2": "rusher matrix personality sniper static camper cells master:playouts=6,width=3",
    "tic_tac_toe": "solve negamax:depth=2,table=4",
    "hex:size=3": "mcts:simulations=12 softmax:player.simulations=12",
    "breakthrough:width=3,height=5": "negamax:depth=2,table=4",
    "go:size=3": "mcts:simulations=12",
    "backgammon": "expectimax:depth=1,table=4 learned",
    "kuhn:players=3": "mcts:simulations=12",
    SMALL_CHESS: "negamax:depth=2,table=4,reductions=true,aspiration=true expectimax:depth=2,table=4",
    "goofspiel:cards=3": "mcts:simulations=12",
    "homeguard:size=7": "greedy maximin mcts:simulations=12",
    "trails:size=5": "maxn:depth=2",
    "connect_four": "zero:simulations=2",
    "pig": "zero:simulations=2",
    "trails": "zero:simulations=2",
}
"""Every game on a small board, and its players with little to do; those that know one board alone, on that."""
PLIES = (0, 3, 6)


def roster(game):
    """The compiled players of a roster that do not refuse the board."""
    chosen = (ts.player(text, game) for text in ROSTERS[game.text_name].split())
    return [each for each in chosen if each.refuses(game, game.board(1)[0]) is None]


def positions(game):
    """The positions after some random moves."""
    for plies in PLIES:
        position = Position(game, 1)
        rng = np.random.default_rng(plies)
        for _ in range(plies):
            if position.outcome is None:
                position.push(int(rng.choice(position.actions)))
        if position.outcome is None:
            yield position


def decisions(text, how):
    """What each player of a roster decides and reports in each position."""
    game = ts.load(text)
    found = {}
    for player in roster(game):
        for number, position in enumerate(positions(game)):
            ready, acts = player.prepare(game, position.boards), position.actions
            report, memory = np.zeros(POLICY + len(acts)), np.zeros(ready.memory, np.uint8)
            rest = (ready, memory, report, stream(5, number))
            action = how(player, game, position.boards, position.view(position.mover), acts, *rest)
            found[f"{player!r} {number}"] = [int(action), *report.tolist()]
    return found


def in_python(player, game, boards, views, acts, ready, memory, *rest):
    """One decision, interpreted."""
    with np.errstate(over="ignore"):
        linked = ready.linked(at(game))
        return player.decider_in(game)(game, boards[0], views[0], acts, ready.data, memory, linked, *rest)


def in_machine_code(player, game, *rest):
    """One decision, compiled."""
    with within_tier(FIRST):
        return code_for(game, player).decide(player, *rest)


@pytest.mark.parametrize("text", ROSTERS)
def test_decisions_stay_within_bounds_and_agree(text):
    """Interpreted and compiled with bounds checks, every player decides and reports the same."""
    child = subprocess.run(
        [sys.executable, __file__, text],
        capture_output=True,
        text=True,
        env={**os.environ, "NUMBA_BOUNDSCHECK": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    checked, plain = json.loads(child.stdout), decisions(text, in_python)
    assert set(checked) == set(plain)
    for name, answer in plain.items():
        near = 1e-5 if name.startswith("zero") else 1e-6  # nets add float32, compiled code in another order
        assert checked[name] == pytest.approx(answer, rel=near, abs=1e-9), name


def test_every_compiled_player_is_among_them():
    """A new game, a new search or a new player of a game cannot be forgotten here."""
    assert {text.partition(":")[0] for text in ROSTERS} - {SMALL_CHESS} == set(ts.games())
    rosters = {text: {type(each) for each in roster(ts.load(text))} for text in ROSTERS}
    assert set().union(*rosters.values()) >= {kind for kind in SEARCHES.values() if issubclass(kind, CompiledPlayer)}
    for name in ts.games():
        own = {kind for kind in ts.load(name).players().values() if issubclass(kind, CompiledPlayer)}
        assert own <= set().union(*(rosters[text] for text in ROSTERS if text.partition(":")[0] == name))


if __name__ == "__main__":
    print(json.dumps(decisions(sys.argv[1], in_machine_code)))
