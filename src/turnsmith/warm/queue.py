"""Parts waiting to be compiled: one or more processes work at them, most wanted first, and can be ended at any time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from turnsmith.common.errors import BadInput
from turnsmith.contract.game import Game
from turnsmith.contract.loading import load
from turnsmith.play.player import Player, player
from turnsmith.warm.parts import (
    ARENA,
    CHOICE,
    RULES,
    SPEED,
    UNASKED,
    CompilePart,
    choice_part,
    key_of,
    noted,
    part_of,
    parts_of,
    speed_part,
)

DEATHS = 3
"""Processes that may end by themselves, one after another, before no more are started."""
LATE = 5.0
"""Seconds by which an estimate may climb before people are told none any more."""


@dataclass
class CompileJob:
    """A part and how it stands."""

    part: CompilePart
    key: str
    rank: tuple[float, ...]
    """What comes first; it begins with WANTED where somebody waits for the part."""
    seconds: float = 0.0
    """How long compiling took."""
    is_done: bool = False
    begun: float = 0.0
    """When somebody began with it; 0 if nobody has."""
    compiled: int = 0
    error: str = ""
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def is_wanted(self) -> bool:
        return self.rank[0] == WANTED


WANTED, AHEAD, LATER = 0.0, 1.0, 2.0
"""How ranks begin: of what somebody waits for, of what somebody may want, of what can wait until all that is done."""
CHOICE_STAGE = 1.5
"""Who plays a game best is found out when its rules and its usual opponent are ready."""


class Warming:
    """The queue and its processes. From any thread; `tell` is called, in one of ours, whenever a part is done.

    Where processes are patient, one more is not: it stands by for parts that somebody waits for. Meanwhile the patient
    ones begin nothing new.
    """

    def __init__(
        self,
        workers: int = 1,
        patience: int = 0,
        tell: Callable[[CompileJob], None] | None = None,
        stands_by: bool = True,
    ):
        """patience: how much the processes let others go first while nobody waits for them, 0 to 19. stands_by: whether
        beside patient ones one more does, for `want`."""
        self.patience, self.tell = patience, tell
        self.works: dict[str, CompileJob] = {}
        self.is_stopped = False
        self._change = threading.Condition()
        self._children: set[subprocess.Popen[str]] = set()
        self._patient: set[subprocess.Popen[str]] = set()
        self._doing: dict[subprocess.Popen[str], CompileJob] = {}
        self._wanted, self._deaths = 0, 0
        self._promises: dict[str, float] = {}
        self._took: dict[str, list[float]] = {}  # seconds that compiling parts of a kind took here
        self._furthest = 0.0
        eager = [threading.Thread(target=self._work, args=(False,), daemon=True)] if patience and stands_by else []
        self._threads = [threading.Thread(target=self._work, args=(True,), daemon=True) for _ in range(workers)] + eager

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def add(
        self, game: Game, order: int = 0, players: Sequence[str] | None = None, parts: Sequence[CompilePart] = ()
    ) -> None:
        """Put all parts of a game in the queue; those of a lower order come first, stage by stage. `players`: only the
        rules and these, levels or texts; `parts`: only these."""
        chosen = list(parts) or parts_of(game)
        if players is not None:
            chosen = [chosen[0], *(part_of(game, repr(player(text, game))) for text in players)]
        for place, part in enumerate(dict.fromkeys(chosen)):
            stage = 9 if part.kind == ARENA else place  # the rules of all games, then their usual opponents, …
            rank = LATER if part.kind == SPEED else AHEAD
            self._entered(game, part, (rank, CHOICE_STAGE if part.kind == CHOICE else stage, order))

    def improve(self, game: Game, who: Player) -> None:
        """Let a player that is really played be compiled for its game alone, and let games show who plays it best, once
        nobody waits for anything."""
        parts = [part for part in (speed_part(game, who), choice_part(game)) if part is not None]
        if parts:
            self.add(game, parts=parts)

    def want(self, game: Game, part: CompilePart) -> CompileJob:
        """Let a part be the next, and the rules after it; returns how it stands."""
        with self._change:
            self._wanted -= 1  # who came last is first: whoever came before has waited, or has gone
            for rank, needed in enumerate((part, CompilePart(part.game, RULES))):
                self._entered(game, needed, ()).rank = (WANTED, self._wanted, rank)
            work = self._entered(game, part, ())
            self._promises.pop(work.key, None)
            self._hand_over(work)
            self._change.notify_all()
            return work

    def _hand_over(self, work: CompileJob) -> None:
        """Let the process that stands by begin anew with what a patient one works at: nobody becomes less patient."""
        for child, doing in self._doing.items():
            if self.patience and doing is work and child in self._patient:
                doing.begun = 0.0
                child.kill()
                return

    def is_ready(self, game: Game, part: CompilePart) -> bool:
        """Whether a part is done, now or in an earlier run."""
        key = key_of(part, game)
        with self._change:
            if key in self.works:
                return self.works[key].is_done
        return noted(key) is not None

    def _entered(self, game: Game, part: CompilePart, rank: tuple[float, ...]) -> CompileJob:
        key = key_of(part, game)
        with self._change:
            if key not in self.works:
                known = noted(key)
                work = CompileJob(part, key, rank, is_done=known is not None)
                if work.is_done:
                    work.ended.set()
                self.works[key] = work
                self._change.notify_all()
            return self.works[key]

    # ------------------------------------------------------------ how it stands

    @property
    def waiting(self) -> list[CompileJob]:
        """What is not done, in the order in which it will be."""
        with self._change:
            left = [work for work in self.works.values() if not work.is_done]
        return sorted(left, key=lambda work: (not work.begun, work.rank))

    def seconds_left(self, wanted: CompileJob | None = None) -> float | None:
        """About how long until a part is done, or all are, by how long such parts took here; None while no such part
        was compiled."""
        total, now = 0.0, time.monotonic()
        for work in self.waiting:
            took = self._took.get(work.part.kind)
            if took is None:
                return None
            spent = now - work.begun if work.begun else 0.0
            total += max(1.0, sum(took) / len(took) - spent, spent / 4)  # what is late will be later still
            if work is wanted:
                break
        return total

    def promised(self, wanted: CompileJob | None = None) -> float | None:
        """``seconds_left`` for people who wait: it only falls, and is None where nobody knows, or once what was told
        cannot be kept. Who wants the part anew, and parts that come into the queue, begin it again."""
        key, left = wanted.key if wanted else f"{len(self.works)} parts", self.seconds_left(wanted)
        if left is None:
            return None
        least = self._promises[key] = min(left, self._promises.get(key, left))
        return least if left <= least + LATE else None

    @property
    def share_done(self) -> float:
        """How much of what may be wanted is done, 0 to 1; it never falls."""
        with self._change:
            ahead = [work.is_done for work in self.works.values() if work.part.kind not in UNASKED]
        self._furthest = max(self._furthest, sum(ahead) / len(ahead) if ahead else 0.0)
        return self._furthest

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to do, or nobody to do it."""
        return self.is_stopped or self._deaths >= DEATHS or not self.waiting

    def stop(self) -> None:
        """End all processes at once. What is compiled stays, and the next run goes on from there."""
        with self._change:
            self.is_stopped = True
            for child in self._children:
                child.kill()
            for work in self.works.values():
                work.ended.set()
            self._change.notify_all()

    # ------------------------------------------------------------ the processes

    def _work(self, is_patient: bool) -> None:
        child: subprocess.Popen[str] | None = None
        last, stands_by = "", not is_patient
        while True:
            work = self._next(last, is_patient)
            if stands_by and child is None:
                child = self._begin(is_patient)
            elif work is None and child is not None and not stands_by:  # its memory is of more use to others
                self._end(child)
                child = None
            with self._change:
                if self.is_stopped or self._deaths >= DEATHS:
                    return
                if work is None:
                    self._change.wait(1.0)  # something may have come before this began to listen
                    continue
            if child is None:
                child = self._begin(is_patient)
            last = work.part.game
            reply = self._ask(child, work)
            if reply is None:
                self._end(child)
                child = None
                if not work.begun:  # it was handed over to another
                    continue
                self._deaths += not self.is_stopped
                reply = {"seconds": 0.0, "compiled": 0, "error": "the process that compiled it has ended"}
            else:
                self._deaths = 0
            self._note(work, reply)

    def _next(self, game: str, is_patient: bool) -> CompileJob | None:
        """The most wanted part that nobody has begun with, among equals one of the game at hand.

        Who is patient leaves to the process that stands by what somebody waits for, and begins nothing meanwhile.
        """
        with self._change:
            left = [work for work in self.works.values() if not work.is_done]
            if self.patience and is_patient:
                left = [] if any(work.is_wanted for work in left) else left
            elif self.patience:
                left = [work for work in left if work.is_wanted]
            free = [work for work in left if not work.begun]
            job = min(free, key=lambda work: (work.rank[:2], work.part.game != game, work.rank), default=None)
            if job is not None:
                job.begun = time.monotonic()
            return job

    def _begin(self, is_patient: bool) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "turnsmith.web.compile_ahead"]
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        # In a session of its own: Ctrl-C is told by us alone.
        child = subprocess.Popen(command, encoding="utf-8", start_new_session=True, **pipes)
        with self._change:
            self._children.add(child)
            if is_patient:
                self._patient.add(child)
            if self.is_stopped:
                child.kill()
        if is_patient and self.patience:
            _let_others_go_first(child.pid, self.patience)
        return child

    def _end(self, child: subprocess.Popen[str]) -> None:
        child.kill()
        child.communicate()
        with self._change:
            self._children.discard(child)
            self._patient.discard(child)

    def _ask(self, child: subprocess.Popen[str], work: CompileJob) -> dict[str, Any] | None:
        """What the process says of a part; None if it has ended."""
        assert child.stdin is not None
        assert child.stdout is not None
        with self._change:
            self._doing[child] = work
        try:
            child.stdin.write(json.dumps(vars(work.part)) + "\n")
            child.stdin.flush()
            line = child.stdout.readline()
        except OSError:
            line = ""
        with self._change:
            del self._doing[child]
        return json.loads(line) if line else None

    def _note(self, work: CompileJob, said: dict[str, Any]) -> None:
        with self._change:
            if self.is_stopped:
                return
            if said["compiled"]:
                self._took.setdefault(work.part.kind, []).append(said["seconds"])
            work.seconds, work.compiled, work.error = said["seconds"], said["compiled"], said["error"]
            work.is_done = True
            work.ended.set()
        if self.tell is not None:
            self.tell(work)


def _let_others_go_first(process: int, patience: int) -> None:
    """Lower the priority of a process and, as Linux weighs whole sessions against each other, that of its session."""
    with suppress(OSError, AttributeError):  # it may have ended, or the system has no priorities
        os.setpriority(os.PRIO_PROCESS, process, patience)
        Path(f"/proc/{process}/autogroup").write_text(str(patience), "utf-8")


def all_of(games: Sequence[str]) -> list[Game]:
    """The games of these names; refused in one line where there is none."""
    from turnsmith.contract.registry import games as installed

    loaded = []
    for name in games or installed():
        try:
            loaded.append(load(name))
        except BadInput:
            if games:
                raise
    return loaded
