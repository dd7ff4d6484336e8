"""The process that compiles parts ahead, by doing what the page does with them.

``python -m turnsmith.web.compile_ahead`` is given parts, a JSON line each, and answers each with a line: so compiling
holds up nobody else, and can be ended at any time.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from turnsmith.arena.race import RaceSettings, find_best
from turnsmith.arena.tournament import arena
from turnsmith.common.errors import BadInput
from turnsmith.common.files import write_text
from turnsmith.compile.kernel import keep_gil, never_wait
from turnsmith.compile.numba_private import compiled_in_this_process, touched
from turnsmith.contract.game import Game
from turnsmith.contract.loading import load
from turnsmith.play import step
from turnsmith.play.player import player
from turnsmith.play.seat import Seat
from turnsmith.play.tiers import SECOND, wanted_tier, within_tier
from turnsmith.warm.parts import (
    ARENA,
    CHOICE,
    LONG,
    PLAYER,
    RULES,
    SHORTLY,
    SPEED,
    CompilePart,
    choice_part,
    key_of,
    note_of,
    noted,
)
from turnsmith.web.match.live_match import PERSON, LiveMatch, Participant
from turnsmith.web.pages.viewer import viewer_of
from turnsmith.web.server.bounds import source_of


def compile_part(part: CompilePart) -> dict[str, Any]:
    """Compile a part unless it is done, and note that it is; returns what there is to say of it."""
    game = load(part.game)
    key = key_of(part, game)
    known = noted(key)
    if known is not None:
        return {"seconds": 0.0, "compiled": 0, "error": ""}
    before, first, begun = len(compiled_in_this_process), len(touched), time.monotonic()
    error = ""
    try:
        uses = {RULES: _use_rules, PLAYER: _use_player, ARENA: _use_arena, SPEED: _use_player, CHOICE: _choose}
        with within_tier(SECOND if part.kind == SPEED else wanted_tier()):
            uses[part.kind](game, part)
    except BadInput as refusal:  # nobody plays it on this board: there is nothing to wait for
        error = str(refusal)
    took, count = time.monotonic() - begun, len(compiled_in_this_process) - before
    note = {"part": asdict(part), "seconds": round(took, 2), "compiled": count, "files": sorted(set(touched[first:]))}
    note["python"] = sys.version
    with suppress(OSError):  # then it is done again next time
        note_of(key).parent.mkdir(exist_ok=True)
        write_text(note_of(key), json.dumps(note) + "\n")
    return {"seconds": took, "compiled": count, "error": error}


def _use_rules(game: Game, part: CompilePart) -> None:
    """Begin a match as the page does, look at it, and make a few moves."""
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


def _use_player(game: Game, part: CompilePart) -> None:
    """Let a player decide, within a second or, where its tables take longer, ten."""
    never_wait()  # the rules are a part of their own: until it is done, Python does what they do
    try:
        _ask(game, part.who, SHORTLY)
    except BadInput:
        _ask(game, part.who, LONG)
    finally:
        never_wait(False)


def _ask(game: Game, who: str, seconds: float) -> None:
    position = game.start(1)
    if position.mover >= 0:
        chosen = player(who, game).within(seconds)
        chosen.check(game, position.boards)
        Seat(chosen, game, position.boards).explain(position, seconds)


def _use_arena(game: Game, part: CompilePart) -> None:
    """Play two games of the arena's loop."""
    arena(game, ["random"] * min(2, int(game.board()[0].seats)), games=2, seed=1)


def _choose(game: Game, part: CompilePart) -> None:
    """Find out who plays the game best, within a minute of games."""
    if choice_part(game) is not None:
        find_best(game, RaceSettings())


# ---------------------------------------------------------------- the process


def main() -> None:
    """Answer lines until there are no more; whoever asks may go away at any time, and then this ends too."""
    answers, sys.stdout = sys.stdout, sys.stderr
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
            reply = compile_part(CompilePart(**json.loads(line)))
        except Exception as error:  # of a game or player that is broken: the others go on
            reply = {"seconds": 0.0, "compiled": 0, "error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(reply) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
