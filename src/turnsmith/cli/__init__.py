"""The command line: one command a file, heavy imports inside the commands so that the light ones start at once."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import typer

from turnsmith.texts import BadInput


def print_json(document: Any) -> None:
    """One JSON document on stdout, the whole answer of a command with ``--json``."""
    sys.stdout.write(json.dumps(document, indent=2) + "\n")


def app() -> typer.Typer:
    from turnsmith.cli import arena, bench, check, evaluate, games, play, serve, strategy, train, watch

    commands = typer.Typer(
        help="Write a turn-based game once; get strong opponents, fair tournaments and maps to your taste.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    for module in (games, play, watch, serve, arena, evaluate, check, bench, strategy):
        for command in module.COMMANDS:
            commands.command()(command)
    commands.add_typer(train.group(wanted=sys.argv[1:2] == ["train"]), name="train")
    return commands


def main() -> None:
    """Run a command. Bad input: exit 2 and one line on stderr that names the cause and the cure."""
    if len(sys.argv) == 1:
        sys.argv.append("--help")
    try:
        code = app()(standalone_mode=False)
    except BadInput as error:
        code = refuse(str(error))
    except typer.TyperException as error:
        format_message = getattr(error, "format_message", None)
        message = (format_message() if format_message else str(error)) or "no command given"
        code = refuse(f"{message.rstrip('.')}; see 'turnsmith {_command()}--help'")
    except (KeyboardInterrupt, typer.Abort):
        code = 130
        sys.stderr.write("stopped\n")
    except BrokenPipeError:  # the reader of our output went away
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    raise SystemExit(code or 0)


def refuse(message: str) -> int:
    """Say in one line why not, and how then."""
    sys.stderr.write("turnsmith: " + " ".join(message.split()) + "\n")
    return 2


def _command() -> str:
    words = [word for word in sys.argv[1:2] if not word.startswith("-")]
    return "".join(word + " " for word in words)
