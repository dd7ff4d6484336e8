"""Scripted players: one automaton, and the thresholds and preferences that make four characters of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import scratch
from turnsmith.games.tactics.scan import (
    ATTACK,
    ATTACK_HIT,
    BALANCED,
    BALANCED_HIT,
    CAN_COVER,
    CAN_RELOAD,
    DEFENCE,
    DEFENCE_EXPOSED,
    EXPOSED,
    HIT,
    LIVING,
    PLACES,
    TARGET,
    look,
    scan_moves,
)
from turnsmith.languages import _, marked
from turnsmith.play.player import DEPTH, CompiledPlayer, Prepared, filled, numbers

if TYPE_CHECKING:
    from turnsmith.play.inspection import Inspection
    from turnsmith.play.position import PositionView

Character = numbers("shoot", "better", "poor", "weak", "safer", "caution", "patience", "hides")

RULES = (
    marked("1: the magazine is empty, so it reloads"),
    marked("2: the chance now is at least `shoot`, so it shoots"),
    marked("2: the chance from the attack cell is better by at least `better`; weak, it goes to the balanced cell"),
    marked("2: the chance from the attack cell is better by at least `better`, so it goes there"),
    marked("2: the chance is below `poor` and it is in cover, so it takes cover"),
    marked("2: no cell is better by `better`, so it shoots"),
    marked("3: no shot, but points for a move and a shot; weak, it goes to the balanced cell"),
    marked("3: no shot, but points for a move and a shot: it goes to the attack cell, or nearer to an enemy"),
    marked("4: no shot and the magazine is half empty, so it reloads"),
    marked("4: no shot, and it is exposed by more than `safer` less at the defence cell, so it goes there"),
    marked("4: no shot, and it is exposed or waits in cover, so it takes cover"),
    marked("4: no shot and no cover, so it goes to the defence cell"),
    marked("4: nothing better is left: it takes cover, or skips"),
)
"""The rules by which it decides, in the words of the settings; a report says which one it was."""
EMPTY, FAIR, BETTER_WEAK, BETTER, POOR, SHOT = range(6)
SEEK_WEAK, SEEK, HALF_EMPTY, SAFER, EXPOSED_IN_COVER, ASIDE, NOTHING = range(6, 13)
RULE = DEPTH
"""The place of the rule in a report: an automaton looks no moves ahead."""


def by_rule(rule, action, report):
    report[RULE] = rule
    return action


def decide_by_automaton(game, board, view, acts, data, memory, params, report, rng):
    """The first rule that fits, after every action anew."""
    settings = params.view(Character)[0]
    scan = scratch(PLACES, np.int64)
    look(board, view, acts, scan)
    unit, points = np.int64(view.unit), np.int64(view.points)
    shot = np.int64(board.cells) + scan[TARGET]
    reload = np.int64(board.cells) + np.int64(board.team)
    cover, skip = reload + 1, reload + 2

    # 1. An empty magazine is filled.
    if view.ammo[unit] == 0 and scan[CAN_RELOAD]:
        return by_rule(EMPTY, reload, report)
    # 2. Whoever can shoot does so, unless a better shot or cover is at hand.
    if scan[HIT] >= settings.shoot and scan[HIT] > 0:
        return by_rule(FAIR, shot, report)
    scan_moves(board, view, acts, settings.caution, scan)
    is_weak = 100 * np.int64(view.hp[unit]) <= settings.weak * np.int64(board.hp[unit])
    if scan[HIT] > 0:
        if scan[ATTACK] >= 0 and scan[ATTACK_HIT] >= scan[HIT] + settings.better:
            if is_weak and scan[BALANCED_HIT] >= scan[HIT]:
                return by_rule(BETTER_WEAK, scan[BALANCED], report)
            return by_rule(BETTER, scan[ATTACK], report)
        if scan[HIT] < settings.poor and scan[CAN_COVER]:
            return by_rule(POOR, cover, report)
        return by_rule(SHOT, shot, report)
    # 3. Without a shot, but with points for a move and one: find one, or come nearer.
    waits = view.turn < settings.patience and (scan[ATTACK_HIT] == 0 or scan[ATTACK] < 0)
    if points > board.shot_points and scan[ATTACK] >= 0 and not waits:
        return by_rule(SEEK_WEAK, scan[BALANCED], report) if is_weak else by_rule(SEEK, scan[ATTACK], report)
    # 4. With the last points: reload, or look after oneself.
    if 2 * np.int64(view.ammo[unit]) <= board.magazine[unit] and scan[CAN_RELOAD]:
        return by_rule(HALF_EMPTY, reload, report)
    if settings.hides:
        if scan[DEFENCE] >= 0 and scan[EXPOSED] - scan[DEFENCE_EXPOSED] > settings.safer * scan[LIVING]:
            return by_rule(SAFER, scan[DEFENCE], report)
        if scan[CAN_COVER] and (scan[EXPOSED] > 0 or waits):
            return by_rule(EXPOSED_IN_COVER, cover, report)
        if scan[DEFENCE] >= 0:
            return by_rule(ASIDE, scan[DEFENCE], report)
    return by_rule(NOTHING, cover if scan[CAN_COVER] else skip, report)


@dataclass(frozen=True, repr=False)
class Static(CompiledPlayer):
    name = "static"
    summary = "a fixed automaton: shoot if the odds are fair, else move to where they are, else find cover"
    decide = decide_by_automaton
    board_independent = True
    shoot: int = setting(-1, -1, 100)
    """Shoots at once with this chance, in percent, or a better one; this and the next four: -1 for what the
    configuration says."""
    better: int = setting(-1, -1, 100)
    """Moves before it shoots for so much more chance."""
    poor: int = setting(-1, -1, 100)
    """With less chance it would rather take cover."""
    weak: int = setting(-1, -1, 100)
    """Percent of its hit points at which it begins to look after itself."""
    safer: int = setting(-1, -1, 100)
    """Steps aside if it is exposed by more than so much less there."""
    caution: float = setting(1.0, 0.0, 100.0)
    """How much exposure counts against the own chance where it looks after itself."""
    patience: int = setting(0, 0, 1000)
    """Rounds in which it does not go out to look for enemies."""
    hides: bool = setting(True)
    """Whether it uses its last point to step out of sight."""

    def prepare(self, game, boards):
        usual = dict(zip(("shoot", "better", "poor", "weak", "safer"), boards["thresholds"][0].tolist(), strict=True))
        chosen = {name: value for name, value in usual.items() if getattr(self, name) < 0}
        return Prepared.of(params=filled(Character, self, **chosen))

    def note(self, position: PositionView, action: int, report: Array, memory: Array) -> str:
        return _("rule {}").format(_(RULES[int(report[RULE])]))

    def inspect(self, position: PositionView) -> Inspection:
        from turnsmith.games.tactics.why import inspect_automaton

        return inspect_automaton(self, position)


@dataclass(frozen=True, repr=False)
class Rusher(Static):
    name = "rusher"
    summary = "runs at the enemy, shoots from where the odds are best and never hides"
    shoot: int = setting(75, -1, 100)
    better: int = setting(5, -1, 100)
    poor: int = setting(0, -1, 100)
    weak: int = setting(0, -1, 100)
    hides: bool = setting(False)


@dataclass(frozen=True, repr=False)
class Camper(Static):
    name = "camper"
    summary = "finds cover and lets the enemy come; after twelve rounds it goes out itself"
    shoot: int = setting(30, -1, 100)
    better: int = setting(40, -1, 100)
    poor: int = setting(15, -1, 100)
    weak: int = setting(100, -1, 100)
    safer: int = setting(0, -1, 100)
    patience: int = setting(12, 0, 1000)


@dataclass(frozen=True, repr=False)
class Sniper(Static):
    name = "sniper"
    summary = "moves only to cells from where it hits better than it is hit"
    shoot: int = setting(60, -1, 100)
    better: int = setting(10, -1, 100)
    weak: int = setting(100, -1, 100)
    caution: float = setting(2.0, 0.0, 100.0)
