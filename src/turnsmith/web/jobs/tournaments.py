"""An arena running behind the page: one at a time, to be followed, stopped and gone on with."""

from __future__ import annotations

import os
import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from turnsmith.arena.runners import ArenaPlan
from turnsmith.arena.schedule import Seatings
from turnsmith.arena.store import Store
from turnsmith.arena.streaming import stream
from turnsmith.arena.table import Streamed
from turnsmith.arena.tournament import distinct
from turnsmith.common.errors import BadInput
from turnsmith.languages import _, marked
from turnsmith.maps.record import always_on
from turnsmith.web.match.changes import Listeners
from turnsmith.web.server.bounds import Refused, described, known_player, source_of
from turnsmith.web.server.offered import known_game

MOST_GAMES, MOST_PLAYERS = 1_000_000, 16


@dataclass
class Tournament:
    """One arena: how far it is, and its table so far."""

    run: str
    game: str
    players: list[str]
    games: int
    seed: int = 0
    source: Any = None
    """The one board it is played on; None for those of the seed."""
    done: int = 0
    table: dict[str, Any] = field(default_factory=dict)
    state: str = marked("getting ready: players are compiled once on every machine")
    stopping: bool = False
    key: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    """Whoever has it may stop it: who started it."""
    is_running: bool = True

    def progress(self) -> dict[str, Any]:
        """How far it is, for programs."""
        known = {"run": self.run, "game": self.game, "players": self.players, "games": self.games, "done": self.done}
        return {**known, "seed": self.seed, "state": self.state, "running": self.is_running}


class Tournaments:
    """The arena of a server. It plays in a thread of its own and writes to the store batch by batch."""

    def __init__(self, store: Store):
        self.store = store
        self.latest: Tournament | None = None
        self.changes = Listeners()
        """Tells how an arena goes on."""
        self._lock = threading.Lock()

    def start(self, game: str, players: Sequence[str], games: int, seed: int = 0, source: Any = None) -> Tournament:
        """Begin, or go on with what the store has of it; on the board of a source, if that is given."""
        loaded = known_game(game)
        if not 1 <= len(players) <= MOST_PLAYERS or not 1 <= games <= MOST_GAMES:
            raise BadInput(
                _("an arena here has 1 to {players} players and 1 to {games:,} games").format(
                    players=MOST_PLAYERS, games=MOST_GAMES
                )
            )
        boards = described(loaded, source_of(loaded, source=source))
        if source is not None:
            loaded = always_on(loaded, source)
        known = [known_player(text, loaded) for text in players]
        for contestant in known:
            contestant.check(loaded, boards)
        plan = ArenaPlan(loaded, known, Seatings(len(known), int(boards[0].seats), games, seed), seed)
        with self._lock:
            if self.latest and self.latest.is_running:
                raise Refused(_("an arena is running; wait for its end, or let who started it stop it"))
            fresh = self.latest = Tournament(self.store.open_run(plan), game, list(players), games, seed, source)
            threading.Thread(target=self._play, args=(fresh, plan), daemon=True).start()
        self.changes.tell()
        return fresh

    def go_on(self, row: dict[str, Any], games: int) -> Tournament:
        """Go on with a run of the store, on the board it was played on."""
        source = None
        with suppress(BadInput):  # its moves were not kept, so it was started elsewhere, on boards of the seed
            played = self.store.match(row["run"], 0).source
            source = None if known_game(row["game"]).describe(int(row["seed"])) == played else played
        return self.start(row["game"], row["players"], games, int(row["seed"]), source)

    def halt(self, key: str) -> None:
        """Stop the arena that runs, for who started it."""
        if self.latest is None or not self.latest.is_running:
            raise Refused(_("no arena runs"))
        if not secrets.compare_digest(self.latest.key.encode(), key.encode()):
            raise Refused(_("somebody else started this arena, and only they may stop it"))
        self.stop()

    def stop(self) -> None:
        if self.latest:
            self.latest.stopping = True

    def _play(self, this: Tournament, plan: ArenaPlan) -> None:
        # other processes load a game by its text, which says nothing of a board of one's own
        workers = max(1, (os.cpu_count() or 2) - 1) if this.source is None or plan.is_compiled else 1
        try:
            names = distinct([repr(contestant) for contestant in plan.players])
            steps = stream(plan, this.games, names, workers, self.store)
            self._follow(this, steps)
        except BadInput as error:
            this.state = str(error)
        finally:
            this.is_running = False
            self.changes.tell()

    def _follow(self, this: Tournament, steps: Iterator[tuple[int, Streamed]]) -> None:
        """Play batch by batch, until all games are played or somebody stops it."""
        try:
            for this.done, table in steps:
                this.table = table.to_dict()
                if this.stopping:
                    break
                if this.done:
                    this.state = marked("playing")
                self.changes.tell()
            this.state = marked("done") if this.done == this.games else marked("stopped; start the same again to go on")
        finally:
            steps.close()  # type: ignore[attr-defined]
