"""Scripted players: one automaton, and the thresholds and preferences that make four characters of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
from turnsmith.kernel import scratch
from turnsmith.player import CompiledPlayer, Prepared, filled, numbers
from turnsmith.texts import setting

Character = numbers("shoot", "better", "poor", "weak", "safer", "caution", "patience", "hides")


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
        return reload
    # 2. Whoever can shoot does so, unless a better shot or cover is at hand.
    if scan[HIT] >= settings.shoot and scan[HIT] > 0:
        return shot
    scan_moves(board, view, acts, settings.caution, scan)
    is_weak = 100 * np.int64(view.hp[unit]) <= settings.weak * np.int64(board.hp[unit])
    if scan[HIT] > 0:
        if scan[ATTACK] >= 0 and scan[ATTACK_HIT] >= scan[HIT] + settings.better:
            return scan[BALANCED] if is_weak and scan[BALANCED_HIT] >= scan[HIT] else scan[ATTACK]
        if scan[HIT] < settings.poor and scan[CAN_COVER]:
            return cover
        return shot
    # 3. Without a shot, but with points for a move and one: find one, or come nearer.
    waits = view.turn < settings.patience and (scan[ATTACK_HIT] == 0 or scan[ATTACK] < 0)
    if points > board.shot_points and scan[ATTACK] >= 0 and not waits:
        return scan[BALANCED] if is_weak else scan[ATTACK]
    # 4. With the last points: reload, or look after oneself.
    if 2 * np.int64(view.ammo[unit]) <= board.magazine[unit] and scan[CAN_RELOAD]:
        return reload
    if settings.hides:
        if scan[DEFENCE] >= 0 and scan[EXPOSED] - scan[DEFENCE_EXPOSED] > settings.safer * scan[LIVING]:
            return scan[DEFENCE]
        if scan[CAN_COVER] and (scan[EXPOSED] > 0 or waits):
            return cover
        if scan[DEFENCE] >= 0:
            return scan[DEFENCE]
    return cover if scan[CAN_COVER] else skip


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
