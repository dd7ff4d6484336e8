"""An equilibrium of two opposed seats by linear programming over the sequence form: exact but for rounding.

A seat chooses how likely it plays each of its sequences (a plan) so that it gets most when the other answers best. What
the other can be held to in each of its sets is a variable, too, and no action may bring it more than that (von Stengel
1996). SciPy, of the extra `learn`, solves it. Quick where there are thousands of sets; with many more, iterations come
sooner to something good enough.
"""

from __future__ import annotations

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.errors import BadInput
from turnsmith.common.extras import extra
from turnsmith.compile.kernel import compiled
from turnsmith.search.exploitability import respond
from turnsmith.search.information_sets import ListedGame, SequenceForm


def plans(listing: ListedGame) -> Array:
    """float64, one a sequence: how likely its owner plays it, chance and the other allowing. In sets where its own plan
    never comes, which may be asked for all the same, the best answer to the other's has 1."""
    if not listing.is_opposed:
        raise BadInput(f"lp is for two opposed seats, and {listing.game.text_name} has others; use cfr+")
    out = np.ones(len(listing.actions))
    for seat in range(2):
        sequences = sequences_of(listing.form, seat)
        out[sequences] = plan(listing.form, seat)
    worth = np.zeros_like(out)
    for seat in range(2):
        compiled(respond)(listing.form, seat, out, worth)
    firsts = listing.form.firsts
    for number in np.flatnonzero(np.add.reduceat(out, firsts[:-1]) == 0.0):
        out[firsts[number] + np.argmax(worth[firsts[number] : firsts[number + 1]])] = 1.0
    return out


def sequences_of(form: SequenceForm, seat: int) -> Array:
    """A seat's sequences, the empty one first."""
    own = np.arange(form.firsts[form.bounds[seat]], form.firsts[form.bounds[seat + 1]])
    return np.concatenate([[seat], own])


def plan(form: SequenceForm, seat: int) -> Array:
    """The plan by which a seat gets most from an opponent that answers best, one number a sequence of it."""
    coo_array, linprog = extra("scipy.sparse").coo_array, extra("scipy.optimize").linprog
    own, others = sequences_of(form, seat), sequences_of(form, 1 - seat)
    place = np.zeros(len(form.rows) - 1, np.int64)  # of a sequence among those of its owner
    place[own], place[others] = np.arange(len(own)), np.arange(len(others))
    held, own_sets = _parents(form, 1 - seat, place), _parents(form, seat, place)
    # Variables: the plan, then what the other is held to before its first set and in each of its sets.
    ends = [np.arange(form.rows[sequence], form.rows[sequence + 1]) for sequence in others]
    row = np.repeat(np.arange(len(others)), [len(each) for each in ends])
    entry = np.concatenate(ends).astype(np.int64)
    bound = np.concatenate([[0], 1 + _owners(form, 1 - seat)])  # of a sequence of the other: in which set it is
    gains = coo_array((form.gains[entry], (row, place[form.others[entry, 0]])), (len(others), len(own)))
    limits = coo_array(
        (
            np.concatenate([-np.ones(len(others)), np.ones(len(held))]),
            (np.concatenate([np.arange(len(others)), held]), np.concatenate([bound, 1 + np.arange(len(held))])),
        ),
        (len(others), 1 + len(held)),
    )
    matrix = coo_array(
        (
            np.concatenate([gains.data, limits.data]),
            (np.concatenate([gains.row, limits.row]), np.concatenate([gains.col, len(own) + limits.col])),
        ),
        (len(others), len(own) + 1 + len(held)),
    )
    inside = np.concatenate([[0], 1 + _owners(form, seat)])
    flow = coo_array(
        (
            np.concatenate([np.ones(len(own)), -np.ones(len(own_sets))]),
            (np.concatenate([inside, 1 + np.arange(len(own_sets))]), np.concatenate([np.arange(len(own)), own_sets])),
        ),
        (1 + len(own_sets), len(own) + 1 + len(held)),
    )
    start = np.zeros(1 + len(own_sets))
    start[0] = 1.0
    cost = np.zeros(len(own) + 1 + len(held))
    cost[len(own)] = 1.0
    bounds = np.array([[0.0, 1.0]] * len(own) + [[-np.inf, np.inf]] * (1 + len(held)))
    found = linprog(cost, matrix.tocsr(), np.zeros(len(others)), flow.tocsr(), start, bounds, method="highs-ds")
    if found.x is None:
        raise BadInput(f"the linear program was not solved ({found.message.splitlines()[0]}); use cfr+ instead")
    return np.asarray(np.maximum(found.x[: len(own)], 0.0))


def _parents(form: SequenceForm, seat: int, place: Array) -> Array:
    """Of each of a seat's sets the sequence before, as its place among that seat's."""
    return place[form.parents[form.bounds[seat] : form.bounds[seat + 1]]]


def _owners(form: SequenceForm, seat: int) -> Array:
    """Of each of a seat's sequences but the empty one its set, counted from 0 among that seat's."""
    sets = slice(form.bounds[seat], form.bounds[seat + 1])
    return np.repeat(np.arange(form.bounds[seat + 1] - form.bounds[seat]), np.diff(form.firsts)[sets])
