"""A player in a match: what it prepared for the board, its memory, and how to stop it. All loops ask a player here.

One rule names every random number of a match: stream (seed, ply, 0) is what chance draws at that ply, and
(seed, ply, s + 1) what seat s decides with. So ``ts.play``, the terminal, the page and the arena play the same match.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.compile.kernel import delays
from turnsmith.compile.rng import stream
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.play.player import HEADER, POLICY, STOP, VALUE, CompiledPlayer, Decision, Player, Prepared
from turnsmith.play.position import PositionView
from turnsmith.play.stop import Stopped, refuse_if_stopped, stopping, within
from turnsmith.play.tiers import code_for

SHOWN = 12
"""Moves of a policy that people are shown."""


class Seat:
    """A player at a board during one match. Its memory lasts from one decision to the next.

    A thought takes the memory out of the seat and brings it back when it ends. So nobody else can touch bytes that
    compiled code uses: who lets the seat forget, or releases it, leaves word for when the thought has ended. The only
    thing that others write is the flag by which a thought is stopped.
    """

    def __init__(self, player: Player, game: Game, boards: Array, ready: Prepared | None = None):
        self.player, self.game, self.boards = player, game, boards
        self.notes: dict[str, object] = {}
        self._ready = ready
        self._memory: Array | None = None
        self._size = 0
        self._flag = np.zeros(1, np.int64)
        self._is_thinking = self._is_stopped = self._is_stale = self._is_released = False
        self._lock = threading.Lock()
        self._turn = threading.Lock()
        """Held during a thought: a seat has one at a time."""

    def prepare(self, seconds: float | None = None) -> None:
        """Prepare what is not there yet: a compiled player's tables and memory, within so many seconds."""
        if isinstance(self.player, CompiledPlayer):
            with self._thought(self.player, seconds):
                pass

    @contextmanager
    def _thought(self, player: CompiledPlayer, seconds: float | None) -> Iterator[tuple[Prepared, Array]]:
        """The tables and the memory for one thought, which are its own until it ends."""
        with self._turn:
            with self._lock:
                ready, memory, self._memory = self._ready, self._memory, None
                is_stale, self._is_stale, self._is_released = self._is_stale, False, False
                self._is_thinking, self._flag = True, np.array([self._is_stopped], np.int64)
            try:
                if ready is None:
                    ready = self._tables(player, seconds)
                if memory is None:
                    memory = np.zeros(ready.memory, np.uint8)
                elif is_stale:
                    memory[:HEADER] = 0
                with self._lock:
                    self._flag = memory[STOP:HEADER].view(np.int64)
                    self._flag[0] = self._is_stopped
                    self._size = len(memory) + ready.data.nbytes
                yield ready, memory
            finally:
                with self._lock:
                    self._is_thinking, self._flag = False, np.zeros(1, np.int64)
                    if self._is_released:
                        ready = memory = None
                    self._ready, self._memory = ready, memory
                    self._size = self._size if memory is not None else 0

    def _tables(self, player: CompiledPlayer, seconds: float | None) -> Prepared:
        why = "was stopped while it prepared"
        if seconds is not None:
            why = f"takes longer than {seconds:g} s to prepare; give it less to do, or choose another player"
        with stopping(self._flag, f"{player!r} {why}"):
            ready = player.prepare(self.game, self.boards)
            refuse_if_stopped()
        return ready

    def choose(self, position: PositionView) -> int:
        """The action the player decides on, for the seat to move."""
        player = self.player
        if not isinstance(player, CompiledPlayer):
            return int(self._act(position).action)
        self._admit(player)
        with self._thought(player, None) as (ready, memory):
            return self._decide(player, position, np.zeros(POLICY, np.float64), ready, memory)

    def ask(self, position: PositionView, seconds: float | None = None, weighs: bool = False) -> Decision:
        """The same with all that the player has to say about it, within so many seconds: a search answers by then with
        the best so far. What has to be compiled, once on every machine, does not count. Where somebody wants to know
        how it `weighs` what it might do, a compiled player says that, too, if it can."""
        player = self.player
        if not isinstance(player, CompiledPlayer):
            return self._act(position)
        self._admit(player)
        while True:
            known = delays()
            try:
                with within(seconds), self._thought(player, seconds) as (ready, memory):
                    return self._answer(player, position, ready, memory, weighs)
            except Stopped:
                if self._is_stopped or delays() == known:
                    raise

    def explain(self, position: PositionView, seconds: float | None = None) -> Decision:
        """The same decision as ``ask`` gives, with the player's inspection of what its seat sees, if it has one."""
        decision = self.ask(position, seconds, weighs=True)
        if decision.inspection is not None:
            return decision
        return replace(decision, inspection=self.player.inspect(position.seen_by(position.mover)))

    def _admit(self, player: CompiledPlayer) -> None:
        """Refuse a player that cannot play here, and compile what it decides with."""
        if self._ready is None:
            player.check(self.game, self.boards)
        code = code_for(self.game, player)
        for who in (player, *player.asks(self.game)):
            code.where(who)  # type: ignore[arg-type]  # those that a compiled player asks are compiled

    def _answer(
        self, player: CompiledPlayer, position: PositionView, ready: Prepared, memory: Array, weighs: bool
    ) -> Decision:
        acts = position.actions
        report = np.zeros(POLICY + len(acts) + (player.report_room(position) if weighs else 0), np.float64)
        report[VALUE] = np.nan  # until the player notes what it expects
        action = self._decide(player, position, report, ready, memory)
        look = position.seen_by(position.mover)
        shares = report[POLICY : POLICY + len(acts)]
        order = np.argsort(-shares, kind="stable")[:SHOWN]
        policy = {look.words(int(acts[i])): round(float(shares[i]), 4) for i in order if shares[i]}
        value = float(report[VALUE]) if np.isfinite(report[VALUE]) else None
        note, line = player.note(look, action, report, memory), tuple[str, ...]()
        with suppress(Stopped):  # there was time for the move, but not for all that could be said of it
            line = player.line(look, action, memory)
        inspection = player.weighed(look, action, report, memory) if weighs else None
        return Decision(action, look.words(action), value, policy or None, note, line, inspection)

    def stop(self) -> None:
        """Let the player answer at once, now and from now on. From any thread."""
        with self._lock:
            self._is_stopped = True
            self._flag[0] = 1

    def forget(self) -> None:
        """Begin anew, as after a move was taken back. From any thread."""
        with self._lock:
            self._is_stale, self.notes = True, {}

    def release(self) -> None:
        """Forget, and let go of tables and memory; they are made again when the player is next asked. From any thread;
        a thought under way keeps what it uses until it ends."""
        with self._lock:
            self.notes, self._is_released = {}, True
            if not self._is_thinking:
                self._ready, self._memory, self._size = None, None, 0

    @property
    def size(self) -> int:
        """Bytes of tables and memory, those that a thought uses included."""
        return self._size

    def _act(self, position: PositionView) -> Decision:
        look = position.seen_by(position.mover)
        look.memory = self.notes
        return self.player.act(look)

    def _decide(
        self, player: CompiledPlayer, position: PositionView, report: Array, ready: Prepared, memory: Array
    ) -> int:
        mover = position.mover
        if mover in (CHANCE, OVER):
            raise BadInput("nobody is to move here: " + ("the game is over" if mover == OVER else "chance is"))
        rng = stream(position.seed, len(position.history), mover + 1)
        views, acts = position.view(mover), position.actions
        code = code_for(self.game, player)
        with stopping(self._flag):
            return code.decide(player, self.boards, views, acts, ready, memory, report, rng)
