"""How a game tree grows, compiled: rounds of all that may be done, and after every second one a draw of what is kept.

What differs between games is a bundle of functions, a ``Growth``: those of any game follow one seat, let a player
decide for the others and take the game's own estimate for the score; a game may bring its own (``growth.py`` in its
folder).

A round is one decision of the seat that is followed, an iteration has ROUNDS of them. In the order of a level's nodes,
those that began with the same actions stand together: children come in the order of parents, and of actions.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import copy, zero
from turnsmith.compile.rng import below, set_stream, unit
from turnsmith.contract.game import CHANCE, OVER
from turnsmith.play.player import HEADER
from turnsmith.play.roster import PreparedPlayer, ask_player
from turnsmith.play.step import draw_outcome, see

ROUNDS = 2
"""Rounds of an iteration."""
GREATEST = 1000
"""The score of the greatest return, where the game's own estimate is the score."""
MOST_MOVES = 100_000
"""Moves of others and of chance before the seat that is followed must have decided."""
GROWN, TOO_WIDE, ILLEGAL, ENDLESS = range(4)
"""How growing ended: well; with more nodes in a level than allowed; a player made an illegal move; nobody ends."""
TREE_STREAM = 3_000_001


class GrowthPlan(NamedTuple):
    """How trees grow, and what is written of a round: `layers` actions to the base `radix`, and `units` units."""

    branches: int
    iterations: int
    kept: int
    """Actions of a layer that are tried in a node, drawn at random; 0 for all."""
    dropout: float
    temperature: float
    layers: int
    radix: int
    units: int
    most: int
    """Nodes of a level."""
    skip: int = 0
    """Rounds before the first one that is written."""


class GrowthBuffers(NamedTuple):
    """What growing reads and writes besides: who is followed, the player of the others, buffers, a stream."""

    seat: int
    where: int
    data: Array
    memory: Array
    params: Array
    report: Array
    acts: Array
    others: Array
    chances: Array
    returns: Array
    states: Array
    rng: Array
    status: Array


class TreeLevel(NamedTuple):
    """All nodes after a round: what was done in it and how it stands."""

    parent: Array
    action: Array
    reply: Array
    score: Array
    states: Array


class KeptBranches(NamedTuple):
    """What was met on the way to each node that is kept."""

    actions: Array
    scores: Array
    best: Array
    sides: Array


# ---------------------------------------------------------------- any game


def begin_any(game, tools, board, state):
    zero(state)
    game.setup(board, state)
    go_on(game, tools, board, state)


def go_on(game, tools, board, state):
    """Let chance and the others move until the seat that is followed decides, or the game is over."""
    moves = 0
    mover = game.to_move(board, state)
    while mover != OVER and mover != tools.seat and tools.status[0] == GROWN:
        if mover == CHANCE:
            action = draw_outcome(game, board, state, tools.others, tools.chances, tools.rng)
        else:
            action = decide(game, tools, board, state, mover)
        if tools.status[0] == GROWN:
            game.apply(board, state, action)
        moves += 1
        if moves > MOST_MOVES:
            tools.status[0] = ENDLESS
        mover = game.to_move(board, state)


def decide(game, tools, board, state, mover):
    """What the player of the others does; it remembers nothing from one decision to the next."""
    count = game.legal(board, state, tools.others)
    see(game, board, state, tools.states[0], mover)
    for place in range(HEADER):
        tools.memory[place] = 0
    player, acts = PreparedPlayer(tools.where, tools.data, tools.params), tools.others[:count]
    action = ask_player(game, board, tools.states[0], acts, player, tools.memory, tools.report, tools.rng)
    found = False
    for index in range(count):
        found |= tools.others[index] == action
    if not found:
        tools.status[0] = ILLEGAL
    return action


def list_any(game, tools, board, state):
    """The legal actions into tools.acts; none when the game is over."""
    return 0 if game.to_move(board, state) == OVER else game.legal(board, state, tools.acts)


def reply_any(game, tools, board, state):
    """Others answer to what was done, so nothing is known before."""
    return 0


def play_any(game, tools, board, state, action, reply):
    game.apply(board, state, action)
    go_on(game, tools, board, state)


def score_any(game, tools, board, state):
    """The return, before the end the game's estimate of it or the middle, from -GREATEST to GREATEST."""
    value = 0.5 * (board.low + board.high)
    if game.to_move(board, state) == OVER:
        game.returns(board, state, tools.returns)
        value = tools.returns[tools.seat]
    elif game.evaluates:
        game.evaluate(board, state, tools.returns)
        value = tools.returns[tools.seat]
    share = 2.0 * (value - board.low) / (board.high - board.low) - 1.0
    return np.int64(np.floor(min(max(share, -1.0), 1.0) * GREATEST + 0.5))


