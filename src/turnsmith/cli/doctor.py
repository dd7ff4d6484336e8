"""``turnsmith doctor``: what is installed here, what is kept where, and what is wrong."""

from __future__ import annotations

import os
import platform
import shutil
import sys
import textwrap
from importlib import metadata
from typing import Any

import typer

from turnsmith.cli import print_json
from turnsmith.cli.options import Json

LIBRARIES = ("numpy", "numba", "llvmlite", "onnxruntime", "nicegui", "SQLAlchemy")
"""Those of the plain install whose versions matter most when something is wrong."""
EXTRAS = {
    "learn": (
        "to train nets and to solve by lp",
        ("torch", "scikit-learn", "optuna", "matplotlib", "stable-baselines3"),
    ),
    "gym": ("Gymnasium and PettingZoo", ("gymnasium", "pettingzoo")),
    "cluster": ("arenas on many machines", ("ray",)),
    "postgres": ("a PostgreSQL store", ("psycopg",)),
}
WHOLE_WORDS: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}  # paths are to be copied
PROGRAMS = {
    "chromedriver": "tests of the page",
    "mcs": "exported C#, in tests",
    "godot3-server": "exported GDScript, in tests",
    "node": "tests of the page",
}


def doctor(json: Json = False) -> None:
    """Say what is installed, where compiled code is kept, how many cores there are, and what is wrong."""
    sections, columns = findings(), shutil.get_terminal_size().columns
    if json:
        print_json(sections)
        return
    for title, rows in sections.items():
        if title == "problems":
            continue
        typer.echo(title)
        wide = max(map(len, rows))
        for name, value in rows.items():
            under = " " * (wide + 4)
            typer.echo(textwrap.fill(f"  {name:<{wide}}  {value}", columns, subsequent_indent=under, **WHOLE_WORDS))
    typer.echo("problems" if sections["problems"] else "nothing is wrong")
    for problem in sections["problems"]:
        typer.echo(f"  {problem}")


def findings() -> dict[str, Any]:
    """All of it, by title; `problems` is a list of sentences with their cures."""
    from turnsmith.compile.cache import MOST_BYTES, cache_folder
    from turnsmith.compile.self_test import self_test
    from turnsmith.compile.shipped import told

    problems = [f"numba: {fault}; reinstall turnsmith in a new environment" for fault in self_test()]
    folder = cache_folder()
    sizes = [file.stat().st_size for file in folder.rglob("*") if file.is_file()] if folder.is_dir() else []
    free = shutil.disk_usage(folder if folder.is_dir() else folder.anchor).free
    if free < 1 << 30:
        problems.append(f"only {_size(free)} are free for compiled code in {folder}; make room, or set TURNSMITH_CACHE")
    if not os.access(folder, os.W_OK):
        problems.append(
            f"{folder} cannot be written, so all is compiled anew; set TURNSMITH_CACHE to a folder of yours"
        )
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    if encoding not in ("utf8", "utf16"):
        problems.append(
            f"the terminal speaks {encoding or 'nothing known'}, so some signs are shown as ?; set PYTHONUTF8=1"
        )
    return {
        "here": {
            "turnsmith": metadata.version("turnsmith"),
            "Python": f"{platform.python_version()} ({sys.executable})",
            "system": f"{platform.system()} {platform.machine()}",
            "cores": str(cores),
            "terminal": f"{shutil.get_terminal_size().columns} columns, {encoding or 'no encoding'}",
        },
        "libraries": {name: _version(name) or "missing" for name in LIBRARIES},
        "compiled code": {
            "folder": str(folder),
            "kept": f"{len(sizes):,} files, {_size(sum(sizes))} of at most {_size(MOST_BYTES)}",
            "free": _size(free),
            "brought": told(),
        },
        "extras": {name: _extra(name, use, parts) for name, (use, parts) in EXTRAS.items()},
        "programs": {name: f"{shutil.which(name) or 'not there'} ({use})" for name, use in PROGRAMS.items()},
        "problems": problems,
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _extra(name: str, use: str, parts: tuple[str, ...]) -> str:
    """Whether an extra is there, as pip sees it; nothing is imported."""
    missing = [part for part in parts if _version(part) is None]
    if missing:
        return f"lacks {', '.join(missing)} ({use}): pip install 'turnsmith[{name}]'"
    return f"{', '.join(f'{part} {_version(part)}' for part in parts)} ({use})"


def _size(count: float) -> str:
    return f"{count / (1 << 30):.1f} GB" if count >= 1 << 30 else f"{count / (1 << 20):.0f} MB"


COMMANDS = (doctor,)
