"""The command line: one command a file, and one net under all of them.

Exit codes: 0 answered; 1 ``check`` found a broken law; 2 refused, with one line on stderr that names cause and cure; 3
``check`` had no time for everything; 130 stopped by Ctrl-C; 141 whoever read the output went away.

Nothing heavy is imported up here, so that light commands start at once and Ctrl-C is understood from the beginning.
"""

from __future__ import annotations

import contextlib
import errno
import functools
import os
import sys
from typing import Any

from turnsmith.cli.interrupt import listening, say_stopped
from turnsmith.cli.progress import announce_compiling, speaking

NOBODY_READS = 141
CURES = {
    errno.ENOSPC: "make room, or write elsewhere",
    errno.EDQUOT: "make room, or write elsewhere",
    errno.EFBIG: "write elsewhere",
    errno.EACCES: "choose a place you have the rights for",
    errno.EPERM: "choose a place you have the rights for",
    errno.EROFS: "choose a place that can be written",
}


def print_json(document: Any) -> None:
    """One JSON document on stdout, the whole answer of a command with ``--json``."""
    import json

    sys.stdout.write(json.dumps(document, indent=2) + "\n")


def main(words: list[str] | None = None) -> None:
    """Run a command and end with its exit code, whatever happens. ``--debug`` shows what lies behind a refusal."""
    words = sys.argv[1:] if words is None else words
    if "_TURNSMITH_COMPLETE" in os.environ:  # typer's name for it
        complete()
    debug = "--debug" in words or bool(os.environ.get("TURNSMITH_DEBUG"))
    try:
        _open_streams()
        with contextlib.nullcontext() if words[:1] == ["serve"] else listening():  # a server ends in good order
            given = [word for word in words if word != "--debug"]
            code = run(given) if given else greet()
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = say_stopped()
    except BrokenPipeError:
        code = NOBODY_READS
    except SystemExit as end:
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        code = NOBODY_READS  # rich, which prints tables and helps, ends the process by itself, with 1
    except Exception as error:
        if debug:
            import traceback

            traceback.print_exc()
        code = _say(f"turnsmith: {' '.join(sentence(error).split())}", 2)
    _leave_output()
    raise SystemExit(code)


GREETING = """turnsmith {version}: write a game once; get opponents, tournaments and maps.

  turnsmith play connect_four                  play in this terminal
  turnsmith serve                              play and watch in the browser
  turnsmith games                              what there is to play
  turnsmith players mastermind                 who plays it, and how
  turnsmith arena pig --players mcts,random    who is better, and how surely
  turnsmith cfr leduc --until 0.001            solve a game of hidden cards
  turnsmith train value ./my_game.py           teach a net your own game
  turnsmith check ./my_game.py                 try the rules of your own game
  turnsmith warm                               compile ahead what the page needs
  turnsmith doctor                             what is here, and what is wrong

turnsmith --help lists all commands, turnsmith COMMAND --help their options;
turnsmith --install-completion lets your shell complete them.
"""


def greet() -> int:
    """What one can do, for whoever types the name alone."""
    from importlib.metadata import version

    sys.stdout.write(GREETING.format(version=version("turnsmith")))
    return 0


def complete() -> None:
    """Answer a shell that wants a word completed, and end."""
    all_commands().main(prog_name="turnsmith")


def run(words: list[str]) -> int:
    """Carry out a command and return its exit code; what is wrong with its words is bad input."""
    import typer

    from turnsmith.common.errors import BadInput

    for word in words:
        if not word.strip() or (word.startswith("--") and word.endswith("=")):
            raise BadInput(f"'{word}' among the arguments is empty; leave it out, or write something")
        try:
            word.encode()
        except UnicodeEncodeError:
            raise BadInput(f"the argument {ascii(word)[:80]} is not UTF-8; write it so") from None
    try:
        commands = all_commands()
        announce_compiling(words)
        with speaking(words), commands.make_context("turnsmith", list(words)) as context:
            commands.invoke(context)
        return 0
    except typer.Exit as end:
        return end.exit_code
    except typer.TyperException as error:
        message = (error.format_message() or "no command given").rstrip(".")
        command = getattr(getattr(error, "ctx", None), "command_path", "turnsmith")
        raise BadInput(f"{message}; see '{command} --help'") from None


@functools.cache
def all_commands() -> Any:
    """All commands; what each game trains is found when it is asked for."""
    import typer
    import typer.main

    from turnsmith.cli import (
        arena,
        balance,
        bench,
        cfr,
        check,
        doctor,
        evaluate,
        explain,
        export,
        games,
        levels,
        maps,
        perft,
        play,
        serve,
        strategy,
        train,
        warm,
        watch,
    )

    commands = typer.Typer(
        help="Write a turn-based game once; get strong opponents, fair tournaments and maps to your taste.",
        epilog="Exit codes: 0 answered, 1 check found a broken law, 2 refused (one line says why; --debug, anywhere, "
        "shows the rest), 3 check had no time for everything, 130 stopped.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
    )
    for module in (
        games,
        play,
        watch,
        serve,
        warm,
        arena,
        balance,
        levels,
        evaluate,
        check,
        perft,
        bench,
        strategy,
        cfr,
        explain,
        export,
        doctor,
    ):
        for command in module.COMMANDS:
            commands.command()(command)
    commands.add_typer(train.group(), name="train")
    commands.add_typer(maps.group(), name="maps")
    return typer.main.get_command(commands)


def sentence(error: Exception) -> str:
    """What went wrong, for people. Whatever is neither bad input nor the machine's doing is a bug, and says so."""
    from turnsmith.common.errors import BadInput

    if isinstance(error, BadInput):
        return str(error)
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}; {CURES.get(error.errno or 0, 'name another')}"
    if isinstance(error, MemoryError):
        return "there is not enough memory for this; ask for less"
    import traceback

    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if f"{os.sep}turnsmith{os.sep}" in frame.filename]
    at = f" ({os.path.basename(ours[-1].filename)}, line {ours[-1].lineno})" if ours else ""
    return f"this is a bug in turnsmith: {type(error).__name__}: {error}{at}; --debug shows the rest"


def _say(line: str, code: int) -> int:
    with contextlib.suppress(OSError):  # nobody to tell it to
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    return code


def _open_streams() -> None:
    """Closed streams are empty or swallow what is written; what another alphabet lacks is shown or read as a mark."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _leave_output() -> None:
    """What cannot be written any more is dropped, or Python would complain about it on its way out."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