def observe_any(game, board, before, action, reply, after, out):
    """Nothing but the score is known of units."""


# ---------------------------------------------------------------- a level


def keep_some(acts, count, plan, rng):
    """Of every layer draw `kept` of the actions that go on with the same ones before; returns how many joint ones
    are left, still ascending."""
    for layer in range(plan.layers):
        size = plan.radix ** (plan.layers - layer - 1)
        start, left_over = 0, 0
        while start < count:
            group, end, distinct, last = acts[start] // (size * plan.radix), start, 0, -1
            while end < count and acts[end] // (size * plan.radix) == group:
                distinct += 1 if acts[end] // size != last else 0
                last = acts[end] // size
                end += 1
            wanted, last, taken = min(plan.kept, distinct), -1, False
            for index in range(start, end):
                if acts[index] // size != last:
                    last = acts[index] // size
                    taken = below(rng, distinct) < wanted
                    wanted -= 1 if taken else 0
                    distinct -= 1
                if taken:
                    acts[left_over] = acts[index]
                    left_over += 1
            start = end
        count = left_over
    return count


def drop_some(acts, count, dropout, rng):
    """Leave out each action but the first with this chance."""
    left_over = min(count, 1)
    for index in range(1, count):
        if unit(rng) >= dropout:
            acts[left_over] = acts[index]
            left_over += 1
    return left_over


def spread(game, growth, tools, board, plan, states, dropout):
    """The level after one round of all that may be done; a game that is over stands still, with action 0."""
    count, found = states.shape[0], 0
    parent, action, reply = np.empty(4 * count, np.int32), np.empty(4 * count, np.int32), np.empty(4 * count, np.int32)
    for node in range(count):
        state = states[node]
        moves = growth.moves(game, tools, board, state)
        if moves > 0 and plan.kept > 0:
            moves = keep_some(tools.acts, moves, plan, tools.rng)
        if moves > 1 and dropout > 0.0:
            moves = drop_some(tools.acts, moves, dropout, tools.rng)
        answer = growth.reply(game, tools, board, state) if moves > 0 else 0
        if found + max(moves, 1) > plan.most:
            tools.status[0] = TOO_WIDE
            break
        while found + max(moves, 1) > parent.shape[0]:
            parent, action, reply = doubled(parent), doubled(action), doubled(reply)
        for index in range(max(moves, 1)):
            parent[found], reply[found] = node, answer
            action[found] = tools.acts[index] if moves > 0 else -1
            found += 1
    score, after = np.empty(found, np.int16), np.empty(found, game.State)
    for node in range(found):
        copy(after[node], states[parent[node]])
        if action[node] >= 0:
            growth.play(game, tools, board, after[node], np.int64(action[node]), np.int64(reply[node]))
        else:
            action[node] = 0
        score[node] = growth.score(game, tools, board, after[node])
    return TreeLevel(parent[:found], action[:found], reply[:found], score, after)


def doubled(numbers):
    larger = np.empty(2 * numbers.shape[0], np.int32)
    larger[: numbers.shape[0]] = numbers
    return larger


# ---------------------------------------------------------------- what is kept


def draw_kept(score, plan, rng):
    """The nodes that are kept, in the order they were drawn: without replacement, by the softmax of their scores.

    Each draws the time at which it rings, exponential with its weight as rate; who rings first was drawn first. (The
    logarithm of it makes this the top of Gumbel's numbers plus scores.)
    """
    count = score.shape[0]
    greatest = np.int64(score[0])
    for node in range(count):
        greatest = max(greatest, np.int64(score[node]))
    times = np.empty(count, np.float64)
    for node in range(count):
        times[node] = -math.log(1.0 - unit(rng)) * math.exp((greatest - np.int64(score[node])) / plan.temperature)
    kept = min(count, plan.branches)
    chosen = np.arange(count)
    if kept < count:
        latest = np.partition(times, kept - 1)[kept - 1]
        found = 0
        for node in range(count):
            if times[node] <= latest and found < kept:
                chosen[found] = node
                found += 1
        chosen = chosen[:kept]
    return chosen[np.argsort(times[chosen])]


def note_round(game, growth, tools, board, plan, before, level, node, at, score, row, branches):
    """Write one round of one branch. at: which round it is; score: how it stood before it."""
    action, first = np.int64(level.action[node]), at * plan.layers
    for layer in range(plan.layers):
        digit = action // plan.radix ** (plan.layers - layer - 1) % plan.radix
        branches.actions[row, first + layer] = digit
        branches.scores[row, first + layer] = score
    branches.scores[row, first + plan.layers - 1] = level.score[node]
    if plan.units > 0:
        reply = np.int64(level.reply[node])
        growth.observe(game, board, before, action, reply, level.states[node], branches.sides[row, at + 1])


