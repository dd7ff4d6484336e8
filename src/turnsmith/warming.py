"""What the page wants compiled of a game, part by part; and the process that compiles it ahead.

A part that is done leaves a note in the cache folder: the files of compiled code it needs, and how long it took here.
While the note and its files are there, nothing is to be done. ``python -m turnsmith.warming`` is given parts, a JSON
line each, and answers each with a line: so compiling holds up nobody else, and can be ended at any time.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from turnsmith.cache import cache_folder
from turnsmith.digest import digest
from turnsmith.files import write_text
from turnsmith.game import Game, load
from turnsmith.kernel import never_wait
from turnsmith.levels import ladder
from turnsmith.player import Player, player
from turnsmith.texts import BadInput

RULES, PLAYER, ARENA = "rules", "player", "arena"
USUAL = "easy"
"""The level that is proposed to who has never chosen one."""
ROUGHLY = {RULES: 8.0, ARENA: 6.0, "negamax": 20.0, "softmax": 20.0, "zero": 50.0, "mcts": 30.0}
ROUGHLY |= {"tactics rules": 45.0, "dicewars rules": 35.0, "mastermind rules": 25.0, "homeguard rules": 20.0}
ROUGHLY |= {"pacman negamax": 80.0, "pacman zero": 100.0, "trails zero": 70.0, "go mcts": 50.0}
"""Seconds that compiling takes where nobody has measured it yet: of a kind, or of a game's; other players take
OTHERS. How much faster or slower a machine is shows as soon as the first part is done."""
OTHERS = 15.0
SHORTLY, LONG = 1.0, 10.0
"""Seconds that a player is given to decide: enough to come by all its code; the second where the first was not."""


@dataclass(frozen=True)
class Part:
    """Something to be compiled: the rules of a game as the page uses them, one of its players, or its arena."""

    game: str
    kind: str
    who: str = ""

    @property
    def named(self) -> str:
        """What it is, for people."""
        return f"{Path(self.game).stem if os.sep in self.game else self.game}: {self.who or self.kind}"

    @property
    def roughly(self) -> float:
        game, kind = self.game.partition(":")[0], self.who.partition(":")[0] or self.kind
        return ROUGHLY.get(f"{game} {kind}", ROUGHLY.get(kind, OTHERS))


def parts_of(game: Game) -> list[Part]:
    """All parts of a game, most wanted first: rules, the usual opponent, the adviser, other levels, the arena.

    No board is drawn for this, as that may have to be compiled; who refuses the board is passed over later.
    """
    named = {each.name: each.player for each in ladder(game).levels}
    texts = [named.get(USUAL, next(iter(named.values()), "random")), *reversed(named.values())]
    texts.append(next(reversed(game.players()), "mcts"))
    kinds: dict[tuple[str, ...], str] = {}
    for text in texts:
        kinds.setdefault(_kind_of(player(text, game), game), text)
    players = [part_of(game, text) for text in kinds.values()]
    return list(dict.fromkeys([Part(game.loads_by, RULES), *players, Part(game.loads_by, ARENA)]))


def part_of(game: Game, who: str) -> Part:
    """The part that a player is; a random one is tried with the rules."""
    return Part(game.loads_by, RULES) if who == "random" else Part(game.loads_by, PLAYER, who)


def _kind_of(who: Player, game: Game) -> tuple[str, ...]:
    """What tells players apart for the compiler: settings are data, and compile nothing."""
    return tuple(each.name for each in (who, *who.asks(game)))


STILL = "still.svg"


def still_of(game: Game) -> str:
    """A picture drawn ahead, that comes in the folder of a game whose board takes compiled code to draw; "" if none."""
    beside = game._module_file.with_name(STILL) if game._module_file else None
    return beside.read_text("utf-8") if beside is not None and beside.is_file() else ""


# ---------------------------------------------------------------- notes


def key_of(part: Part, game: Game) -> str:
    """The name of a part's note: whatever may change the compiled code is in it."""
    kind = _kind_of(player(part.who, game), game) if part.who else ()
    return digest(game.digest, part.kind, *kind, _ours(), sys.version)


