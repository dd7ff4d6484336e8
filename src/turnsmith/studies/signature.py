"""The signature: one whole number for all that the games and the players that come with turnsmith decide.

It is folded from actions, counts of work, depths and returns of fixed searches, matches and random games. No measured
number of the machine is in it, and no float but returns, in millionths: it is the same everywhere, and a change of any
decision changes it. ``tests/golden/signature.txt`` keeps it, a line a game, so that a diff names the game.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from turnsmith.arena.runners import ArenaPlan, play_compiled
from turnsmith.common.errors import BadInput
from turnsmith.common.files import write_text
from turnsmith.compile.kernel import compiled
from turnsmith.compile.rng import below, stream
from turnsmith.contract.game import OVER, Game
from turnsmith.contract.loading import load
from turnsmith.play import step
from turnsmith.play.player import DEPTH, POLICY, WORK, CompiledPlayer, Player, player
from turnsmith.play.position import Position
from turnsmith.play.tiers import SECOND, code_for, within_tier

ROSTERS = {
    "backgammon": "random expectimax:depth=1,table=4 mcts:simulations=30 learned:turns=2,width=3",
    "breakthrough:width=5,height=6": "random negamax:depth=4,table=10 mcts:simulations=200",
    "connect_four": "random negamax:depth=7,table=12 mcts:simulations=200 alphazero:simulations=100 "
    "zero:simulations=60",
    "connect_four:width=4,height=4": "perfect:table=15 solve expectimax:depth=3,table=6 maxn:depth=3",
    "dicewars:areas=16": "random rand xlogin00 sdc wpm_d wpm_c ste stei wpm_s maxn:lines=20,length=3 "
    "maxn-net:lines=8,length=2 fast strong:rounds=4,width=2 master:rounds=2,width=1",
    "go:size=5": "random mcts:simulations=200 negamax:depth=2,table=6",
    "goofspiel:cards=4": "random mcts:simulations=200 expectimax:depth=1,table=4 cfr:iterations=20",
    "hex:size=5": "random mcts:simulations=200 softmax:player.simulations=20",
    "homeguard:size=7": "random greedy maximin mcts:simulations=200",
    "kuhn": "random mcts:simulations=200 cfr:iterations=40",
    "kuhn:players=3": "mcts:simulations=200",
    "leduc": "random mcts:simulations=200 cfr:iterations=20",
    "mastermind:colors=4,pegs=3": "random random-unique eliminate eliminate-frequency knuth entropy expected-size "
    "most-parts optimal learned expectimax:depth=1,table=4",
    "othello:size=6": "random negamax:depth=5,table=12 mcts:simulations=200",
    "pacman:map=tiny": "random original-ghosts fuzzy sarsa junctions:simulations=8,horizon=10 "
    "negamax:depth=3,table=8 learned:depth=2,table=8 zero:simulations=6",
    "pig:target=20": "random expectimax:depth=3,table=8 maxn:depth=3 mcts:simulations=200 solve "
    "softmax:player=expectimax,player.depth=1,player.table=4,temperature=0.2",
    "pig": "zero:simulations=60",
    "tactics:size=8,team=2": "random rusher matrix personality sniper static camper cells master:playouts=30,width=3",
    "tic_tac_toe": "random negamax:depth=6,table=8 mcts:simulations=200 solve",
    "trails:size=5": "random maxn:depth=3 mcts:simulations=200",
    "trails": "zero:simulations=40",
}
"""Boards of every game, and players with little to do on each. All of their limits are counts, never seconds."""
LEFT_OUT = {
    "mastermind eyes": "it reads pictures by a net whose sums differ between processors",
    "pacman scripted": "it makes the moves that it is told",
}
"""Players of games that are in no roster, and why."""
TURNS = (0, 3, 8, 15)
"""Decisions made at random before the players are asked."""
MOST_TURNS = 500
"""A random game is broken off here; the compiled ones go on to their end."""
SEED = 1
BOUND = 10**8
"""All numbers of a signature are below this."""
TOTAL = "total"


def signature(tell: Callable[[str, int], None] = lambda game, number: None, tier: int = SECOND) -> dict[str, int]:
    """The number of every game that comes with turnsmith, by name, and last that of all together, as TOTAL.

    `tell` is told the number of each game once it is known. Code of either tier (see ``play.tiers``) gives the same.
    """
    from turnsmith.contract.registry import built_in

    numbers: dict[str, int] = {}
    for name in built_in():
        with within_tier(tier):
            numbers[name] = game_signature(name)
        tell(name, numbers[name])
    return {**numbers, TOTAL: fold(numbers.values())}


def game_signature(name: str) -> int:
    """The number of one game: all that happens on its boards."""
    boards = {text: roster for text, roster in ROSTERS.items() if text.partition(":")[0] == name}
    if not boards:
        raise BadInput(f"the signature has no roster for {name}; add its boards and players to ROSTERS")
    return fold(number for text, roster in boards.items() for number in happenings(text, roster))


def fold(numbers: Iterable[int]) -> int:
    """One number below BOUND for a list of them."""
    content = ",".join(map(str, numbers)).encode()
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big") % BOUND


# ---------------------------------------------------------------- what happens


def happenings(text: str, roster: str) -> list[int]:
    """All that happens on one board, as whole numbers: random games, matches, decisions."""
    game = load(text)
    players = [player(one, game) for one in roster.split()]
    return [*_playouts(game), *_matches(game, players), *_random_game(game, players)]


def _playouts(game: Game) -> list[int]:
    """Compiled random games, which draw by the game's own ``pick`` and ``sample``: moves, and what was drawn."""
    boards, rng = game.board(SEED), stream(SEED)
    moves = compiled(step.playouts)(game, boards, 3, *step.buffers(boards), rng)
    return [int(moves), int(rng[0])]


