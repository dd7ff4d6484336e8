"""Machines of a Ray cluster: plain tasks on named nodes, without Ray's own retries, whose results this process owns."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import secrets
import socket
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from turnsmith.cluster.driver import Lost
from turnsmith.cluster.jobs import PartAnswer, answer
from turnsmith.common.errors import BadInput

TRIES = 3
"""A cluster that does not answer so often, a second apart, is gone."""
STORE_BYTES = 100_000_000
"""Of the object store of a cluster that is started here: what is under way is small."""


def _answer(kind: str, job: bytes, part: bytes, stamp: str, only_warm_up: bool) -> tuple[Any, ...]:
    """What runs over there: plain data in, plain data out."""
    return tuple(answer(kind, job, part, stamp, only_warm_up))


class RayNodes:
    """The nodes of the cluster that this process is connected to."""

    def __init__(self, ray: Any):
        self.ray = ray
        context = ray.get_runtime_context()
        own = next(node for node in ray.nodes() if node["NodeID"] == context.get_node_id())
        self._doors = (context.gcs_address, f"{own['NodeManagerAddress']}:{own['NodeManagerPort']}")
        """Of the head, and of the node that this process works through."""
        self.task = ray.remote(num_cpus=1, max_retries=0)(_answer)
        self._on = importlib.import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        self._names: dict[str, str] = {}

    def alive(self) -> dict[str, int]:
        self._refuse_if_cut_off()
        cores_of = {}
        for node in self.ray.nodes():
            cores = int(node["Resources"].get("CPU", 0))
            if node["Alive"] and cores:
                cores_of[node["NodeID"]] = cores
                self._names[node["NodeID"]] = f"node {node['NodeManagerAddress']} ({node['NodeID'][:8]})"
        return cores_of

    def _refuse_if_cut_off(self) -> None:
        """Without its head or its own node nothing comes any more, and Ray would soon end this process by itself."""
        for door in self._doors:
            for left in reversed(range(TRIES)):
                try:
                    _refuse_silence(door)
                    break
                except OSError:
                    if not left:
                        raise BadInput(
                            f"the Ray cluster is gone (nobody answers at {door}); what is stored is kept: start the "
                            "cluster again and give the same command, or leave out --runner"
                        ) from None
                    time.sleep(1.0)

    def name(self, node: str) -> str:
        return self._names.get(node, node)

    def share(self, raw: bytes) -> Any:
        return self.ray.put(raw)

    def give(self, node: str, kind: str, job: Any, part: bytes, stamp: str, only_warm_up: bool) -> Any:
        there = self.task.options(scheduling_strategy=self._on(node, soft=False))
        return there.remote(kind, job, part, stamp, only_warm_up)

    def wait(self, given: list[Any], seconds: float) -> list[Any]:
        if not given:
            time.sleep(min(seconds, 0.1))
            return []
        done, _ = self.ray.wait(given, num_returns=1, timeout=seconds)
        return list(done)

    def take(self, given: Any) -> PartAnswer:
        errors = self.ray.exceptions
        try:
            return PartAnswer(*self.ray.get(given, timeout=60))
        except errors.RayTaskError:
            raise
        except errors.RayError as error:
            raise Lost(" ".join(str(error).split())[:200] or type(error).__name__) from None

    def drop(self, given: Any) -> None:
        with contextlib.suppress(Exception):  # it may be gone already
            self.ray.cancel(given, force=True)


class _Ours:
    """A stream without what Ray's own threads tell of nodes that went away, page after page: the driver says it."""

    def __init__(self, stream: Any):
        self._stream, self._dropped = stream, io.StringIO()

    def __getattr__(self, name: str) -> Any:
        is_ours = not threading.current_thread().name.startswith("ray_")
        return getattr(self._stream if is_ours else self._dropped, name)


def _refuse_silence(address: str) -> None:
    """An OSError at once where nobody listens: Ray would try for ten minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), timeout=10).close()


@contextlib.contextmanager
def connected(address: str, cores: int) -> Iterator[RayNodes]:
    """The nodes at an address; without one, a cluster on this machine alone, which ends with it."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    stays_here = not address or address.startswith(("127.0.0.1:", "localhost:"))
    if stays_here:  # else Ray looks for it, on Linux, where other machines could reach it
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    if not address:  # whoever else is on this machine has no business there
        os.environ.setdefault("RAY_AUTH_MODE", "token")
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    try:
        ray = importlib.import_module("ray")  # of an extra, not of a plain install
    except ImportError:
        raise BadInput("--runner ray needs Ray; install it with pip install 'turnsmith[cluster]'") from None
    quiet: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False, "configure_logging": False}
    here = {"num_cpus": cores, "object_store_memory": STORE_BYTES, "include_dashboard": False}
    loopback = {"_node_ip_address": "127.0.0.1"} if stays_here else {}
    try:
        _refuse_silence(address)
        ray.init(address or "local", **quiet, **loopback, **({} if address else here))
    except Exception as error:  # it has one for every way in which nobody is there
        why = (str(error) or type(error).__name__).splitlines()[0]
        raise BadInput(
            f"no Ray cluster at '{address}' ({why}); start one with ray start --head, or leave out --address"
        ) from None
    try:
        with contextlib.redirect_stdout(_Ours(sys.stdout)), contextlib.redirect_stderr(_Ours(sys.stderr)):
            yield RayNodes(ray)
    finally:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            ray.shutdown()  # what it held back of nodes that went away it would tell now
