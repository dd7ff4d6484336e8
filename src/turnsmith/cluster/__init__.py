"""More than one machine: what is played in here goes to a cluster, and comes out as it would on one machine.

``with cluster("ray", address): arena(...)`` plays the arena there; so do self-play, evolution and trees. Where work is
done never changes what comes out, so nothing else need be told.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING

from turnsmith.common.errors import BadInput

if TYPE_CHECKING:
    from turnsmith.cluster.driver import JobRun, Nodes, UnitResults
    from turnsmith.cluster.jobs import Job

RUNNERS = ("local", "ray")


class Cluster:
    """Machines that jobs are spread over."""

    def __init__(self, nodes: Nodes):
        self.nodes = nodes
        self.latest: JobRun | None = None
        """The job that came last, and what it took."""

    def spread(self, job: Job, units: int, part: Callable[[int, int], bytes], most: int) -> Iterator[UnitResults]:
        """The results of all units, each once, in whatever order they come; `most` units a task."""
        from turnsmith.cluster.driver import JobRun

        self.latest = JobRun(self.nodes, job, units, part, most)
        return self.latest.results()


_current: ContextVar[Cluster | None] = ContextVar("cluster", default=None)


def current() -> Cluster | None:
    """The cluster that work goes to; None where it is done on this machine."""
    return _current.get()


@contextlib.contextmanager
def using(found: Cluster) -> Iterator[Cluster]:
    """Let work go to a cluster."""
    before = _current.set(found)
    try:
        yield found
    finally:
        _current.reset(before)


@contextlib.contextmanager
def cluster(runner: str = "ray", address: str = "", cores: int = 0) -> Iterator[Cluster | None]:
    """Let work go where a runner says: "local" for this process and its threads, "ray" for the cluster at an address,
    or without one for `cores` processes of this machine."""
    if runner not in RUNNERS:
        raise BadInput(f"--runner {runner} must be {' or '.join(RUNNERS)}")
    if runner == "local":
        if address:
            raise BadInput("--address is that of a cluster; say --runner ray too")
        yield None
        return
    from turnsmith.cluster.ray_nodes import connected

    with connected(address, cores or os.cpu_count() or 1) as nodes, using(Cluster(nodes)) as running:
        yield running
