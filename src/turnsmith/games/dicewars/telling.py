"""What happened in Dice Wars, for people: the dice of an attack, and a line of the log for a whole one.

The rules know only who wins. The faces that are shown are drawn among those that end so, each as likely as if the dice
had been rolled, by a generator of the position itself: whoever looks, and whenever, sees the same.
"""

from __future__ import annotations

import random
from functools import cache

from turnsmith.games.dicewars.rules import ROLL, WON
from turnsmith.languages import _, counted

SIDES = 6


@cache
def ways(dice: int, total: int) -> int:
    """How many rolls of so many dice have this sum."""
    if dice == 0:
        return int(total == 0)
    return sum(ways(dice - 1, total - face) for face in range(1, SIDES + 1)) if dice <= total else 0


@cache
def sums(attacking: int, defending: int, won: bool) -> tuple[list[tuple[int, int]], list[int]]:
    """The pairs of sums that end so, and how many rolls have them."""
    pairs = [
        (mine, theirs)
        for mine in range(attacking, SIDES * attacking + 1)
        for theirs in range(defending, SIDES * defending + 1)
        if (mine > theirs) == won
    ]
    return pairs, [ways(attacking, mine) * ways(defending, theirs) for mine, theirs in pairs]


def faces(dice: int, total: int, rng: random.Random) -> list[int]:
    """Dice with this sum, each such roll as likely."""
    thrown = []
    for left in range(dice - 1, -1, -1):
        chances = [ways(left, total - face) for face in range(1, SIDES + 1)]
        thrown.append(rng.choices(range(1, SIDES + 1), chances)[0])
        total -= thrown[-1]
    return thrown


def roll(board, state, outcome):
    """The dice of the attacker and of the defender; none where dice are put on areas."""
    if state.phase != ROLL:
        return ()
    attacker, defender = int(state.attacker), int(state.defender)
    dice = int(state.dice[attacker]), int(state.dice[defender])
    rng = random.Random(board.grid.tobytes() + bytes(f"{int(state.battles)} {attacker} {defender} {dice}", "ascii"))
    pairs, chances = sums(*dice, bool(outcome == WON))
    totals = rng.choices(pairs, chances)[0]
    seats = int(state.seat), int(state.owner[defender])
    return tuple((seat, faces(*each, rng)) for seat, each in zip(seats, zip(dice, totals, strict=True), strict=True))


def tell(board, moves):
    """An attack with its dice, or the end of a turn with the dice it brings."""
    (_state, action), *answers = moves
    if action == board.actions - 1:
        return counted("end, +{} die", "end, +{} dice", len(answers)).format(len(answers)) if answers else _("end")
    edge = int(action) % int(board.edges)
    source, target = f"a{int(board.source[edge])}", f"a{int(board.target[edge])}"
    if action >= board.edges:
        return _("{source} to {target}").format(source=source, target=target)
    if not answers:
        return f"{source} {target}"
    state, outcome = answers[0]
    (_mover, mine), (_other, theirs) = roll(board, state, outcome)
    won, lost = _("{source} {target} won, {mine} to {theirs}"), _("{source} {target} lost, {mine} to {theirs}")
    said = won if outcome == WON else lost
    return said.format(source=source, target=target, mine=sum(mine), theirs=sum(theirs))