@cache
def _ours() -> str:
    """All our code, and the compiler's version."""
    import numba

    return digest(numba.__version__, *sorted(Path(__file__).parent.rglob("*.py")))


def _note_of(key: str) -> Path:
    return cache_folder() / "warm" / f"{key}.json"


def noted(key: str) -> dict[str, Any] | None:
    """What the note of a part says, as long as all the compiled code it needs is still there."""
    try:
        found = json.loads(_note_of(key).read_text("utf-8"))
        whole = all((cache_folder() / str(name)).exists() for name in found["files"])
        return {"seconds": float(found["seconds"])} if whole else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


# ---------------------------------------------------------------- compiling


def compile_part(part: Part) -> dict[str, Any]:
    """Compile a part unless it is done, and note that it is; returns what there is to say of it."""
    from turnsmith.numba_private import compiled_in_this_process, touched

    game = load(part.game)
    key = key_of(part, game)
    known = noted(key)
    if known is not None:
        return {"seconds": 0.0, "compiled": 0, "error": ""}
    before, first, begun = len(compiled_in_this_process), len(touched), time.monotonic()
    error = ""
    try:
        {RULES: _use_rules, PLAYER: _use_player, ARENA: _use_arena}[part.kind](game, part)
    except BadInput as refusal:  # nobody plays it on this board: there is nothing to wait for
        error = str(refusal)
    took, count = time.monotonic() - begun, len(compiled_in_this_process) - before
    note = {"part": asdict(part), "seconds": round(took, 2), "compiled": count, "files": sorted(set(touched[first:]))}
    with suppress(OSError):  # then it is done again next time
        _note_of(key).parent.mkdir(exist_ok=True)
        write_text(_note_of(key), json.dumps(note) + "\n")
    return {"seconds": took, "compiled": count, "error": error}


def _use_rules(game: Game, part: Part) -> None:
    """Begin a match as the page does, look at it, and make a few moves."""
    from turnsmith.web.bounds import source_of
    from turnsmith.web.live_match import PERSON, LiveMatch, Participant
    from turnsmith.web.pages.viewer import viewer_of

    source = source_of(game, 1)
    seats = [Participant(PERSON, f"key {seat}") for seat in range(int(game.build(source)[0].seats))]
    match = LiveMatch("", game, source, 1, seats)
    match.begin()
    for _ in range(4):
        if match.over:
            break
        viewer_of(match, [seats[match.mover].key])
        match.push(int(match.position.actions[-1]))
    viewer_of(match, [seats[0].key])
    _ask(game, "random", SHORTLY)


def _use_player(game: Game, part: Part) -> None:
    """Let a player decide, within a second or, where its tables take longer, ten."""
    never_wait()  # the rules are a part of their own: until it is done, Python does what they do
    try:
        _ask(game, part.who, SHORTLY)
    except BadInput:
        _ask(game, part.who, LONG)
    finally:
        never_wait(False)


def _ask(game: Game, who: str, seconds: float) -> None:
    from turnsmith.seat import Seat

    position = game.start(1)
    if position.mover >= 0:
        chosen = player(who, game).within(seconds)
        chosen.check(game, position.boards)
        Seat(chosen, game, position.boards).explain(position, seconds)


def _use_arena(game: Game, part: Part) -> None:
    """Play two games of the arena's loop."""
    from turnsmith.arena import arena

    arena(game, ["random"] * min(2, int(game.board()[0].seats)), games=2, seed=1)


# ---------------------------------------------------------------- the process


def main() -> None:
    """Answer lines until there are no more; whoever asks may go away at any time, and then this ends too."""
    answers, sys.stdout = sys.stdout, sys.stderr
    from turnsmith import step
    from turnsmith.kernel import keep_gil

    keep_gil(*step.SHORT)  # as in the server: it is a part of what is compiled
    asked: queue.Queue[str] = queue.Queue()

    def listen() -> None:
        for line in sys.stdin:
            asked.put(line)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        line = asked.get()
        try:
            said = compile_part(Part(**json.loads(line)))
        except Exception as error:  # of a game or player that is broken: the others go on
            said = {"seconds": 0.0, "compiled": 0, "error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(said) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