def _matches(game: Game, players: Sequence[Player]) -> list[int]:
    """Whole matches in the compiled loop of the arena; every player sits in every seat once."""
    seats, count = int(game.board(SEED)[0].seats), len(players)
    seating = (np.arange(count)[:, None] + np.arange(seats)[None, :]) % count
    batch = play_compiled(
        ArenaPlan(game, list(players), seating.astype(np.int32), SEED), np.arange(count, dtype=np.int64)
    )
    millionths = np.rint(batch.returns * 1e6).astype(np.int64)
    return [*batch.log.tolist(), *batch.offsets.tolist(), *batch.culprits.tolist(), *millionths.reshape(-1).tolist()]


def _random_game(game: Game, players: Sequence[Player]) -> list[int]:
    """A game of random moves: who moves, among how many moves, which one; and in some positions, what players do."""
    position, rng, happened = Position(game, SEED), stream(SEED), list[int]()
    for turn in range(MOST_TURNS):
        happened += [position.mover, len(position.actions), len(position.history), *position.history[-1:]]
        if position.mover == OVER:
            break
        if turn in TURNS:
            happened += [number for one in players for number in _decision(one, position)]
        with np.errstate(over="ignore"):
            position.push(int(position.actions[int(below(rng, len(position.actions)))]))
    return happened


def _decision(one: Player, position: Position) -> list[int]:
    """What a player with an empty memory does in a position: the action, the work, the depth."""
    assert isinstance(one, CompiledPlayer), f"{one!r} is not compiled"
    game, boards, mover = position.game, position.boards, position.mover
    one.check(game, boards)
    ready = one.prepare(game, boards)
    report, memory = np.zeros(POLICY, np.float64), np.zeros(ready.memory, np.uint8)
    rng = stream(position.seed, len(position.history), mover + 1)
    code, views = code_for(game, one), position.view(mover)
    action = code.decide(one, boards, views, position.actions, ready, memory, report, rng)
    return [action, int(report[WORK]), int(report[DEPTH])]


# ---------------------------------------------------------------- the kept file


def kept_file() -> Path:
    """Where the signature is kept, below the current folder."""
    return Path("tests") / "golden" / "signature.txt"


def write(file: Path, numbers: Mapping[str, int]) -> None:
    """Keep the numbers: a line a game, the total last."""
    write_text(file, "".join(f"{name} {number}\n" for name, number in numbers.items()))


def read(file: Path) -> dict[str, int]:
    """The numbers that ``write`` kept; none where there is no file."""
    if not file.is_file():
        return {}
    rows = [line.split(" ") for line in file.read_text("utf-8").splitlines()]
    if not all(len(row) == 2 and row[1].isdecimal() for row in rows):
        raise BadInput(f"{file} is no signature: every line must be a game and its number; write it anew")
    return {name: int(number) for name, number in rows}
