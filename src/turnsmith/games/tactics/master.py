"""`master`: plays on from its best ideas many times, and takes the one that turns out best.

The ideas are what `cells` scores highest. From each, `cells` plays on for two rounds or so against itself or against
`static`, and the lead in soldiers and hit points judges where that leads. All ideas meet the same dice and enemies, and
the worse half of them is dropped again and again (sequential halving), so that most of the playouts go to the few that
are hard to tell apart.

Nobody knows how the enemy plays. Playouts against `cells` alone win 85 % against `cells` and less than `cells` itself
against others; hence the mixture, and the doubt: another idea than the first must turn out clearly better.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from turnsmith.common.settings import FileName, setting
from turnsmith.compile.kernel import copy, is_set, scratch
from turnsmith.compile.rng import draw, mix, unit
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.games.tactics.automata import Static, decide_by_automaton
from turnsmith.games.tactics.cells import MOST_ACTIONS, SHIPPED, WIDTH, best_of, choose, read_weights, score_actions
from turnsmith.games.tactics.rules import State
from turnsmith.languages import _, counted
from turnsmith.play.player import VALUE, WORK, CompiledPlayer, Prepared, filled, numbers
from turnsmith.search.limits import stop_flag

Settings = numbers("playouts", "rounds", "width", "scripted", "doubt")
OWN = 5
"""So many numbers; those of the automaton that enemies may play by come behind them."""
MOST_IDEAS = 64


def clock(board, state):
    """Turns of soldiers that have begun, those of the dead included."""
    return np.int64(state.turn) * 2 * np.int64(board.team) + np.int64(state.unit)


def play_on(game, board, state, seat, until, weights, automaton, listed, rng):
    """Play until the clock says `until`; returns what that is worth to a seat. `cells` plays both sides; an automaton
    plays the enemy's, where there are numbers for it."""
    out = scratch(2, np.float64)
    mover = game.to_move(board, state)
    while mover != OVER:
        if mover == CHANCE:
            action = np.int64(game.sample(board, state, rng))
        elif clock(board, state) >= until:
            game.evaluate(board, state, out)
            return out[seat]
        else:
            acts = listed[: game.legal(board, state, listed)]
            if mover == seat or automaton.shape[0] == 0:
                action = choose(board, state, acts, weights)
            else:
                action = decide_by_automaton(game, board, state, acts, listed, listed, automaton, weights, rng)
        game.apply(board, state, action)
        mover = game.to_move(board, state)
    game.returns(board, state, out)
    return out[seat]


def list_ideas(board, view, acts, weights, count, ideas):
    """The `count` actions of the greatest scores, best first; returns how many there are."""
    scores, kinds = scratch(MOST_ACTIONS, np.float64), scratch(MOST_ACTIONS, np.int8)
    score_actions(board, view, acts, weights, scores, kinds, scratch(WIDTH, np.float64).reshape(1, WIDTH))
    count = min(count, acts.shape[0])
    for place in range(count):
        best = best_of(board, view, acts, scores)
        ideas[place] = acts[best]
        scores[best] = -np.inf
    return count


def keep_better_half(ideas, totals, count):
    """Bring the ideas of the greatest totals to the front, equals in their order; returns how many stay."""
    half = (count + 1) // 2
    for place in range(half):
        best = place
        for index in range(place + 1, count):
            if totals[index] > totals[best]:
                best = index
        idea, total = ideas[best], totals[best]
        for index in range(best, place, -1):
            ideas[index], totals[index] = ideas[index - 1], totals[index - 1]
        ideas[place], totals[place] = idea, total
    return half


def decide_by_playouts(game, board, view, acts, data, memory, params, report, rng):
    """params: Settings; data: the weights of `cells`."""
    settings, weights, stop = params[:OWN].view(Settings)[0], data.view(np.float64), stop_flag(memory)
    automaton = params[OWN:]
    seat, start = np.int64(view.unit) & 1, draw(rng)
    until = clock(board, view) + np.int64(settings.rounds * 2.0 * board.team)
    ideas, totals = scratch(MOST_IDEAS, np.int64), scratch(MOST_IDEAS, np.float64)
    listed, states, dice = np.empty(board.actions, np.int32), scratch(1, State), scratch(1, np.uint64)
    count = list_ideas(board, view, acts, weights, np.int64(settings.width), ideas)
    halvings = 0
    while 1 << halvings < count:
        halvings += 1
    for place in range(count):
        totals[place] = 0.0
    first, done, work = ideas[0], 0, 0
    while count > 1 and not is_set(stop):
        more = max(1, np.int64(settings.playouts) // (halvings * count))
        for place in range(count):
            for number in range(done, done + more):
                copy(states[0], view)
                dice[0] = mix(start + np.uint64(number))  # the same dice for all ideas
                game.apply(board, states[0], ideas[place])
                foe = automaton if unit(dice) < settings.scripted else automaton[:0]
                totals[place] += play_on(game, board, states[0], seat, until, weights, foe, listed, dice)
                totals[place] += settings.doubt if ideas[place] == first else 0.0
        done += more
        work += more * count
        count = keep_better_half(ideas, totals, count)
    report[VALUE] = totals[0] / max(1, done) - (settings.doubt if ideas[0] == first and done else 0.0)
    report[WORK] = work
    return ideas[0]


@dataclass(frozen=True, repr=False)
class TacticsMaster(CompiledPlayer):
    name = "master"
    summary = "plays on from the best ideas of cells, two rounds and hundreds of times, and takes what turns out best"
    decide = decide_by_playouts
    board_independent = True
    playouts: int = setting(300, 1, 1_000_000)
    """How often it plays on for one decision."""
    rounds: float = setting(2.0, 0.0, 1000.0)
    """For how many rounds."""
    width: int = setting(8, 1, MOST_IDEAS)
    """How many of the best ideas it plays on from."""
    scripted: float = setting(0.5, 0.0, 1.0)
    """The share of playouts in which it takes the enemy for `static`; in the others it takes it for `cells`."""
    doubt: float = setting(0.1, 0.0, 1.0)
    """By how much another idea must turn out better than the first, which `cells` would play."""
    file: Annotated[str, FileName()] = setting("")
    """Weights for `cells` (.json) to take instead of the shipped ones."""

    def prepare(self, game, boards):
        weights = read_weights(Path(self.file) if self.file else SHIPPED)
        automaton = Static().prepare(game, boards).params
        return Prepared.of(data=weights, params=np.concatenate([filled(Settings, self), automaton]))

    def note(self, position, action, report, memory):
        times = int(report[WORK])
        played = counted("played on {:,} time", "played on {:,} times", times).format(times)
        expects = _("expects {:+.2f}, 1 being a sure win").format(report[VALUE])
        return f"{played if times else _('there was nothing to choose')}; {expects}"
