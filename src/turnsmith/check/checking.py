"""The public conformance suite: does a game keep the contract? For our games and for a stranger's.

Random games give positions, and every law of ``laws.py`` is checked on each of them, in stages:

1. interpreted, where a mistake has a file and a line;
2. compiled with bounds checks, in a process of its own, where every rule must answer the same;
3. compiled as it is run by everything else: the same answers again, then the laws on many more positions;
4. a small search by the code for any game, which must decide as it does interpreted;
5. descriptions of boards that were tampered with, in a process of its own (``mutations.py``), and boards made of
   genes, where a game has some (``genes.py``);
6. the golden playthroughs, where there are some.

A stage begins only when those before found nothing: what fails there would only fail again, less readably. Where time
is short, each stage gets its share, and within it each law; what was left out is told.
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from turnsmith.check.answers import Answers, PositionsRequest, answers_at, bounds_checked, can_be_loaded, replayed
from turnsmith.check.code import forbidden
from turnsmith.check.genes import check_genes
from turnsmith.check.golden import golden_file, playthroughs
from turnsmith.check.laws import LAWS, Law
from turnsmith.check.mutations import MUTATIONS, mutation_faults
from turnsmith.check.nodes import CheckedPosition, play
from turnsmith.check.report import LawResult, Report
from turnsmith.check.rules import RULES, CheckedRules, Fault, blame
from turnsmith.check.secrets import survey
from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.files import write_text
from turnsmith.compile.kernel import compiled, interpreted
from turnsmith.compile.rng import below, stream
from turnsmith.contract.first_use import remember
from turnsmith.contract.game import OVER, Game, Rule
from turnsmith.contract.records import board_record
from turnsmith.contract.trainings import hear_nothing
from turnsmith.play import step
from turnsmith.play.erased import can_erase
from turnsmith.play.player import POLICY, CompiledPlayer, Prepared, player
from turnsmith.play.seat import Seat
from turnsmith.play.tiers import FIRST, Code, code_for, within_tier

__all__ = ["POSITIONS", "LawResult", "Report", "check"]

POSITIONS = 400
"""Positions of the compiled stage unless told otherwise; the slower interpreted one takes a tenth."""
MOST_LISTED = 500_000
"""Where positions have very many moves, fewer of them are visited: about this many moves are listed in all."""
MOST_PLIES = 20_000
"""A random game longer than this counts as endless."""
LEVEL_SECONDS = 0.5
"""What the player of a level may think about the move it is tried on."""
SMALL_SEARCH, SEARCHED = "mcts:simulations=4", (0, 5)
"""What decides by both kinds of code, and after how many random decisions."""
FEW_PLIES = 500
"""Where interpreted games stop, ended or not."""

CODE = "rules print nothing, and draw at random only from turnsmith.compile.rng"
BOARD = "the board is made from a small description, the same each time"
DRAWN = "boards drawn all at once are those made one by one"
ENDS = "rules, and random games, come to an end"
ANSWERS = "every rule answers without an error"
BOUNDED = "compiled with bounds checks, every rule answers as interpreted"
SAME = "compiled, every rule answers as interpreted"
TAMPERED = "a description that was tampered with is refused with a ValueError, or makes a board to play on"
TIERS = "a search by the code for any game decides as it does interpreted"
KEPT = "no rule changes the board"
LEVELS = "every level names a player that moves legally, or says why it does not play here"
GOLDEN = "golden playthroughs are as they were"


def check(
    game: Game,
    positions: int = POSITIONS,
    seed: int = 0,
    golden: Path | None = None,
    write: bool = False,
    mutations: int = MUTATIONS,
    seconds: float = math.inf,
    tell: Callable[[str], object] = hear_nothing,
) -> Report:
    """Check a game on up to `positions` different positions of random games, and on mutated descriptions of boards,
    within about so many seconds; `tell` hears what comes next.

    Its golden playthroughs are in `golden`, or in ``tests/golden/<game>.txt`` below the current folder if that exists;
    with `write` they are written there instead of compared. A game that was not made by ``load`` cannot be loaded by
    another process either, so it is not run with bounds checks.
    """
    if positions < 1:
        raise BadInput(f"positions={positions} must be at least 1")
    if mutations < 0:
        raise BadInput(f"mutations={mutations} must not be negative")
    if golden is not None and not write and not golden.is_file():
        raise BadInput(f"there is no file {golden}; write it first (--write-golden)")
    report, started = Report(game.text_name, seed), time.perf_counter()
    try:
        _check(report, game, positions, mutations, golden or golden_file(game), write, Time(seconds, tell))
    finally:
        report.seconds = time.perf_counter() - started
    if report.ok and game.home and not report.left_out:
        remember(game)
        if mutations >= MUTATIONS:
            remember(game, "checked")
    return report


class Time:
    """How long there is, as shares of the whole, and whoever is told what it is used for."""

    def __init__(self, seconds: float = math.inf, tell: Callable[[str], object] = hear_nothing) -> None:
        self.seconds, self.tell = seconds, tell
        self.begun = time.monotonic()

    def until(self, share: float) -> float:
        """The moment, by the clock that never goes back, at which a share of the time is over."""
        return self.begun + share * self.seconds

    def cpu_until(self, share: float) -> float:
        """The same in CPU seconds of this process, from now on."""
        return time.process_time() + max(0.0, self.until(share) - time.monotonic())


def _check(report: Report, game: Game, positions: int, mutations: int, golden: Path, write: bool, left: Time) -> None:
    left.tell("boards")
    for examine in (check_code, check_board):
        examine(report, game)
        if not report.ok:
            return
    board = game.board(report.seed)[0]
    wide = int(max(board.actions, board.outcomes))
    positions = min(positions, max(20, MOST_LISTED // wide))
    left.tell("random games, interpreted")
    few = visit(report, game, interpreted, max(20, positions // 10), FEW_PLIES, left.cpu_until(0.1))
    if not report.ok:
        return
    check_laws(report, few, [law for law in LAWS if not law.only_compiled], left, 0.35, "interpreted")
    if not report.ok:
        return
    left.tell("answers, interpreted")
    expected = _answers(report, few, left.until(0.4))
    if not report.ok:
        return
    left.tell("compiling, with and without bounds checks")
    if can_be_loaded(game):
        _check_answers(report, BOUNDED, expected, lambda requests: bounds_checked(game, requests))
        if not report.ok:
            return
    _check_answers(report, SAME, expected, lambda requests: replayed(game, requests, compiled))
    if not report.ok:
        return
    left.tell("random games, compiled")
    many = visit(report, game, compiled, positions, MOST_PLIES, left.cpu_until(0.6))
    check_laws(report, many, LAWS, left, 0.8, "compiled")
    _check_boards_kept(report, many)
    if game.hides:
        with contextlib.suppress(Fault):  # which the laws have told
            report.secrets = survey(many)
    if report.ok and can_be_loaded(game) and mutations:
        left.tell("descriptions that were tampered with")
        tried = 0
        for fault in mutation_faults(game, report.seed, mutations, left.until(0.95)):
            report.add(TAMPERED, fault)
            tried += 1
        if report.ok and tried < mutations:
            report.left_out.append(f"{mutations - tried:,} of {mutations:,} descriptions that were tampered with")
    stages = (("boards made of genes", check_genes), ("code for any game", check_tiers), ("levels", check_levels))
    for what, examine in stages:
        if not report.ok or (examine is check_genes and game.genes is None):
            continue
        if time.monotonic() > left.until(1.0):
            report.left_out.append(what)
            continue
        left.tell(what)
        examine(report, game)
    if report.ok:
        left.tell("golden playthroughs")
        _check_golden(report, game, golden, write)


def check_tiers(report: Report, game: Game) -> None:
    """Let a small search decide here and there, by code of the first tier (see ``play.tiers``) and interpreted."""
    position, who = game.start(report.seed), player(SMALL_SEARCH, game)
    if not can_erase(game) or not isinstance(who, CompiledPlayer) or who.refuses(game, position.boards[0]):
        return
    with within_tier(FIRST):
        code = code_for(game, who)
    ready, rng = who.prepare(game, position.boards), stream(report.seed)
    for ply in range(SEARCHED[-1] + 1):
        if position.mover < 0:
            return
        if ply in SEARCHED:
            views, acts, answers = position.view(position.mover), position.actions, []
            for how in (code.decide, partial(_decide_interpreted, game, code)):
                memory, notes = np.zeros(ready.memory, np.uint8), np.zeros(POLICY + len(acts))
                action = how(who, position.boards, views, acts, ready, memory, notes, stream(report.seed, ply))
                answers.append((position.words(action), np.round(notes, 9).tolist()))
            same = answers[0] == answers[1]
            fault = f"{SMALL_SEARCH} after {position.history}: {answers[0]}, but interpreted {answers[1]}"
            report.add(TIERS, None if same else fault)
        with np.errstate(over="ignore"):
            position.push(int(position.actions[int(below(rng, len(position.actions)))]))


def _decide_interpreted(
    game: Game, code: Code, who: CompiledPlayer, boards: Array, views: Array, acts: Array, ready: Prepared, *rest: Array
) -> int:
    memory, notes, rng = rest
    arguments = (acts, code.where(who), ready.data, memory, ready.params, notes, rng)
    return int(interpreted(step.ask)(game, boards, views, *arguments))


def check_levels(report: Report, game: Game) -> None:
    """Let the player of every level make the first decision."""
    position = game.start(report.seed)
    for level, text in game.levels().items():
        fault = None
        try:
            who = player(text, game)
            if who.refuses(game, position.boards[0]) is None and position.mover >= 0:
                action = Seat(who.within(LEVEL_SECONDS), game, position.boards).choose(position)
                fault = None if action in position.actions else f"makes the illegal move {action}"
        except Exception as error:
            fault = f"fails: {type(error).__name__}: {error}"
        report.add(LEVELS, fault and f"the level {level} ({text}) {fault}")


# ---------------------------------------------------------------- boards and positions


def check_code(report: Report, game: Game) -> None:
    for name in RULES:
        report.add(CODE, next(forbidden(getattr(game.joint or game, name)), None))


def _fields(boards: Any) -> list[bytes]:
    return [boards[name].tobytes() for name in boards.dtype.names]


def check_board(report: Report, game: Game) -> None:
    header = board_record().names or ()
    for name, kind, first in (("board_record", game.Board, header), ("record", game.State, ())):
        if not isinstance(kind, np.dtype) or kind.type is not np.record or (kind.names or ())[: len(first)] != first:
            report.add(BOARD, f"{'Board' if first else 'State'} must be made by turnsmith.{name}(field=type, ...)")
            return
    for seed in range(report.seed, report.seed + 3):
        try:
            one, other = (_fields(CheckedRules(game, seed, interpreted).boards) for _ in range(2))
            report.add(BOARD, None if one == other else f"seed {seed} gave another board the second time")
        except Fault as fault:
            report.add(BOARD, f"seed {seed}: {fault}")
            break
    if game.draw_boards is not None and game.sources_of is not None:
        try:
            _check_drawn(report, game, game.draw_boards, game.sources_of)
        except Fault as fault:
            report.add(DRAWN, str(fault))


def _check_drawn(report: Report, game: Game, draw_boards: Rule, sources_of: Rule) -> None:
    seeds = list(range(report.seed, report.seed + 20))
    with blame("draw_boards"):
        boards = draw_boards(game.options, np.array(seeds, np.uint64))
    with blame("sources_of"):
        sources = json.loads(json.dumps(sources_of(boards)))
    if boards.dtype != game.Board or not len(seeds) == len(boards) == len(sources):
        report.add(DRAWN, f"{len(seeds)} seeds gave {len(boards)} boards {boards.dtype.name}, {len(sources)} sources")
        return
    for seed, source, index in zip(seeds, sources, range(len(seeds)), strict=True):
        if source != game.describe(seed):
            report.add(DRAWN, f"seed {seed}: sources_of describes the board otherwise than source")
        else:
            same = _fields(boards[index : index + 1]) == _fields(game.build(source))
            report.add(DRAWN, None if same else f"seed {seed}: draw_boards makes another board than tables")


def _check_boards_kept(report: Report, nodes: list[CheckedPosition]) -> None:
    for rules in {id(node.rules): node.rules for node in nodes}.values():
        same = _fields(rules.boards) == _fields(rules.game.board(rules.seed))
        report.add(KEPT, None if same else "a rule wrote into the board, which never changes during a game")


def visit(
    report: Report, game: Game, how: Callable[..., Any], positions: int, plies: int, until: float = math.inf
) -> list[CheckedPosition]:
    """Different positions of random games, each game on the board of the next seed, spread over the games' lengths;
    `until`: the CPU second in which to stop."""
    nodes: list[CheckedPosition] = []
    boards: dict[str, CheckedRules] = {}
    seen: set[tuple[str, bytes]] = set()
    stale = 0
    for number in range(positions):
        source = json.dumps(game.describe(report.seed + number))
        if source not in boards:
            boards[source] = CheckedRules(game, report.seed + number, how)
        playout, fault = play(boards[source], number, plies, until)
        ended = playout.movers[-1:] == [OVER]
        if len(playout.history) == MOST_PLIES and not ended:
            fault = endless(MOST_PLIES)
        if fault or ended:
            report.add(ENDS, fault)
        stale += 1
        length = len(playout.states)
        for ply in range(length - 1, -1, -max(1, length // max(4, positions // 4))):
            if len(nodes) < positions and (source, playout.states[ply]) not in seen:
                seen.add((source, playout.states[ply]))
                nodes.append(CheckedPosition(playout, ply))
                stale = 0
        is_late = time.process_time() > until
        if is_late and len(nodes) < positions and not fault:
            report.left_out.append(f"{positions - len(nodes):,} of {positions:,} positions, {how.__name__}")
        if len(nodes) == positions or stale == 20 or fault or is_late:
            break
    report.positions = max(report.positions, len(nodes))
    return sorted(nodes, key=lambda node: node.ply)  # so that the first failure has the shortest history


def endless(moves: int) -> str:
    return f"no end after {moves:,} random moves; let the game end some time, for example as a draw"


def check_end(report: Report, rules: CheckedRules, until: float) -> None:
    """Whether a random game ends, as far as that shows in time; interpreted."""
    game, board, state = rules.game, rules.boards[0], np.frombuffer(bytearray(rules.start()), rules.game.State)[0]
    (acts, chances), rng = step.buffers(rules.boards), rules.stream(1)
    fault: str | None = endless(MOST_PLIES)
    try:
        with blame("a rule"):
            for _ in range(MOST_PLIES):
                mover = game.to_move(board, state)
                if mover == OVER or time.process_time() > until:
                    fault = None
                    break
                game.apply(board, state, step.random_action(game, board, state, mover, acts, chances, rng))
    except Fault as stopped:
        fault = str(stopped)
    report.add(ENDS, fault)


# ---------------------------------------------------------------- laws


def check_laws(
    report: Report,
    nodes: list[CheckedPosition],
    laws: Sequence[Law],
    left: Time | None = None,
    share: float = 1.0,
    how: str = "",
) -> None:
    """Every law on the positions it is of. Where time is short, it is shared out among the laws that are not done."""
    left = left or Time()
    end, waiting = left.until(share), []
    for law in laws:
        where = [node for node in nodes if law.applies(node)]
        waiting.append((law, deque(where[:: max(1, len(where) // law.most)])))
    is_first = True
    while waiting and (is_first or time.monotonic() < end):
        is_first = False
        for place, (law, here) in enumerate(waiting):
            left.tell(f"{law.name} ({how})")
            now = time.monotonic()
            until = now + (end - now) / (len(waiting) - place)
            while here and time.monotonic() < until:
                node = here.popleft()
                try:
                    fault = next(law.faults(node), None)
                except Fault as stopped:
                    fault = str(stopped)
                report.add(law.name, None if fault is None else f"{node}: {fault}")
        waiting = [(law, here) for law, here in waiting if here]
    report.left_out += [f"{len(here)} positions, {how}, of: {law.name}" for law, here in waiting]


def _answers(report: Report, nodes: list[CheckedPosition], until: float) -> dict[CheckedPosition, Answers]:
    expected: dict[CheckedPosition, Answers] = {}
    for node in nodes:
        if expected and time.monotonic() > until:
            report.left_out.append(f"{len(nodes) - len(expected)} of {len(nodes)} positions, of: {SAME}")
            break
        try:
            expected[node] = answers_at(node)
            report.add(ANSWERS, None)
        except Fault as fault:
            report.add(ANSWERS, f"{node}: {fault}")
    return expected


def _check_answers(
    report: Report,
    law: str,
    expected: dict[CheckedPosition, Answers],
    ask: Callable[[list[PositionsRequest]], list[list[Answers]]],
) -> None:
    games: dict[int, list[CheckedPosition]] = {}
    for node in expected:
        games.setdefault(id(node.playthrough), []).append(node)
    requests = [PositionsRequest(g[0].rules.seed, g[0].playthrough.history, [n.ply for n in g]) for g in games.values()]
    try:
        replies = ask(requests)
    except Fault as fault:
        report.add(law, str(fault))
        return
    given = {
        node: reply
        for g, replied in zip(games.values(), replies, strict=True)
        for node, reply in zip(g, replied, strict=True)
    }
    for node, answers in expected.items():
        difference = _first_difference(answers, given[node])
        report.add(law, None if difference is None else f"{node}: {difference}")


def _first_difference(expected: Answers, given: Answers) -> str | None:
    if "fault" in given:
        return given["fault"]
    for name, value in expected.items():
        if given[name] != value:
            return (
                f"{name} is {_short(value)} interpreted, but {_short(given[name])} compiled; small whole numbers wrap "
                "around in Python and widen when compiled, so read fields as int(...)"
            )
    return None


def _short(value: str) -> str:
    return value if len(value) <= 60 else value[:57] + "…"


def _check_golden(report: Report, game: Game, file: Path, write: bool) -> None:
    if write:
        write_text(file, playthroughs(game))
    elif not file.is_file():
        return
    before, now = file.read_text(encoding="utf-8").splitlines(), playthroughs(game).splitlines()
    report.add(GOLDEN, None if before == now else _first_change(file, before, now))


def _first_change(file: Path, before: Sequence[str], now: Sequence[str]) -> str:
    pairs = enumerate(zip_longest(before, now, fillvalue="nothing"), start=1)
    line, was, is_now = next((line, was.strip(), is_now.strip()) for line, (was, is_now) in pairs if was != is_now)
    return f"line {line} of {file} says '{was}', but now it is '{is_now}'; if that is meant, write it anew"