def find_best(branches, count):
    """Fill `best`, from branches of which those that begin with the same actions stand together."""
    layers = branches.actions.shape[1]
    for layer in range(layers):
        start = 0
        while start < count:
            end, best = start, branches.scores[start, layers - 1]
            while end < count and begins_same(branches.actions, start, end, layer):
                best = max(best, branches.scores[end, layers - 1])
                end += 1
            for row in range(start, end):
                branches.best[row, layer] = best
            start = end


def begins_same(actions, one, other, layer):
    same = True
    for place in range(layer, -1, -1):
        if actions[one, place] != actions[other, place]:
            same = False
            break
    return same


def copy_row(target, to, source, of, rounds, layers):
    """Let a branch begin with the first rounds of another."""
    for place in range(rounds * layers):
        target.actions[to, place], target.scores[to, place] = source.actions[of, place], source.scores[of, place]
    if source.sides.shape[2] > 0:
        for at in range(rounds + 1):
            for place in range(source.sides.shape[2]):
                target.sides[to, at, place] = source.sides[of, at, place]


# ---------------------------------------------------------------- a tree


def skip_rounds(game, growth, tools, board, plan, state):
    """Play the rounds before the tree with random actions of the seat that is followed."""
    for _ in range(plan.skip):
        moves = growth.moves(game, tools, board, state)
        if moves > 0 and tools.status[0] == GROWN:
            action = tools.acts[below(tools.rng, moves)]
            answer = growth.reply(game, tools, board, state)
            growth.play(game, tools, board, state, np.int64(action), np.int64(answer))


def grow_tree(game, growth, tools, board, plan, now, later):
    """Grow one tree; `now` and `later` are written in turn. Returns the draw of the last iteration: the branches in
    the order they were drawn, as places among those written, and whether they are in `later`."""
    states = np.empty(1, game.State)
    growth.begin(game, tools, board, states[0])
    skip_rounds(game, growth, tools, board, plan, states[0])
    if plan.units > 0:
        growth.observe(game, board, states[0], np.int64(-1), np.int64(0), states[0], now.sides[0, 0])
    score = np.zeros(1, np.int16)
    score[0] = growth.score(game, tools, board, states[0])
    order = np.zeros(1, np.int64)
    for iteration in range(plan.iterations):
        one = spread(game, growth, tools, board, plan, states, 0.0)
        two = spread(game, growth, tools, board, plan, one.states, 0.0)
        if two.parent.shape[0] > plan.branches and plan.dropout > 0.0:  # it prunes, so actions are dropped in it
            one = spread(game, growth, tools, board, plan, states, plan.dropout)
            two = spread(game, growth, tools, board, plan, one.states, plan.dropout)
        if tools.status[0] != GROWN:
            break
        drawn = draw_kept(two.score, plan, tools.rng)
        order = np.argsort(np.argsort(drawn))  # the place of each among them all
        kept = np.sort(drawn)
        after, new_score = np.empty(kept.shape[0], game.State), np.empty(kept.shape[0], np.int16)
        for row in range(kept.shape[0]):
            second = kept[row]
            first = two.parent[second]
            root = one.parent[first]
            copy_row(later, row, now, root, ROUNDS * iteration, plan.layers)
            at = ROUNDS * iteration
            note_round(game, growth, tools, board, plan, states[root], one, first, at, score[root], row, later)
            before = one.states[first]
            note_round(game, growth, tools, board, plan, before, two, second, at + 1, one.score[first], row, later)
            copy(after[row], two.states[second])
            new_score[row] = two.score[second]
        states, score = after, new_score
        now, later = later, now
    find_best(now, states.shape[0])
    return order


def grow_trees(game, growth, tools, boards, which, plan, seed, numbers, halves, out, counts, cursor):
    """Grow trees numbers[cursor[0]:]; tree i is on boards[which[i]]. halves: two times Branches of one tree to work in;
    out: Branches[trees, …], filled with padding before; counts: branches of each. Stops where status is not GROWN."""
    while cursor[0] < numbers.shape[0]:
        tree = cursor[0]
        set_stream(tools.rng, seed, numbers[tree], TREE_STREAM)
        order = grow_tree(game, growth, tools, boards[which[tree]], plan, halves[0], halves[1])
        if tools.status[0] != GROWN:
            return
        grown = halves[plan.iterations % 2]
        counts[tree] = order.shape[0]
        for place in range(order.shape[0]):
            row = order[place]
            for layer in range(out.actions.shape[2]):
                out.actions[tree, place, layer] = grown.actions[row, layer]
                out.scores[tree, place, layer] = grown.scores[row, layer]
                out.best[tree, place, layer] = grown.best[row, layer]
            if plan.units > 0:
                for at in range(out.sides.shape[2]):
                    for number in range(out.sides.shape[3]):
                        out.sides[tree, place, at, number] = grown.sides[row, at, number]
        cursor[0] += 1
