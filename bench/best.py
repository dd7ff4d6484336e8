"""Whether `best` is the best: it meets every other candidate of a game, at the same CPU time, in starts of no race.

    python bench/best.py --budgets 0.004 --starts 10
    python bench/best.py go ./my_game.py --budgets 1 --starts 4 --rivals 2

`--rivals` takes only those who came nearest in the race. Everybody gets the work of so many CPU seconds a decision, as
the races have measured it. A row is one meeting: the share of wins of `best`, a draw half, with its 95 % interval by
starts. `worse` marks a row whose interval lies below one half. What is done is in `bench/best.json`, so a run that was
stopped goes on; `python docs/make.py` writes the table of docs/reference/levels.md from it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import turnsmith as ts
from turnsmith.arena.pairs import OPENING, pair_rate
from turnsmith.arena.race import Contest, RaceSettings, candidates_in_time
from turnsmith.common.files import write_text
from turnsmith.contract.game import Game
from turnsmith.contract.registry import built_in
from turnsmith.play.choice import BUDGETS, Choice, Race, choice_of
from turnsmith.search.best import with_work

SEED = 1 << 40
"""Races begin at others."""


def meet(game: Game, choice: Choice, best: str, other: str, seconds: float, starts: int) -> dict[str, Any]:
    """One row of the table."""
    board = game.board()[0]
    texts = [repr(with_work(text, game, seconds, choice.speeds[text])) for text in (best, other)]
    opening = 0 if board.outcomes else OPENING
    table = ts.arena(game, texts, starts * int(board.seats), seed=SEED, opening=opening, workers=2, keep="none")
    rate = pair_rate(table)
    return {"best": texts[0], "other": texts[1], **rate.rounded(), "starts": starts}


def rivals_of(game: Game, choice: Choice, race: Race, seconds: float, most: int) -> list[str]:
    """All others who can play at that time, who came nearest to the best first; so many of them at most, 0: all."""
    ratings, _spread = Contest(game, race, choice.speeds, RaceSettings()).ratings()
    known = sorted(range(len(race.entrants)), key=lambda n: -float(ratings[n]))
    texts = dict.fromkeys([*(race.entrants[n] for n in known), *choice.speeds])
    playing = candidates_in_time(game, choice, seconds, [text for text in texts if text != race.best])
    return playing[:most] if most else playing


def rows_of(text: str, budgets: list[float], starts: int, most: int, done: dict[str, Any], file: Path) -> None:
    game = ts.load(text)
    choice = choice_of(game)
    if choice is None or int(game.board()[0].seats) < 2:
        why = "nobody can be beaten" if choice is not None else f"nobody has met; run turnsmith levels {text}"
        print(f"{text}: left out, as {why}", flush=True)
        return
    for seconds in budgets:
        race = choice.nearest(seconds)
        assert race is not None
        for other in rivals_of(game, choice, race, seconds, most):
            key = f"{text} {seconds:g} {other}"
            if done.get(key, {}).get("starts", 0) < starts:
                begun = time.monotonic()
                done[key] = meet(game, choice, race.best, other, seconds, starts)
                done[key]["took"] = round(time.monotonic() - begun, 1)
                write_text(file, json.dumps(done, indent=1) + "\n")
            row = done[key]
            mark = " worse" if row["high"] < 0.5 else ""
            rate = f"{row['rate']:6.1%} [{row['low']:.0%}, {row['high']:.0%}]"
            print(f"{text} {seconds:g} s: {row['best']} v {row['other']}: {rate}{mark}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", help="all that come with turnsmith, if none is named")
    parser.add_argument("--budgets", nargs="+", type=float, default=list(BUDGETS))
    parser.add_argument("--starts", type=int, default=20)
    parser.add_argument("--rivals", type=int, default=0, help="0: all")
    parser.add_argument("--to", type=Path, default=Path(__file__).with_suffix(".json"))
    options = parser.parse_args()
    done = json.loads(options.to.read_text("utf-8")) if options.to.exists() else {}
    for text in options.games or sorted(built_in()):
        rows_of(text, options.budgets, options.starts, options.rivals, done, options.to)
    worse = sum(row["high"] < 0.5 for row in done.values())
    print(f"{len(done)} meetings, {worse} of them worse than even", file=sys.stderr)


if __name__ == "__main__":
    main()
