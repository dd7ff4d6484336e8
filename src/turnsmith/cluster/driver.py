"""The half of a job that stays here: cut it into tasks, give them to machines, take each result once.

* Tasks take 10 to 60 seconds, by the speed that was measured on the machine they go to; never more than its cores have
  in hand, so what is under way is bounded.
* Every task has a deadline of its own. One that does not answer in time, or whose machine went away, is given again.
* The first result counts. What comes later for the same task is compared with it: a difference is an error.
* A machine compiles once, by a task that does nothing else, before it gets any other.
"""

from __future__ import annotations

import hashlib
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from turnsmith.cluster.jobs import Job, PartAnswer, Piece, difference, stamp_of
from turnsmith.common.errors import BadInput

TASK_SECONDS = 20.0
"""How long a task should take."""
PATIENCE, LEAST_PATIENCE, UNKNOWN_PATIENCE = 4.0, 60.0, 900.0
"""A task may take so many times as long as it should, at least so many seconds, and this where nobody knows."""
TRIES = 5
"""A task that is lost so often is not given again: it is what kills its machines."""
LOOK_SECONDS = 2.0
"""How often machines are counted."""


class Lost(Exception):
    """A machine, or the process that worked there, is gone with the task it had."""


class Nodes(Protocol):
    """Machines that work."""

    def alive(self) -> dict[str, int]:
        """How many cores each has."""

    def name(self, node: str) -> str:
        """What to call one to people."""

    def give(self, node: str, kind: str, job: Any, part: bytes, stamp: str, only_warm_up: bool) -> Hashable: ...

    def share(self, raw: bytes) -> Any:
        """Something that all tasks of a job need, in the form in which they are given it."""

    def wait(self, given: list[Any], seconds: float) -> list[Any]:
        """Those that are done, at most so many seconds later."""

    def take(self, given: Any) -> PartAnswer:
        """What came of it; Lost if nothing will."""

    def drop(self, given: Any) -> None: ...


@dataclass(eq=False)
class Task:
    first: int
    count: int
    tries: int = 0
    lost: int = 0
    avoids: set[str] = field(default_factory=set)
    """Machines that had it and did not answer."""
    told: str = ""
    """The digest of its result."""


@dataclass
class WorkerNode:
    cores: int
    warm: bool = False
    busy: int = 0
    speed: float = 0.0
    """Units a second on one core."""
    largest: int = 0
    lost: int = 0
    """Tasks, one after another."""
    rests: float = float("-inf")
    """Until when it gets none: it may be dying, and nobody knows yet."""


@dataclass
class Given:
    task: Task | None
    """None for a warm-up."""
    node: str
    since: float
    patience: float
    overdue: bool = False


class UnitResults(NamedTuple):
    """What units first, first + 1, … gave, `units` of them."""

    first: int
    units: int
    pieces: list[Piece]


@dataclass
class Counts:
    """What it took."""

    given: int = 0
    again: int = 0
    compared: int = 0
    seconds: list[float] = field(default_factory=list)


