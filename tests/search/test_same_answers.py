"""Every search, and every player of Pac-Man, gives the same answers interpreted and compiled, through a match."""

import numpy as np
import pytest
from asking import CHOICES, GOOFSPIEL, SMALL_CHESS, THICKET, Asked

import turnsmith as ts
from turnsmith.compile.kernel import compiled, interpreted

CONNECT, PIG = "connect_four:width=4,height=4", "pig:target=12"
TINY = "pacman:map=tiny"
HIDDEN = [GOOFSPIEL, "mastermind:colors=4,pegs=2"]
CASES = [
    *[(game, "random") for game in (CONNECT, PIG, *HIDDEN)],
    *[(game, "negamax:depth=3,table=6") for game in (CONNECT, THICKET)],
    (SMALL_CHESS, "negamax:depth=4,table=6,reductions=true,aspiration=true"),
    (THICKET, "negamax:depth=3,table=6,turns=true,aspiration=true"),
    (f"{THICKET}:chance=true", "expectimax:depth=3,table=6,turns=true"),
    (SMALL_CHESS, "maxn:depth=2,turns=true"),
    *[(game, "expectimax:depth=2,table=6") for game in (CONNECT, PIG, THICKET, *HIDDEN)],
    *[(game, "maxn:depth=2") for game in (CONNECT, "pig:target=12,players=3", THICKET, *HIDDEN)],
    *[
        (game, "mcts:simulations=25")
        for game in (CONNECT, "pig:target=12,players=3", f"{THICKET}:branches=99", f"{CHOICES}:seats=3", *HIDDEN)
    ],
    (PIG, "mcts:simulations=25,leaf=evaluate"),
    *[(game, "cfr:iterations=20") for game in ("leduc", GOOFSPIEL)],
    *[(game, "solve") for game in ("connect_four:width=2,height=4", PIG, THICKET)],
    *[
        (f"{TINY},pacmans=2,ghosts=3", text)
        for text in ("original-ghosts", "fuzzy", "sarsa", "junctions:simulations=6")
    ],
    *[
        (TINY, f"{text}depth=2,table=6,exact={exact}")
        for text in ("negamax:", "negamax:evaluation=voronoi,", "learned:")
        for exact in ("true", "false")
    ],
]


@pytest.mark.parametrize(("game", "text"), CASES)
def test_interpreted_and_compiled_decide_alike(game, text):
    """Action, value, work, depth and policy are equal to the last bit at the first decisions of a match."""
    game = ts.load(game)
    seats = {how: {} for how in (compiled, interpreted)}
    position, random = game.start(2), np.random.default_rng(2)
    for _ in range(4):
        if position.outcome:
            break
        answers = []
        for how, asked in seats.items():
            if position.mover not in asked:
                asked[position.mover] = Asked(game, text, seed=position.mover, how=how)
            answers.append(asked[position.mover](position))
        assert answers[0] == answers[1]
        position.push(int(random.choice(position.actions)))
