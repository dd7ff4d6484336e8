"""What the page wants compiled of a game, part by part.

A part that is done leaves a note in the cache folder: the files of compiled code it needs, and how long it took here.
While the note and its files are there, nothing is to be done. ``web.compile_ahead`` compiles parts in a process of its
own.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from turnsmith.compile import shipped
from turnsmith.compile.cache import cache_folder
from turnsmith.compile.digest import digest
from turnsmith.contract.game import Game
from turnsmith.contract.outcome import COST, SCORE
from turnsmith.play.choice import choice_of
from turnsmith.play.levels import ladder
from turnsmith.play.player import BEST, CompiledPlayer, Player, player
from turnsmith.play.tiers import has_first_tier

RULES, PLAYER, ARENA, SPEED, CHOICE = "rules", "player", "arena", "full speed", "the best player"
UNASKED = (SPEED, CHOICE)
"""Kinds that make a game better to play, and that nobody waits for."""
USUAL = "easy"
"""The level that is proposed to who has never chosen one."""
SHORTLY, LONG = 0.2, 10.0
"""Seconds that a player is given to decide: enough to come by all its code; the second where the first was not."""


@dataclass(frozen=True)
class CompilePart:
    """Something to be compiled: the rules of a game as the page uses them, one of its players, or its arena.

    Of games that are really played, also a player at full speed: the second tier, see ``play.tiers``; and who plays a
    game best, where no games have shown it yet.
    """

    game: str
    kind: str
    who: str = ""

    @property
    def named(self) -> str:
        """What it is, for people."""
        what = f"{self.who} at {SPEED}" if self.kind == SPEED else self.who or self.kind
        return f"{Path(self.game).stem if os.sep in self.game else self.game}: {what}"


def parts_of(game: Game) -> list[CompilePart]:
    """All parts of a game, most wanted first: rules, the usual opponent, the adviser, other levels, the arena.

    No board is drawn for this, as that may have to be compiled; who refuses the board is passed over later.
    """
    texts = [_usual(game), *(level.player for level in reversed(ladder(game).levels))]
    texts.append(BEST)
    kinds: dict[tuple[str, ...], str] = {}
    for text in texts:
        kinds.setdefault(_kind_of(player(text, game), game), text)
    players = [part_of(game, text) for text in kinds.values()]
    return list(dict.fromkeys([CompilePart(game.loads_by, RULES), *players, CompilePart(game.loads_by, ARENA)]))


def _usual(game: Game) -> str:
    """Who plays against people who have never chosen a level."""
    named = {level.name: level.player for level in ladder(game).levels}
    return named.get(USUAL, next(iter(named.values()), "random"))


def first_parts(game: Game) -> list[CompilePart]:
    """What the first match of a game needs: its rules, and its usual opponent; its adviser where nobody wins, as
    people play such games alone."""
    who = BEST if game.winner in (SCORE, COST) else _usual(game)
    return list(dict.fromkeys([CompilePart(game.loads_by, RULES), part_of(game, who)]))


def speed_part(game: Game, who: Player) -> CompilePart | None:
    """The part that a player at full speed is; None where it has no other speed."""
    if not isinstance(who, CompiledPlayer) or who.name == "random" or not has_first_tier(game, who):
        return None
    return CompilePart(game.loads_by, SPEED, repr(who))


def choice_part(game: Game) -> CompilePart | None:
    """Finding out who plays a game best; None where games have shown it of just these rules."""
    known = choice_of(game)
    return None if known is not None and known.digest == game.digest else CompilePart(game.loads_by, CHOICE)


def part_of(game: Game, who: str) -> CompilePart:
    """The part that a player is; a random one is tried with the rules."""
    return CompilePart(game.loads_by, RULES) if who == "random" else CompilePart(game.loads_by, PLAYER, who)


def _kind_of(who: Player, game: Game) -> tuple[str, ...]:
    """What tells players apart for the compiler: settings are data, and compile nothing."""
    return tuple(asked.name for asked in (who, *who.asks(game)))


STILL = "still.svg"


def still_of(game: Game) -> str:
    """A picture drawn ahead, that comes in the folder of a game whose board takes compiled code to draw; "" if none."""
    beside = game._module_file.with_name(STILL) if game._module_file else None
    return beside.read_text("utf-8") if beside is not None and beside.is_file() else ""


# ---------------------------------------------------------------- notes


def key_of(part: CompilePart, game: Game) -> str:
    """The name of a part's note: whatever may change the compiled code is in it."""
    kind = _kind_of(player(part.who, game), game) if part.who else ()
    return digest(game.digest, part.kind, *kind, _ours(), shipped.python())


@cache
def _ours() -> str:
    """All our code, and the compiler's version."""
    import numba

    return digest(numba.__version__, *sorted(Path(__file__).parent.parent.rglob("*.py")))


def note_of(key: str) -> Path:
    return cache_folder() / "warm" / f"{key}.json"


def noted(key: str) -> dict[str, Any] | None:
    """What the note of a part says, as long as all the compiled code it needs is still there."""
    try:
        file = note_of(key)
        note = json.loads(file.read_text("utf-8")) if file.exists() else shipped.note(key) or {}
        whole = note.get("python", sys.version) == sys.version and all(_is_there(str(name)) for name in note["files"])
        return {"seconds": float(note["seconds"])} if whole else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


def _is_there(file: str) -> bool:
    return (cache_folder() / file).exists() or shipped.has(file)
