"""The user's cache of compiled code: sealed files, so that only what this user wrote, whole, is ever read back.

A file begins with an HMAC-SHA256 over its name and content. The key is a random file of the user's beside them, so
neither a flipped bit nor a file that somebody else put there gets as far as being loaded. Whatever is wrong with the
folder or a file is said once, on stderr, and costs compiling again.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import hashlib
import hmac
import os
import secrets
import shutil
import stat
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from functools import cache
from pathlib import Path

try:
    import fcntl
except ImportError:  # where the system has none, two processes may compile the same
    fcntl = None  # type: ignore[assignment]

MOST_BYTES = 2 << 30
"""How much is kept; beyond it, what was not used for longest is deleted."""
MOST_WAIT = 30.0
"""Seconds to wait for another process that makes the same."""

_HAS_OWNERS = hasattr(os, "getuid")  # elsewhere a user's folders are the user's own
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
SEAL = hashlib.sha256().digest_size
_said: set[str] = set()
_pruned: set[Path] = set()


def cache_folder() -> Path:
    """Where compiled kernels are kept: ``$TURNSMITH_CACHE``, the user's cache folder, or a temporary one."""
    faults = []
    for folder in _candidates():
        fault = _fault(folder)
        if not fault:
            break
        faults.append(fault)
    else:
        folder = _private_folder()
    if faults:
        say_once("folder", f"{faults[0]}; compiled code goes to {folder}, or set TURNSMITH_CACHE to a folder of yours")
    return folder


def _candidates() -> list[Path]:
    named = os.environ.get("TURNSMITH_CACHE")
    if named:
        return [Path(named)]
    shared = Path(tempfile.gettempdir()) / f"turnsmith-cache-{_user()}"
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return [(Path(base) if base else Path.home() / ".cache") / "turnsmith", shared]
    except RuntimeError:  # nobody knows where this user's home is
        return [shared]


def _fault(folder: Path) -> str:
    """Why a folder cannot be trusted with compiled code, or "" if it can; it is made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        link, target = folder.lstat(), folder.stat()
        if not os.access(folder, os.W_OK | os.X_OK):
            return f"the cache folder {folder} cannot be written to"
    except OSError as error:
        return f"the cache folder {folder} cannot be used ({error.strerror})"
    if _HAS_OWNERS and not {link.st_uid, target.st_uid} <= {_user()}:
        return f"the cache folder {folder} belongs to somebody else"
    if _HAS_OWNERS and target.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others may write to the cache folder {folder} (chmod go-w would help)"
    return ""


@cache
def _private_folder() -> Path:
    """A folder for this process alone."""
    folder = Path(tempfile.mkdtemp(prefix="turnsmith-cache-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _user() -> int:
    return os.getuid() if _HAS_OWNERS else 0


def say_once(what: str, message: str) -> None:
    """Tell the person one line about the cache, the first time only."""
    if what not in _said:
        _said.add(what)
        sys.stderr.write(f"turnsmith: {message}\n")


# ---------------------------------------------------------------- files


def read(name: str) -> bytes | None:
    """What ``write`` kept under a name, or None if there is nothing, or nothing to be trusted."""
    folder = cache_folder()
    try:
        whole = _content(folder / name)
        if hmac.compare_digest(whole[:SEAL], _seal(folder, name, whole[SEAL:])):
            with contextlib.suppress(OSError):
                os.utime(folder / name)  # used just now
            return whole[SEAL:]
        reason = "it is damaged, or not yours"
    except FileNotFoundError:
        return None
    except OSError as error:
        reason = error.strerror or type(error).__name__
    complain(name, reason)
    return None


def complain(name: str, reason: str) -> None:
    """Say that a file of the cache is of no use."""
    say_once("file", f"{cache_folder() / name} in the cache cannot be used ({reason}); compiling again")


def write(name: str, content: bytes) -> None:
    """Keep some bytes, whole or not at all. A full disk costs compiling next time, nothing else."""
    folder = cache_folder()
    part = folder / f"{uuid.uuid4().hex}.part"
    try:
        with open(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(_seal(folder, name, content) + content)
        part.replace(folder / name)
    except OSError as error:
        say_once("write", f"compiled code cannot be kept in {folder} ({error.strerror})")
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    if folder not in _pruned:
        _pruned.add(folder)
        prune(folder)


def prune(folder: Path, most: int = MOST_BYTES) -> None:
    """Delete what was not used for longest until the folder keeps at most so many bytes."""
    files = []
    with contextlib.suppress(OSError):
        files = [(file.stat(), file) for file in folder.iterdir() if file.suffix in (".nbc", ".part", ".lock")]
    left = sum(about.st_size for about, _ in files)
    for about, file in sorted(files, key=lambda each: each[0].st_mtime):
        abandoned = file.suffix != ".nbc" and about.st_mtime < time.time() - 3600
        if left > most or abandoned:
            with contextlib.suppress(OSError):
                file.unlink()
            left -= about.st_size


@contextlib.contextmanager
def alone(name: str) -> Iterator[None]:
    """Within the block, no other process of this user makes what is to be kept under a name, unless somebody waited for
    it too long. Nobody waits for a process that lets others go first. The system frees the lock of one that ends."""
    if fcntl is None:
        yield
        return
    file = cache_folder() / f"{name}.lock"
    try:
        handle = os.open(file, os.O_CREAT | os.O_RDWR | _PLAIN, 0o600)
    except OSError:  # nothing can be kept there either
        yield
        return
    is_ours = False
    try:
        is_ours = _locked(handle)
        yield
    finally:
        if is_ours:  # who waits has it open; who comes later finds what was made
            with contextlib.suppress(OSError):
                file.unlink()
        os.close(handle)


def _locked(handle: int) -> bool:
    """Lock a file, which then says how patient this process is; False if that takes too long."""
    until, own = time.monotonic() + MOST_WAIT, os.nice(0)
    while True:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            patience = os.pread(handle, 8, 0)
            if time.monotonic() > until or (patience.strip().isdigit() and int(patience) > own):
                return False
            time.sleep(0.05)
        else:
            os.pwrite(handle, f"{max(own, 0):<8}".encode(), 0)
            return True


def _seal(folder: Path, name: str, content: bytes) -> bytes:
    return hmac.digest(_key(folder), name.encode() + b"\0" + content, "sha256")


def _content(file: Path) -> bytes:
    """What is in a plain file; what a link leads to is not meant."""
    with open(os.open(file, os.O_RDONLY | _PLAIN), "rb") as opened:
        return opened.read()


def _key(folder: Path) -> bytes:
    """The user's secret, made at first use. Who comes second waits until who came first has written it."""
    file = folder / "key"
    for attempt in range(100):
        with contextlib.suppress(FileExistsError):
            handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _PLAIN, 0o600)
            with open(handle, "wb") as new:
                new.write(secrets.token_bytes(SEAL))
        with contextlib.suppress(FileNotFoundError), open(os.open(file, os.O_RDONLY | _PLAIN), "rb") as opened:
            about, key = os.fstat(opened.fileno()), opened.read()
            is_secret = not _HAS_OWNERS or (about.st_uid == _user() and not about.st_mode & 0o077)
            if is_secret and len(key) == SEAL:
                return key
            if not is_secret or attempt % 50 == 49:  # somebody else's, or left half-written by a killed process
                file.unlink()
        time.sleep(0.01)
    raise PermissionError(errno.EPERM, "its key cannot be kept secret", str(file))
