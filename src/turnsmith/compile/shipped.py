"""Compiled code that came with the package: a folder that is only read, beside the package's own Python.

A wheel for one platform brings machine code for a processor that nearly everybody has (``LEVEL``), so that a first
reply needs no compiling. A manifest names every file with its size and SHA-256, and what the code was made by. Where
anything differs from what runs here, there is no such code, and kernels are compiled as ever; where a file is damaged,
that is said once. No setting leads to another folder: whoever can write to this one can change the package itself.

``tools/compile_wheel.py`` makes the folder.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import stat
import sysconfig
from functools import lru_cache
from pathlib import Path
from typing import Any

from turnsmith.compile import cache

FOLDER = Path(__file__).parent.parent / "compiled"
MANIFEST = "manifest.json"
FORMAT = 1
LEVEL = "x86-64-v2"
FEATURES = ("cmov", "cx16", "cx8", "fxsr", "mmx", "popcnt", "sahf", "sse", "sse2", "sse3", "sse4.1", "sse4.2", "ssse3")
"""What a processor of that level has, by LLVM's names."""
_MOST_MANIFEST = 4 << 20
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def python() -> str:
    """What compiled code needs of Python: its binary interface and its bytecode, equal in all releases of 3.x."""
    return f"{sysconfig.get_config_var('SOABI')} {importlib.util.MAGIC_NUMBER.hex()}"


def facts() -> dict[str, Any]:
    """What runs here, as a manifest has to say it of where its code was made."""
    from turnsmith.compile import numba_private  # which needs this module

    return {"format": FORMAT, "python": python(), "level": LEVEL, **numba_private.compiler_facts()}


def suits_processor() -> bool:
    """Whether this processor runs code of the level, and the one that numba was told to compile for does, too."""
    from turnsmith.compile import numba_private

    host, features, wanted, wanted_features = numba_private.processor()
    told = set((wanted_features or "").split(","))
    if not features.issuperset(FEATURES) or told & {f"-{feature}" for feature in FEATURES}:
        return False
    if wanted_features is None:
        return wanted in (None, LEVEL, host)
    return wanted == LEVEL or told.issuperset(f"+{feature}" for feature in FEATURES)


def is_there() -> bool:
    """Whether the package brought code that fits what runs here."""
    return bool(_manifest(FOLDER)["files"])


def has(name: str) -> bool:
    """Whether there is a file of this name, undamaged."""
    return _is_whole(FOLDER, name)


def read(name: str) -> bytes | None:
    """What is in a file of the folder; None if there is none, or it is not as the manifest says."""
    about = _manifest(FOLDER)["files"].get(name)
    if about is None:
        return None
    try:
        content = _content(FOLDER / name, about["size"])
        if hashlib.sha256(content).hexdigest() == about["sha256"]:
            return content
        reason = "it is damaged"
    except OSError as error:
        reason = error.strerror or type(error).__name__
    complain(name, reason)
    return None


def note(key: str) -> dict[str, Any] | None:
    """The note of a part that the package brought (see ``warm.parts``)."""
    found = _manifest(FOLDER)["notes"].get(key)
    return None if found is None else {"files": found, "seconds": 0.0}


def told() -> str:
    """What came with the package, for people."""
    if not FOLDER.is_dir():
        return "none came with turnsmith"
    count = len(_manifest(FOLDER)["files"])
    return f"{count} files for {LEVEL} came with turnsmith" if count else "what came with turnsmith does not fit here"


def complain(name: str, reason: str) -> None:
    """Say that a file which came with the package is of no use."""
    cache.say_once(
        "shipped", f"{FOLDER / name}, which came with turnsmith, cannot be used ({reason}); compiling instead"
    )


@lru_cache(maxsize=512)
def _is_whole(folder: Path, name: str) -> bool:
    return read(name) is not None


@lru_cache(maxsize=4)
def _manifest(folder: Path) -> dict[str, Any]:
    """Files and notes that the package brought; none if they are for anything else than what runs here."""
    nothing: dict[str, Any] = {"files": {}, "notes": {}}
    if not folder.is_dir():
        return nothing
    try:
        if folder.is_symlink():
            raise OSError(0, "its folder is a link")
        manifest = json.loads(_content(folder / MANIFEST, _MOST_MANIFEST, exactly=False))
        if any(manifest[name] != value for name, value in facts().items()) or not suits_processor():
            return nothing
        files = {
            name: {"size": int(about["size"]), "sha256": str(about["sha256"])}
            for name, about in manifest["files"].items()
        }
        return {
            "files": files,
            "notes": {key: [str(name) for name in names] for key, names in manifest["notes"].items()},
        }
    except OSError as error:
        complain(MANIFEST, error.strerror or type(error).__name__)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        complain(MANIFEST, "it is damaged")
    return nothing


def _content(file: Path, size: int, exactly: bool = True) -> bytes:
    """What is in a plain file that belongs to the owner of the package and that not everybody may write to."""
    with open(os.open(file, _FLAGS), "rb") as opened:
        about, owner = os.fstat(opened.fileno()), os.stat(__file__).st_uid
        if not stat.S_ISREG(about.st_mode):
            raise OSError(0, "it is no plain file")
        if about.st_uid != owner or about.st_mode & stat.S_IWOTH:
            raise OSError(0, "others may have written it")
        if about.st_size > size or (exactly and about.st_size != size):
            raise OSError(0, "it has another size")
        return opened.read(size + 1)
