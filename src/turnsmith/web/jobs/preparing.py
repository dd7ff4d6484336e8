"""What is compiled behind the page, in another process: who waits for it is told what it is and how long it takes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.settings import lasting
from turnsmith.compile.kernel import at_once, never_wait
from turnsmith.contract.game import Game
from turnsmith.languages import _
from turnsmith.play.levels import ladder
from turnsmith.play.player import Player, player
from turnsmith.warm.parts import RULES, UNASKED, CompilePart, choice_part, part_of
from turnsmith.warm.queue import CompileJob, Warming
from turnsmith.web.match.asking import paces
from turnsmith.web.match.changes import Listeners, listening
from turnsmith.web.match.glance import Glance
from turnsmith.web.server.offered import known_game, offered

T = TypeVar("T")
PATIENCE = 15
"""How much the process that compiles lets the page go first."""


class Preparing:
    """The parts that the games of this server need. Without a ``Warming`` nothing is known to be prepared, and whoever
    needs something compiles it."""

    def __init__(self, warming: Warming | None = None):
        self.warming = warming
        self.first: Callable[[], object] = lambda: None
        """What is done before anything is prepared."""
        self.changes = Listeners()
        """Tells when a part is wanted or done, and when nothing is prepared any more."""
        self._works: dict[tuple[str, str], CompileJob] = {}

    def start(self) -> None:
        """Begin with all games of this server, in the background."""
        self.warming = Warming(1, PATIENCE, tell=lambda _job: self.changes.tell())
        never_wait()
        threading.Thread(target=self._fill, daemon=True).start()

    def _fill(self) -> None:
        assert self.warming is not None
        self.warming.start()
        self.first()
        for order, name in enumerate(sorted(offered(), key=lambda name: known_game(name).home == "")):  # files first
            with suppress(BadInput):
                game = known_game(name)
                self.warming.add(game, order)
                unknown = choice_part(game)
                if unknown is not None and game.home:
                    self.warming.add(game, order, parts=[unknown])

    def stop(self) -> None:
        if self.warming is not None:
            self.warming.stop()
            self.changes.tell()

    # ------------------------------------------------------------ waiting

    def want(self, game: Game, who: Player | None = None) -> CompileJob | None:
        """Let a player of a game, or its rules, be prepared next; None if nothing need be waited for."""
        warming = self.warming
        if warming is None or (who is not None and paces.is_known(who, game)):
            return None
        part = CompilePart(game.loads_by, RULES) if who is None else part_of(game, repr(who))
        work = self._works[game.digest, repr(who)] = warming.want(game, part)
        if who is not None:
            warming.improve(game, who)
        self.changes.tell()
        return None if work.ended.is_set() or warming.is_over else work

    async def ready(
        self,
        game: Game,
        who: Player | None = None,
        until: Callable[[], bool] = lambda: False,
        *sources: Listeners,
    ) -> None:
        """Wait until a player, or the rules, are compiled, or `until` says that nobody waits any more; `sources` tell
        when to ask it."""
        work = await asyncio.to_thread(self.want, game, who)
        with listening(self.changes, *sources) as listener:
            while work is not None and not work.ended.is_set() and not until() and self._goes_on():
                await listener.changed()

    def _goes_on(self) -> bool:
        return self.warming is not None and not self.warming.is_over

    def told(self, game: Game, who: Player | None = None, name: str = "") -> str:
        """What somebody who waits for a player, or for the rules, reads; "" if nothing is being prepared."""
        work = self._works.get((game.digest, repr(who)))
        if self.warming is None or work is None or work.ended.is_set() or not self._goes_on():
            return ""
        left = told_left(self.warming.promised(work))
        if who is None:
            return _("The game is being prepared, once on this machine{}").format(left)
        return _("{} is being prepared, once on this machine{}").format(name or repr(who), left)

    def overview(self) -> str:
        """What is being prepared of all there is; "" when all is ready."""
        if self.warming is None or not self._goes_on():
            return ""
        left = [work for work in self.warming.waiting if work.part.kind not in UNASKED]
        if not left:
            return ""
        now = next((work.part.named for work in left if work.begun), "")
        text = _("Preparing opponents in the background: {share:.0%}{left}")
        told = text.format(share=self.warming.share_done, left=told_left(self.warming.promised()))
        return told + (f" ({now})" if now else "")

    @property
    def share_done(self) -> float:
        """How much of that is ready, 0 to 1."""
        return self.warming.share_done if self.warming is not None else 1.0

    # ------------------------------------------------------------ meanwhile

    def quick(self, game: Game, boards: Array, instead_of: Player) -> Player | None:
        """Somebody who can answer now: the strongest level that is ready, else a glance; None if nobody can."""
        if self.warming is None:
            return None
        for level in reversed(ladder(game, boards).levels):
            chosen = player(level.player, game)
            if chosen.name not in (instead_of.name, "random") and self._is_ready(game, chosen):
                return chosen
        return None if game.hides else Glance()

    def _is_ready(self, game: Game, who: Player) -> bool:
        assert self.warming is not None
        return paces.is_known(who, game) or self.warming.is_ready(game, part_of(game, repr(who)))


def told_left(seconds: float | None) -> str:
    """How long there is still to wait, behind what is prepared; nothing of None, where nobody knows."""
    return "" if seconds is None else ": " + _("about {} left").format(lasting(seconds))


def without_compiling(work: Callable[[], T]) -> Callable[[], T]:
    """The same work, which raises ``NotReady`` where it would have to compile."""

    def run() -> T:
        with at_once():
            return work()

    return run
