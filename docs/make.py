"""Write docs/games/*.md and their pictures from the games themselves: ``python docs/make.py``.

A test fails when the pages and the games no longer say the same.
"""

import json
import re
import sys
from pathlib import Path

import turnsmith as ts
from turnsmith.arena.race import rate_of_meeting
from turnsmith.common.settings import settings
from turnsmith.play.choice import choice_beside
from turnsmith.play.levels import measured
from turnsmith.play.player import players

HERE = Path(__file__).parent
BEST = HERE.parent / "bench" / "best.json"
"""What ``bench/best.py`` has measured, kept so that it goes on."""
SHOWN = {  # the words of a position worth a picture, after the start with seed 1
    "connect_four": "d d d c c e b f e e f b",
    "othello": "d3 c5 f6 f5 e6 e3 c3 f3 c4 b4",
    "leduc": "raise call",
    "tic_tac_toe": "b2 a1 c1 a3 a2",
    "hex": "f6 g5 e7 e6 d7 f8 g8 h6",
    "breakthrough": "d7 d6;e2 e3;d6 d5;e3 e4;d5 e4;d2 d3",
    "go": "e5 c3 g7 g3 c7 e3 f3 f4 e4 f2",
    "goofspiel": "7 9",
    "kuhn": "check bet",
    "trails": "c2 f2 e6 d2 f3 d6 d3 e3 c6 d4 e4 b6",
    "pig": "roll roll hold roll hold roll roll",
    "mastermind": "aabb;ccde;bfca",
    "dicewars": "",
    "pacman": "ad;swws;ad;swws;sw",
    "homeguard": "1b2 2h8;1h2 2b8;1c3 2stay;1i3 2c9;1d4 2stay;1h4 2d8;1e3 2portal;1g5 2e7",
    "tactics": "g1;g4;x18;u18;h1;m1;x17;s18;g2;h5;w18;u20;h2;e4;w17;w21;l3;red2;v13;green1;m5;red2;q14;green2;n5;red2",
}


def position_to_show(game):
    position = game.start(seed=1)
    words = SHOWN.get(game.name, "")
    for move in words.split(";") if ";" in words else words.split():
        if move in position.legal or ";" in words:
            position.push(move)
    return position


def page(game):
    title = game.name.replace("_", " ").title()
    lines = [f"# {title}", "", f"![{title}](../pictures/{game.name}.svg)", "", game.doc, ""]
    if game.options is not None:
        lines += ["## Options", "", "| option | default | meaning |", "|---|---|---|"]
        lines += [f"| `{s.name}` | `{s.default}` | {s.help} |" for s in settings(type(game.options))]
        lines.append("")
    lines += ["## Players", "", "| player | how it plays | settings |", "|---|---|---|"]
    board = game.board()[0]
    for name, kind in players(game).items():
        if kind().refuses(game, board) is None:
            shown = "<br>".join(f"`{s.name}={s.default}` {s.help}" for s in settings(kind))
            lines.append(f"| `{name}` | {kind.summary} | {shown} |")
    return "\n".join(lines + words_of("\n".join(lines))) + "\n"


EXPLAINED = (
    "AlphaZero",
    "CFR",
    "CMA-ES",
    "Elo",
    "MAP-Elites",
    "MCTS",
    "max^n",
    "negamax",
    "numba",
    "ONNX",
    "PPO",
    "PUCT",
    "SARSA",
)


