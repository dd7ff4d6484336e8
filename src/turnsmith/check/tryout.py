"""A short look at a game's rules, interpreted, in a process of its own: enough to dare to compile them."""

from __future__ import annotations

import time

from turnsmith.check.checking import FEW_PLIES, check_board, check_code, check_end, check_laws, visit
from turnsmith.check.child import ask_child
from turnsmith.check.laws import LAWS
from turnsmith.check.report import Report
from turnsmith.check.rules import CheckedRules, Fault
from turnsmith.compile.kernel import interpreted
from turnsmith.contract.game import Game
from turnsmith.contract.loading import load_untried

SECONDS = 1.5
"""CPU seconds to look, more or less."""
POSITIONS = 40
MOST_SECONDS = 600.0
"""After which the process is ended, whatever it does; rules that do not come to an end are found out long before."""


def fault_of(game_text: str) -> str | None:
    """The first thing that is wrong with a game's rules, in one line with its position; it is run elsewhere."""
    try:
        answer = ask_child(__name__, game_text, MOST_SECONDS)
    except Fault as fault:
        return str(fault)
    return None if answer is None else str(answer)


def answer(game_text: str) -> str | None:
    """What ``fault_of`` gives, found here."""
    report = Report(game_text, 0)
    look(report, load_untried(game_text))
    return next((f"{law.failures[0]} (law: {law.name})" for law in report.laws if law.failed), None)


def look(report: Report, game: Game) -> None:
    """Check what compiled code relies on, until something is wrong or the time is over."""
    end = time.process_time() + SECONDS
    for examine in (check_code, check_board):
        examine(report, game)
        if not report.ok:
            return
    nodes = visit(report, game, interpreted, POSITIONS, FEW_PLIES, end - SECONDS / 2)
    for node in nodes if report.ok else []:
        check_laws(report, [node], [law for law in LAWS if not law.only_compiled and not law.for_people])
        if not report.ok or time.process_time() > end:
            return
    if report.ok:
        check_end(report, CheckedRules(game, report.seed, interpreted), end + SECONDS)
