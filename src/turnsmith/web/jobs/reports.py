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
from turnsmith.common.errors import BadInput
from turnsmith.languages import _, marked
from turnsmith.web.match.changes import Listeners
from turnsmith.web.server.bounds import NotFound, Refused, described, known_player, source_of
from turnsmith.web.server.offered import known_game, opponents

MOST_GAMES, USUAL_GAMES = 100_000, 100
MOST_KEPT = 20
"""Reports held in memory; the games of all are in the store."""


class ReportStopped(Exception):
    """Somebody does not want the report any more."""


@dataclass
class BalanceReport:
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
    is_running: bool = True


class Reports:
    """The reports of a server, one made at a time."""

    def __init__(self, store: Store):
        self.store = store
        self.changes = Listeners()
        """Tells how reports go on."""
        self._known: OrderedDict[str, BalanceReport] = OrderedDict()
        self._lock = threading.Lock()

    def usual_player(self, text: str) -> str:
        """Who is asked to play for a report: one that takes a few seconds for a hundred games."""
        game = known_game(text)
        texts = opponents(game, described(game, source_of(game)))
        return texts.get("easy" if "mcts" in texts.get("medium", "mcts") else "medium", "random")

    def start(self, text: str, player: str, games: int = USUAL_GAMES, seed: int = 0) -> BalanceReport:
        """Begin a report, or give the one there is; what the store has of its games is not played again."""
        game = known_game(text)
        if not 1 <= games <= MOST_GAMES:
            raise BadInput(_("a report here is made of 1 to {games:,} games").format(games=MOST_GAMES))
        who = known_player(player, game)
        who.check(game, described(game, source_of(game)))
        key = "\n".join((game.text_name, game.digest, repr(who), str(games), str(seed)))
        name = hashlib.blake2b(key.encode(), digest_size=8).hexdigest()
        with self._lock:
            report = self._known.get(name)
            if report is not None and (report.document or report.is_running):
                return report
            running = next((other for other in self._known.values() if other.is_running), None)
            if running is not None:
                raise Refused(
                    _("a report on {game} is being made; stop it, or wait for its end").format(game=running.game)
                )
            report = self._known[name] = BalanceReport(name, text, repr(who), games, seed)
            while len(self._known) > MOST_KEPT:
                self._known.popitem(last=False)
            threading.Thread(target=self._make, args=(report,), daemon=True).start()
        self.changes.tell()
        return report

    def get(self, name: str) -> BalanceReport:
        report = self._known.get(name)
        if report is None:
            raise NotFound(_("there is no such report here; open the balance of its game, and it is made again"))
        return report

    def stop(self) -> None:
        for report in self._known.values():
            report.stopping = True

    def _make(self, this: BalanceReport) -> None:
        def progress(done: int, total: int) -> None:
            this.done, this.state = done, marked("playing")
            self.changes.tell()
            if this.stopping:
                raise ReportStopped

        workers = max(1, (os.cpu_count() or 2) - 1)
        try:
            game = known_game(this.game)
            findings = balance(
                game, [this.player], this.games, seed=this.seed, workers=workers, store=self.store, progress=progress
            )
            this.document = findings.to_dict()
            this.state = marked("done")
        except ReportStopped:
            this.state = marked("stopped; start the same again to go on")
        except BadInput as error:
            this.state = str(error)
        finally:
            this.is_running = False
            self.changes.tell()