@dataclass
class JobRun:
    """One job on its way through the machines."""

    nodes: Nodes
    job: Job
    units: int
    part: Callable[[int, int], bytes]
    """(first, count): what a task of these units is told."""
    most: int
    """Units of a task."""
    clock: Callable[[], float] = time.monotonic
    tell: Callable[[str], Any] = lambda message: print(message, file=sys.stderr)
    counts: Counts = field(default_factory=Counts)

    def __post_init__(self) -> None:
        self.stamp = stamp_of(self.job)
        self.shared = self.nodes.share(self.job.sent())
        self.known: dict[str, WorkerNode] = {}
        self.given: dict[Any, Given] = {}
        self.again: deque[Task] = deque()
        self.cold: Counter[str] = Counter()
        self.cut = self.done = 0
        self.looked = float("-inf")

    def results(self) -> Iterator[UnitResults]:
        """Every unit once, in whatever order tasks are done."""
        try:
            while self.done < self.units:
                self.look()
                self.fill()
                for handle in self.nodes.wait(list(self.given), 1.0):
                    yield from self.take(handle)
                self.remind()
        finally:
            for handle in self.given:
                self.nodes.drop(handle)
            self.given.clear()

    # ------------------------------------------------------------ steps

    def look(self) -> None:
        """Count the machines; new ones compile first, and what was with those that went is given again."""
        if self.clock() - self.looked < LOOK_SECONDS:
            return
        self.looked = self.clock()
        alive = self.nodes.alive()
        for name in self.known.keys() - alive.keys():
            self.tell(f"{self.nodes.name(name)} is gone; what it had is given to others")
            del self.known[name]
            for handle in [handle for handle, given in self.given.items() if given.node == name]:
                self.lose(self.given.pop(handle), "its machine is gone")
        for name in alive.keys() - self.known.keys():
            self.known[name] = WorkerNode(alive[name])
            self.give(name, None)

    def fill(self) -> None:
        """Give every warm core something to do."""
        for name, node in self.known.items():
            while node.warm and node.busy < node.cores and self.clock() >= node.rests:
                task = self.next_for(name, node)
                if task is None:
                    break
                self.give(name, task)

    def next_for(self, name: str, node: WorkerNode) -> Task | None:
        for task in self.again:
            if name not in task.avoids or not self.known.keys() - task.avoids:  # unless there is nobody else
                self.again.remove(task)
                return task
        if self.cut == self.units:
            return None
        cores = sum(other.cores for other in self.known.values())
        share = -(-(self.units - self.cut) // (2 * cores))  # so that all end at about the same time
        size = int(min(TASK_SECONDS * node.speed, 8 * node.largest, self.most)) or 1
        task = Task(self.cut, min(size, max(share, size // 8), self.units - self.cut))
        self.cut += task.count
        return task

    def give(self, name: str, task: Task | None) -> None:
        node = self.known[name]
        part = self.part(task.first, task.count) if task else self.part(0, 1)
        patience = UNKNOWN_PATIENCE
        if task and node.speed:
            patience = max(LEAST_PATIENCE, PATIENCE * task.count / node.speed) * 2**task.tries
        if task:
            task.tries += 1
            self.counts.given += 1
            self.counts.again += task.tries > 1
        handle = self.nodes.give(name, self.job.kind, self.shared, part, self.stamp, task is None)
        self.given[handle] = Given(task, name, self.clock(), patience)
        node.busy += 1

    def take(self, handle: Any) -> Iterator[UnitResults]:
        """A result, if it is the first of its task."""
        given = self.given.pop(handle)
        node, task = self.known[given.node], given.task
        node.busy -= 1
        try:
            answer = self.nodes.take(handle)
        except Lost as error:
            self.lose(given, str(error))
            return
        where = self.nodes.name(given.node)
        if answer.stamp and answer.stamp != self.stamp:
            why = difference(self.stamp, answer.stamp)
            raise BadInput(f"{where} would play something else ({why}); install the same there, or take it out")
        if answer.refusal:
            raise BadInput(f"{where}: {answer.refusal}")
        if task is None:
            node.warm = True
            return
        digest = hashlib.sha256(
            b"".join(len(same).to_bytes(8, "little") + same for same, _ in answer.pieces)
        ).hexdigest()
        if task.told:
            self.counts.compared += 1
            if digest != task.told and self.job.repeats:
                raise BadInput(
                    f"task {task.first}..{task.first + task.count - 1} of {self.job.kind} gave {where} another result "
                    f"than the machine that did it before; look at both machines, and play it on one of them"
                )
            return
        node.lost = 0
        seconds = max(1e-6, self.clock() - given.since)
        node.speed, node.largest = task.count / seconds, max(node.largest, task.count)
        self.counts.seconds.append(seconds)
        task.told = digest
        self.done += task.count
        if task in self.again:
            self.again.remove(task)
        yield UnitResults(task.first, task.count, [Piece(*piece) for piece in answer.pieces])

    def lose(self, given: Given, why: str) -> None:
        """What nobody will answer is given again."""
        task, node = given.task, self.known.get(given.node)
        if task is None:
            self.cold[given.node] += 1
            if self.cold[given.node] == TRIES:
                raise BadInput(f"{self.nodes.name(given.node)} was lost {TRIES} times while it compiled ({why})")
            if node is not None:  # the machine is there, its process is not: it may compile again
                del self.known[given.node]
            return
        task.lost += 1
        task.avoids.add(given.node)
        if node is not None:
            node.lost += 1
            node.rests = self.clock() + LOOK_SECONDS * 2**node.lost
        if task.lost == TRIES:
            named = f"task {task.first}..{task.first + task.count - 1} of {self.job.kind}"
            raise BadInput(f"{named} was lost {TRIES} times, last because {why}; play it here (--runner local)")
        if not task.told and task not in self.again:
            self.again.append(task)

    def remind(self) -> None:
        """Give again what should have been answered by now; if the first answer still comes, it counts."""
        now = self.clock()
        for given in list(self.given.values()):
            if given.overdue or now - given.since < given.patience:
                continue
            given.overdue = True
            if given.task is None:
                raise BadInput(f"{self.nodes.name(given.node)} does not compile in {given.patience:.0f} s; take it out")
            given.task.avoids.add(given.node)
            if not given.task.told and given.task not in self.again:
                self.again.append(given.task)
