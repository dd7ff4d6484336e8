"""The host of all matches: takes people's moves, lets players think off the event loop, and answers questions."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from turnsmith.arena.store import Store
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import NotReady
from turnsmith.languages import _, marked
from turnsmith.maps.making.maker import Proposal
from turnsmith.maps.record import GameMap
from turnsmith.play.player import BEST, Decision, player
from turnsmith.play.position import PositionView
from turnsmith.web.jobs.preparing import Preparing, without_compiling
from turnsmith.web.jobs.reports import Reports
from turnsmith.web.jobs.tournaments import Tournaments
from turnsmith.web.jobs.trainings import Trainings
from turnsmith.web.match.asking import PlayerQuestion
from turnsmith.web.match.changes import Listeners, listening
from turnsmith.web.match.live_match import LiveMatch
from turnsmith.web.match.matches import Matches
from turnsmith.web.server.bounds import Refused, known_player, stand
from turnsmith.web.server.offered import known_game
from turnsmith.web.server.reach import Reach
from turnsmith.web.server.workers import Busy, Workers
from turnsmith.web.studio.studio import Studio
from turnsmith.web.studio.studios import Studios

T = TypeVar("T")
log = logging.getLogger(__name__)
QUICK_SECONDS = 2.0
"""What a player may take that answers while another is prepared."""
STRETCH = 0.05
"""Seconds for which quick players move on and on before others have a turn."""
STORE_SECONDS = 5.0
"""How long a page waits for a store that another program has locked."""
MOST_WAITING = 32
"""Things to be done in one studio at once."""


class Host:
    """What pages and the JSON API share. Its methods belong to one event loop; `client` is who asks, an address.

    seconds: the most a player may think about one move here. runs: the folder whose trainings may be looked at.
    """

    def __init__(self, store: str, seconds: float, runs: Path | None = None):
        if store in ("sqlite://", "sqlite:///:memory:"):
            raise BadInput(f"the store '{store}' is gone with each thread; give a file, e.g. sqlite:///turnsmith.db")
        self.store = Store(store, STORE_SECONDS)
        self.matches = Matches(self.store)
        self.arenas = Store(store)
        """The same for arenas, which have time to wait until nobody has locked it."""
        self.tournaments = Tournaments(self.arenas)
        self.reports = Reports(self.store)
        self.trainings = Trainings(runs)
        self.studios = Studios(self.store)
        self.seconds = seconds
        self.searches = Workers(max(4, (os.cpu_count() or 1) + 2), 64, "search", patience=10)
        self.chores = Workers(4, 256, "chore")
        self.reach = Reach()
        self.preparing = Preparing()
        self.is_closing = False
        """Whether the server is about to end: streams end then too."""
        self.closing = Listeners()
        """Tells streams that the server is about to end."""
        self._driven: dict[str, asyncio.Task[None]] = {}

    def end_streams(self) -> None:
        """Let all streams end, because the server will."""
        self.is_closing = True
        self.closing.tell()

    def close(self) -> None:
        self.preparing.stop()
        self.tournaments.stop()
        self.reports.stop()
        for task in self._driven.values():
            task.cancel()
        self.searches.close()
        self.chores.close()
        self.store.close()
        self.arenas.close()

    @property
    def is_busy(self) -> bool:
        """Whether a thread is at work."""
        return self.searches.is_busy or self.chores.is_busy

    async def do(self, client: str, work: Callable[[], T]) -> T:
        """Something short that would still hold up the event loop."""
        return await self.chores.run(client, work)

    async def do_at_once(self, client: str, game: str, work: Callable[[], T]) -> T:
        """The same for what a game's rules are needed for: where they cannot do it yet, when they are prepared."""
        if self.preparing.warming is not None:
            try:
                return await self.do(client, without_compiling(work))
            except NotReady:
                await self.preparing.ready(known_game(game))
        return await self.do(client, work)

    async def create(self, client: str, game: str, seats: Sequence[str], **asked: Any) -> LiveMatch:
        match = await self.do_at_once(client, game, lambda: self.matches.create(game, seats, owner=client, **asked))
        self.drive(match)
        return match

    async def get(self, client: str, name: str) -> LiveMatch:
        match = self.matches.held(name)
        if match is None:
            match = await self.do(client, lambda: self.matches.get(name))
        match.owner = match.owner or client
        match.seen = time.monotonic()
        self.drive(match)
        return match

    async def move(self, client: str, match: LiveMatch, keys: Sequence[str], move: str | int) -> None:
        """Make a person's move; the players' answers follow by themselves."""

        def work() -> None:
            match.check_clock()
            with self.matches.changing(match):
                if match.over:
                    raise Refused(_("the game is over; start another"))
                if not match.may_move(keys):
                    handed = match.mover in match.stand_ins and match.mover in match.owned(keys)
                    cure = _("a player moves for you; take your seat back") if handed else _("wait for the other seats")
                    raise Refused(_("it is not your turn; {cure}").format(cure=cure))
                match.push(move)
            self._quickly(match)

        await self.do(client, work)
        self.drive(match)

    async def undo(self, client: str, match: LiveMatch, keys: Sequence[str]) -> None:
        await self.change(client, match, lambda: match.undo(keys))

    async def resign(self, client: str, match: LiveMatch, keys: Sequence[str]) -> None:
        await self.change(client, match, lambda: match.resign(keys))

    async def change(self, client: str, match: LiveMatch, work: Callable[[], T]) -> T:
        """Do something that changes a match, and write it; the players' answers follow by themselves."""

        def written() -> T:
            with self.matches.changing(match):
                return work()

        done = await self.do(client, written)
        self.drive(match)
        return done

    async def hint(
        self, client: str, match: LiveMatch, keys: Sequence[str], who: str = "", begun: str = ""
    ) -> Decision:
        """What a player would do in the asker's place; `begun`: pieces of a move that are chosen already."""
        if not match.may_move(keys):
            raise Refused(_("hints are for the one to move"))
        refusal = match.may_ask(keys)
        if refusal:
            raise Refused(refusal)
        game = match.game
        chosen = known_player(who or BEST, game)
        question = PlayerQuestion()
        await self.preparing.ready(game, chosen)
        return await self.searches.run(
            client, lambda: match.advise(chosen, self.seconds, question, begun), question.stop
        )

    async def quick_hint(self, client: str, match: LiveMatch, keys: Sequence[str], who: str) -> Decision | None:
        """Advice of somebody who is ready, while the player that was asked is still prepared; None if it is ready too,
        or nobody else is."""
        if self.preparing.told(match.game, known_player(who, match.game)) == "":
            return None
        if not match.may_move(keys) or match.may_ask(keys):
            return None

        def work() -> Decision | None:
            quick = self.preparing.quick(match.game, match.position.boards, known_player(who, match.game))
            return None if quick is None else match.advise(quick, QUICK_SECONDS, PlayerQuestion())

        return await self.do(client, work)

    async def hand_over(self, client: str, match: LiveMatch, keys: Sequence[str], who: str) -> None:
        """Let a player move for the asker from now on; "" takes the seat back. As fair as hints, and as they are."""

        def work() -> None:
            refusal = match.may_ask(keys)
            if refusal and who and match.owned(keys):
                raise Refused(refusal)
            chosen = known_player(who, match.game) if who else None
            if chosen is not None:
                chosen.check(match.game, match.position.boards)
            match.hand_over(keys, chosen)

        await self.do(client, work)
        self.drive(match)

    async def best(
        self, client: str, game: str, actions: Sequence[int], who: str, seed: int = 0, source: Any = None
    ) -> Decision:
        """What a player would do in a match given as integers, chance's moves included."""
        question = PlayerQuestion()

        def work() -> Decision:
            position = stand(game, actions, seed, source)
            chosen = known_player(who or BEST, position.game)
            chosen.check(position.game, position.boards)
            if position.mover < 0:
                raise BadInput(_("nobody is to decide there: chance is to move, or the game is over"))
            return question.put(chosen, position, self.seconds)

        return await self.searches.run(client, work, question.stop)

    async def study(self, client: str, match: LiveMatch, at: Callable[[], PositionView], who: str) -> Decision:
        """What a player would do at a position of a match, or of a variation of it, that may be studied."""
        question = PlayerQuestion()

        def work() -> Decision:
            look, chosen = at(), known_player(who, match.game)
            chosen.check(match.game, look.boards)
            if look.mover < 0:
                raise BadInput(_("nobody is to decide here: chance is to move, or the game is over"))
            return question.put(chosen, look, self.seconds)

        return await self.searches.run(client, work, question.stop)

    # ------------------------------------------------------------ studios

    async def new_studio(self, client: str, game: str, **asked: Any) -> Studio:
        studio = await self.searches.run(client, lambda: self.studios.create(game, **asked))
        studio.owner = client
        self.go_on(studio)
        return studio

    async def studio(self, client: str, name: str) -> Studio:
        studio = self.studios.held(name)
        if studio is None:
            studio = await self.searches.run(client, lambda: self.studios.get(name))
        studio.owner = studio.owner or client
        self.go_on(studio)
        return studio

    async def map_of(self, client: str, studio: str, number: int) -> GameMap:
        """A map of a studio."""
        return (await self.studio(client, studio)).proposal(number).map

    async def in_studio(self, client: str, studio: Studio, work: Callable[[], T]) -> T:
        """Do something in a studio when it is its turn, and keep the studio; what is left to do there goes on."""
        if studio.waiting >= MOST_WAITING:
            raise Busy(_("much is to be done in this studio already; try again in a few seconds"))
        studio.waiting += 1
        try:
            async with studio.turn:
                return await self.searches.run(client, lambda: self._kept(studio, work))
        finally:
            studio.waiting -= 1
            self.go_on(studio)

    async def ask(self, client: str, studio: Studio, count: int) -> list[Proposal]:
        """The maps that a program shows next; what the last rating needs is bred first, slice by slice."""
        studio.hurry = False
        ready = False
        while not ready:
            async with studio.turn:
                ready = await self.searches.run(client, studio.prepare)
        return await self.in_studio(client, studio, lambda: studio.ask(count))

    async def make(self, client: str, studio: Studio, count: int) -> list[Proposal]:
        """The maps one would keep, when there was time to make them."""
        await self.in_studio(client, studio, lambda: studio.want(count))
        while studio.wanted:
            self.go_on(studio)
            await self._ended(studio.name, 60.0)
        if studio.complaint:
            raise BadInput(studio.complaint)
        return [studio.proposal(number) for number in studio.best]

    def _kept(self, studio: Studio, work: Callable[[], T]) -> T:
        result = work()
        self.studios.keep(studio)
        return result

    def go_on(self, studio: Studio) -> None:
        """Let a studio work at what is to be done there."""
        if studio.doing and studio.name not in self._driven:
            self._begin(studio.name, self._work_on(studio))

    async def _work_on(self, studio: Studio) -> None:
        while studio.doing:
            try:
                async with studio.turn:
                    await self.searches.run(studio.owner or studio.name, studio.step)
            except Busy:
                await asyncio.sleep(0.2)
            except BadInput as error:
                studio.give_up(str(error))
            except Exception:
                studio.give_up(marked("the server made a mistake, which its log describes"))
                raise
        await self.chores.run(studio.owner or studio.name, lambda: self.studios.keep(studio))

    async def quiet(self, studio: Studio, seconds: float) -> None:
        """Wait until nothing is to be done in a studio, but not for ever."""
        await self._ended(studio.name, seconds)

    # ------------------------------------------------------------ players

    def drive(self, match: LiveMatch) -> None:
        """Let players move while it is their turn."""
        if match.waits_for_player and match.name not in self._driven:
            self._begin(match.name, self._drive(match))

    def _begin(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        task = self._driven[name] = asyncio.get_running_loop().create_task(work)
        task.add_done_callback(lambda _task: self._driven.pop(name, None))

    async def settled(self, match: LiveMatch, seconds: float) -> None:
        """Wait until no player is to move, but not for ever."""
        await self._ended(match.name, seconds)

    async def _ended(self, name: str, seconds: float) -> None:
        task = self._driven.get(name)
        if task is not None:
            await asyncio.wait([task], timeout=seconds)

    async def _drive(self, match: LiveMatch) -> None:
        moves = 0
        while match.waits_for_player and not match.is_deserted:
            if match.thinking is not None:  # the thread of a person's move has asked the player already
                await self._thought(match)
                continue
            await self._prepare(match)
            begun = time.monotonic()
            moves += 1
            lane = self.chores if match.waits_for_quick_player else self.searches
            try:
                await lane.run(match.owner or match.name, lambda: self._stretch(match))
            except Busy:
                await asyncio.sleep(0.2)
            if match.tempo:  # many moves in a row are shown faster and faster
                await asyncio.sleep(max(0.0, match.tempo / (1 + moves / 4) - (time.monotonic() - begun)))

    async def _thought(self, match: LiveMatch) -> None:
        """Wait until no player thinks about the match."""
        with listening(match.changes) as listener:
            while match.thinking is not None:
                await listener.changed()

    async def _prepare(self, match: LiveMatch) -> None:
        """Wait until the player at hand is prepared, unless the match goes on without it."""
        turn, who = match.turn, match.decider(match.mover)
        with suppress(BadInput):  # who cannot play says so when asked
            chosen = player(who, match.game)
            await self.preparing.ready(match.game, chosen, lambda: match.turn != turn, match.changes)

    def _stretch(self, match: LiveMatch) -> None:
        match.play_on(self.seconds)
        self._quickly(match)

    def _quickly(self, match: LiveMatch) -> None:
        """Let quick players go on, unless people want to follow, and keep the match.

        Where the store does not take it, nothing is lost but on a restart: the next move is written with all before it.
        """
        until = time.monotonic() + STRETCH
        while not match.tempo and match.waits_for_quick_player and time.monotonic() < until:
            match.play_on(self.seconds)
        try:
            self.matches.keep(match)
        except SQLAlchemyError as error:
            log.warning("match %s is not written: %s", match.name, error)
