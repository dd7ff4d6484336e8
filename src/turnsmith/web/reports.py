"""Balance reports behind the page: a game played often by one player in all seats, and what came of it as one page."""

from __future__ import annotations

import hashlib
import os
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from turnsmith.arena.balance import balance
from turnsmith.arena.store import Store
from turnsmith.languages import _, marked
from turnsmith.texts import BadInput
from turnsmith.web.bounds import NotFound, Refused, described, known_player, source_of
from turnsmith.web.offered import known_game, opponents

MOST_GAMES, USUAL_GAMES = 100_000, 100
MOST_KEPT = 20
"""Reports held in memory; the games of all are in the store."""


class Stopped(Exception):
    """Somebody does not want the report any more."""


@dataclass
class Report:
    """One report: how far it is, and what was found when it is done."""

    name: str
    game: str
    player: str
    games: int
    seed: int
    done: int = 0
    state: str = marked("getting ready: players are compiled once on every machine")
    document: dict[str, Any] | None = None
    stopping: bool = False
    thread: threading.Thread | None = None

    @property
    def is_running(self) -> bool:
        return self.thread is not None and self.thread.is_alive()


class Reports:
    """The reports of a server, one made at a time."""

    def __init__(self, store: Store):
        self.store = store
        self._known: OrderedDict[str, Report] = OrderedDict()
        self._lock = threading.Lock()

    def usual_player(self, text: str) -> str:
        """Who is asked to play for a report: one that takes a few seconds for a hundred games."""
        game = known_game(text)
        found = opponents(game, described(game, source_of(game)))
        return found.get("easy" if "mcts" in found.get("medium", "mcts") else "medium", "random")

    def start(self, text: str, player: str, games: int = USUAL_GAMES, seed: int = 0) -> Report:
        """Begin a report, or give the one there is; what the store has of its games is not played again."""
        game = known_game(text)
        if not 1 <= games <= MOST_GAMES:
            raise BadInput(_("a report here is made of 1 to {games:,} games").format(games=MOST_GAMES))
        who = known_player(player, game)
        who.check(game, described(game, source_of(game)))
        key = "\n".join((game.text_name, game.digest, repr(who), str(games), str(seed)))
        name = hashlib.blake2b(key.encode(), digest_size=8).hexdigest()
        with self._lock:
            found = self._known.get(name)
            if found is not None and (found.document or found.is_running):
                return found
            running = next((each for each in self._known.values() if each.is_running), None)
            if running is not None:
                raise Refused(
                    _("a report on {game} is being made; stop it, or wait for its end").format(game=running.game)
                )
            found = self._known[name] = Report(name, text, repr(who), games, seed)
            while len(self._known) > MOST_KEPT:
                self._known.popitem(last=False)
            found.thread = threading.Thread(target=self._make, args=(found,), daemon=True)
            found.thread.start()
        return found

    def get(self, name: str) -> Report:
        found = self._known.get(name)
        if found is None:
            raise NotFound(_("there is no such report here; open the balance of its game, and it is made again"))
        return found

    def stop(self) -> None:
        for each in self._known.values():
            each.stopping = True

    def _make(self, this: Report) -> None:
        def progress(done: int, total: int) -> None:
            this.done, this.state = done, marked("playing")
            if this.stopping:
                raise Stopped

        game, workers = known_game(this.game), max(1, (os.cpu_count() or 2) - 1)
        try:
            found = balance(
                game, [this.player], this.games, seed=this.seed, workers=workers, store=self.store, progress=progress
            )
            this.document = found.to_dict()
            this.state = marked("done")
        except Stopped:
            this.state = marked("stopped; start the same again to go on")
        except BadInput as error:
            this.state = str(error)