def words_of(page):
    """A sentence on each word that a newcomer may not know and that the page uses, as the glossary has it."""
    rows = (HERE / "reference" / "glossary.md").read_text("utf-8")
    known = dict(re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", rows, re.M))
    used = [word for word in EXPLAINED if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", page, re.I)]
    lines = [f"- **{word}**: {known[word]}." for word in used]
    return ["", "## Words on this page", "", *lines] if lines else []


MARK = "<!-- below: written by docs/make.py -->"


def levels_page():
    """The page of levels, with the tables of all that were measured below its mark."""
    found = {name: measured(ts.load(name)) for name in ts.games()}
    lines = []
    for name, ladder in found.items():
        if ladder is None:
            continue
        levels = [rung for rung in ladder.rungs if rung.name or rung.tier]
        title = name.replace("_", " ").title()
        lines += [
            f"## {title}",
            "",
            f"| level | rating (95 %) | seconds | {' | '.join(called(at) for at in levels)} |",
        ]
        lines.append("|---" * (3 + len(levels)) + "|")
        for each in levels:
            seen = [each.chances.get(other.player) for other in levels]
            shares = " | ".join(str(chance or "") for chance in seen)
            rating = f"{each.rating:.0f} ({each.low:.0f} to {each.high:.0f})"
            name = f"`{each.name}`" if each.name else "best"
            lines.append(f"| {called(each)} {name} | {rating} | {each.seconds:.2g} | {shares} |")
        lines.append("")
        names = [f"`{each.name}`" if each.name else called(each) for each in levels]
        lines += [f"- {name}: `{each.player}`. {each.sentence}" for name, each in zip(names, levels, strict=True)]
        others = [f"`{each.player}` ({each.rating:.0f})" for each in ladder.rungs if each not in levels]
        lines += [f"- between them, for `adaptive`: {', '.join(others)}"] if others else []
        lines.append("")
    lines += [*best_players(), *best_against_all()]
    page = (HERE / "reference" / "levels.md").read_text("utf-8")
    return page[: page.index(MARK)] + MARK + "\n\n" + "\n".join(lines).rstrip() + "\n"


def called(rung):
    """The stars of a level; of the best player of a slower tier, its time."""
    return rung.stars_only or f"{rung.tier:g} s"


def best_players():
    """Who won the races of each game: a row a game and time."""
    lines = ["## The best players", "", "| game | CPU s a move | `best` | starts | nearest rival, and the share won |"]
    lines.append("|---" * 5 + "|")
    for name in ts.games():
        choice = choice_beside(ts.load(name))
        for race in choice.races if choice is not None else ():
            rivals = [met for met in race.meetings if race.best in (met.one, met.other) and met.starts]
            rates = {m.other if m.one == race.best else m.one: rate_of_meeting(m, race.best) for m in rivals}
            nearest = min(rates, key=lambda rival: rates[rival].rate, default="")
            rate = rates.get(nearest)
            told = f"`{nearest}`: {rate.rate:.0%} ({rate.low:.0%} to {rate.high:.0%}) of {rate.games}" if rate else ""
            lines.append(f"| {name} | {race.seconds:g} | `{race.best}` | {race.starts} | {told} |")
    return lines


def best_against_all():
    """How `best` did against other candidates in starts of no race, a row a game and time: what bench/best.py kept."""
    if not BEST.exists():
        return []
    lines = [
        "",
        "## The best players against the others",
        "",
        "| game | CPU s a move | `best` | met | starts each | least share of `best`, and against whom | below half |",
        "|---" * 7 + "|",
    ]
    meetings = {}
    for key, row in json.loads(BEST.read_text("utf-8")).items():
        game, seconds, _ = key.split(" ", 2)
        meetings.setdefault((game, float(seconds)), []).append(row)
    for (game, seconds), rows in sorted(meetings.items()):
        least = min(rows, key=lambda row: row["rate"])
        share = f"{least['rate']:.0%} ({least['low']:.0%} to {least['high']:.0%}): `{least['other']}`"
        starts, worse = min(row["starts"] for row in rows), sum(row["high"] < 0.5 for row in rows)
        name = Path(game).stem if game.endswith(".py") else game
        lines.append(f"| {name} | {seconds:g} | `{least['best']}` | {len(rows)} | {starts} | {share} | {worse} |")
    return lines


def pages():
    """Path under docs/ and content of every file this script owns."""
    found = {"reference/levels.md": levels_page()}
    for name in ts.games():
        game = ts.load(name)
        found[f"games/{name}.md"] = page(game)
        found[f"pictures/{name}.svg"] = position_to_show(game).picture(0) + "\n"
    return found


if __name__ == "__main__":
    for name, content in pages().items():
        target = HERE / name
        target.parent.mkdir(exist_ok=True)
        target.write_text(content, "utf-8")
        sys.stdout.write(f"{name}\n")
