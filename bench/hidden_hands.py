"""What more thinking brings in games with hidden hands, and what there is to be brought.

    python bench/hidden_hands.py
    python bench/hidden_hands.py --budgets 100,1000 --games 2000

Leduc poker: what `mcts` of each budget gets a game from `cfr`, which nobody can beat, and how much the best answer to
it would win. Trumps, three hands of six cards: how often each budget ends above the one before; and how many of the six
tricks a seat takes that sees all cards. What that seat takes more than its third bounds what any search could learn
about hands from how they were played. All with 95 % intervals.
"""

from __future__ import annotations

import argparse
import dataclasses
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import turnsmith as ts
from turnsmith.arena.pairs import pair_rate

TRUMPS = Path(__file__).parents[1] / "tests/games_for_tests/strangers/trumps.py"
ALL_SEEING = 0
"""The seat that is shown all cards in the last part."""
ASKS = 30
"""Decisions by which a policy is counted, in each information set."""


def with_open_hands(game: ts.Game) -> Any:
    """The same game, in which one seat is shown everything."""
    hide_closed, resample_closed = game.hide, game.resample

    def hide(board, state, viewer):  # a rule, which is compiled
        if viewer != ALL_SEEING:
            hide_closed(board, state, viewer)

    def resample(board, view, viewer, rng):
        if viewer != ALL_SEEING:
            resample_closed(board, view, viewer, rng)

    return dataclasses.replace(game, hide=hide, resample=resample, name="open_trumps")


def mean_of(numbers: np.ndarray) -> str:
    return f"{numbers.mean():+.3f} ± {1.96 * numbers.std() / len(numbers) ** 0.5:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budgets", default="200,1000,5000", help="simulations, rising")
    parser.add_argument("--games", type=int, default=6000, help="of each meeting")
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    players = [f"mcts:simulations={number}" for number in options.budgets.split(",")]
    how = {"seed": options.seed, "keep": "none"}

    for who in players:
        table = ts.arena("leduc", [who, "cfr"], options.games, **how)
        got = (table.returns * (table.seating == 0)).sum(axis=1)
        for name in ("kuhn", "leduc"):
            lost = ts.exploitability(name, who, asks=ASKS).exploitability
            print(f"{name}: the best answer to {who} wins {lost:.3f} a game", flush=True)
        print(f"leduc: {who} gets {mean_of(got)} a game from cfr", flush=True)

    trumps = ts.load(str(TRUMPS))
    for less, more in pairwise(["random", *players]):
        rate = pair_rate(ts.arena(trumps, [more, less], options.games, **how))
        print(f"trumps: {more} ends above {less} in {rate.rate:.1%} [{rate.low:.1%}, {rate.high:.1%}]", flush=True)

    for who in players:
        table = ts.arena(with_open_hands(trumps), [who], options.games, **how)
        print(
            f"trumps: a seat that sees all cards takes {mean_of(table.returns[:, ALL_SEEING] - 2.0)} tricks more",
            flush=True,
        )


if __name__ == "__main__":
    main()
