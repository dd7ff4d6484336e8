"""The simulations of AlphaZero's search, one at a time: the caller asks a net where each of them stops.

A decision begins with ``begin``. Every simulation is a ``walk`` down the tree to the first new position (PUCT), and
``take`` carries the net's opinion of it back up. Between the two, the caller asks the net at once, or together with the
positions at which many other games stopped.

At the root, moves are considered as in Gumbel AlphaZero. The likeliest few, drawn with Gumbel noise where games are to
differ, get equal shares of the simulations, and the worse half is dropped again and again. The result is a better
policy than the net's even after few simulations. AlphaZero's own way is there too, for comparison: all moves by PUCT,
Dirichlet noise in the net's opinion, and the visits as the policy.

The search takes any number of seats, each caring for its own return. Every simulation draws chance anew, and also the
secrets that the deciding seat does not know: a node is the view of its mover. Nodes are found by their hash and have an
edge for every move; a seat's memory keeps the tree through a match.

Where all is seen, chance has no part and the others lose what one gains, the search proves results as ``mcts`` does. An
edge is final if it leads to the end of the game or to a node with a proven result. A position whose mover can win at
once is proven without asking the net. Of proven wins the search takes the soonest, of losses the latest.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.compile.kernel import borrow, copy
from turnsmith.compile.rng import below, mix, unit
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.contract.records import record
from turnsmith.play.player import POLICY, VALUE, numbers
from turnsmith.play.step import draw_outcome, outcome_at
from turnsmith.search.playouts import find_win, pays
from turnsmith.search.tree import FULL, PLAYOUTS, SALT, SearchTree, forget, key_of, make_node, meet, prune

LONGEST = 512
MOST_CONSIDERED = 64
FIRST_VISITS, SCALE = 50.0, 0.1
"""How much what was found weighs against the net's own opinion at the root: SCALE times the most visits of a move, and
FIRST_VISITS more."""
SHOWN_APART = 5.0
"""How far logarithms of shares shown to people differ at most: after many simulations one move would have them all."""
FEW_OUTCOMES = 64
"""Where chance has at most so many, they are gone through; more are drawn."""
SCRAMBLERS, HALF = (0x6C50B47C, 0xB82F1E52, 0xC7AFE638, 0x8D22F6E6), np.uint64(0xFFFFFFFF)
DIRICHLET = 10.0
"""The sum of the parameters of Dirichlet noise."""

Settings = numbers("simulations", "time", "units", "exploration", "considered", "noise", "least_range", "reduction")
"""The params: `units` of memory; `considered`: 0 for all moves by PUCT; `noise`: how much noise there is at the root;
`least_range`: values at the root are scaled to 0..1 between the worst and the best, but differences are not made more
of than if these were so far apart: else chance would decide between moves that are all alike, and policies learn it;
`reduction`: how much less than its node a move not tried yet is expected to bring, where all likely ones were tried."""

Progress = record(
    root=np.int64, me=np.int64, count=np.int64, limit=np.int64, done=np.int64, deepest=np.int64, possible=np.int64,
    length=np.int64, node=np.int64, mover=np.int64, key=np.uint64,
    considered=np.int64, racing=np.int64, rounds=np.int64, visits=np.int64, turn=np.int64,
    least=np.float64, drawn=np.float64,
)  # fmt: skip
"""How far a decision is. Its root, seat, moves, simulations allowed and done, and possible worlds; where the last
simulation stopped: after how many decisions, at which node (0 or less for a new position), and who moves there; and the
race at the root: moves considered, how many are still in it, how often all of those are yet to be visited, the visits
they have, and which of them is next. least: the least range of values; drawn: a random number to draw a move with, 0 to
take the best."""


class Search(NamedTuple):
    """A decision on the way."""

    tree: SearchTree
    going: Array  # one
    states: Array  # two: where the simulation is, and a spare one
    line: Array  # node, edge and mover of every decision in a simulation
    noise: Array
    before: Array  # visits that the moves had before this decision
    worlds: Array


class Buffers(NamedTuple):
    """What is written and read within one step, so that searches may share it."""

    moves: Array
    chances: Array
    rewards: Array  # one a seat, scaled to 0..1
    logits: Array  # one a legal move
    scores: Array


def lent(search):
    """The same without counting references, which would take a tenth of the time; for arguments alone."""
    return Search(
        search.tree, borrow(search.going), borrow(search.states), borrow(search.line), borrow(search.noise),
        borrow(search.before), borrow(search.worlds),
    )  # fmt: skip


def lent_room(room):
    return Buffers(
        borrow(room.moves), borrow(room.chances), borrow(room.rewards), borrow(room.logits), borrow(room.scores)
    )


def goings(count: int) -> Array:
    return np.zeros(count, Progress)


def room_for(board):
    wide = max(board.actions, board.outcomes)
    return Buffers(
        np.empty(wide, np.int32), np.empty(wide, np.float64), np.empty(board.seats, np.float64),
        np.empty(wide, np.float64), np.empty(wide, np.float64),
    )  # fmt: skip


IMMEDIATE, NEXT = 1, 2
"""Decisions to the end of the game: of a move that ends it, and of one after which another ends it. Minus such a number
stands in place of the child of an edge that is proven: its mean is the result of best play, and that takes so long."""
UNKNOWN, UNLIKELY = -1.0, 1e-30


def is_determined(game, board):
    """Whether a move leads to one position, seen by all."""
    return not game.hides and board.outcomes == 0


# ---------------------------------------------------------------- a decision


def begin(game, board, view, search, room, limit, settings, rng):
    """Make ready to decide for the mover of a view; whether a net has to be asked about it first."""
    going = search.going[0]
    going.me, going.key = game.to_move(board, view), game.hash(board, view)
    going.count = game.legal(board, view, room.moves)
    going.limit, going.done, going.deepest, going.length = limit, 0, 0, 0
    going.considered = np.int64(min(max(1.0, settings.considered), min(going.count, MOST_CONSIDERED)))
    begin_race(going)
    going.least, going.drawn = settings.least_range, 0.0
    for index in range(going.count):
        search.noise[index] = 0.0
        if settings.noise > 0.0:
            search.noise[index] = -settings.noise * math.log(-math.log(unit(rng) + 1e-12) + 1e-12)
    if settings.considered < 1.0:
        going.considered = 0
        if settings.noise > 0.0:
            going.drawn = unit(rng)
            draw_dirichlet(search.noise[: going.count], rng)
    going.possible = game.believe(board, view, going.me, search.worlds) if game.believes else 0
    going.root = meet(search.tree, going.key)
    if going.root > 0:
        for index in range(going.count):
            search.before[index] = search.tree.priors[going.root + 2 + index].visits
        return False
    copy(search.states[0], view)
    going.mover, going.node = going.me, going.root
    return True


def walk(game, board, view, search, room, settings, rng):
    """One simulation; whether a net has to be asked about where it stopped, which search.states[0] holds."""
    tree, going, state = search.tree, search.going[0], search.states[0]
    if tree.head[FULL]:
        going.root = prune(tree, going.root, is_determined(game, board))
        if tree.head[FULL]:  # no room for this decision alone: it ends with what it has
            going.limit = going.done
            return False
    copy(state, view)
    if game.believes:
        game.reveal(board, state, going.me, np.int64(search.worlds[below(rng, going.possible)]))
    elif game.hides:
        game.resample(board, state, going.me, rng)
    if going.considered == 0:
        edge = noisy_edge(search, settings.exploration, settings.noise)
    elif settings.time > 0.0:
        edge = likely_edge(tree, going.root, settings.exploration, 0.0)
    else:
        edge = next_in_race(search, room)
    is_proven = follow(game, board, search, edge, settings, room, rng)
    going.done += 1
    going.deepest = max(going.deepest, going.length)
    linked, last, distance = is_determined(game, board), going.length - 1, np.int64(IMMEDIATE)
    if is_proven:
        seat, result = search.line[last, 2], mean_of(tree.priors[search.line[last, 1]])
        distance = np.int64(-tree.priors[search.line[last, 1]].child)
        share_out(room.rewards, seat, result)
    elif going.mover == OVER:
        scaled_returns(game, board, state, room.rewards)
        seat, result = search.line[last, 2], room.rewards[search.line[last, 2]]
        is_proven = linked and one_takes_it(room.rewards)
    elif linked and going.node <= 0 and wins_at_once(game, board, search, room):
        seat, result, is_proven, distance = going.mover, 1.0, True, np.int64(NEXT)
        share_out(room.rewards, seat, result)
    else:
        return True
    tell(search, room.rewards)
    if is_proven and prove(tree, search.line, going.length, seat, result, distance, board.seats):
        going.limit = going.done  # nothing is left to find out
    return False


def scaled_returns(game, board, state, rewards):
    game.returns(board, state, rewards)
    scale = 1.0 / (board.high - board.low)
    for seat in range(board.seats):
        rewards[seat] = (rewards[seat] - board.low) * scale


def follow(game, board, search, edge, settings, room, rng):
    """Go along edges, the first being given, to a new position or the end; or to an edge that is proven, which is not
    followed: whether it is so."""
    tree, going, line, state = search.tree, search.going[0], search.line, search.states[0]
    linked, node, mover, length = is_determined(game, board), going.root, going.me, np.int64(0)
    while True:
        line[length, 0], line[length, 1], line[length, 2] = node, edge, mover
        length += 1
        if tree.priors[edge].child < 0:
            going.length = length
            return True
        game.apply(board, state, np.int64(tree.priors[edge].action))
        mover = np.int64(game.to_move(board, state))
        if mover == CHANCE and board.outcomes <= FEW_OUTCOMES and is_first(line, length):
            game.apply(board, state, next_outcome(game, board, state, tree, edge, room))
            mover = np.int64(game.to_move(board, state))
        while mover == CHANCE:
            game.apply(board, state, draw_outcome(game, board, state, room.moves, room.chances, rng))
            mover = np.int64(game.to_move(board, state))
        if mover == OVER:
            break
        node = np.int64(tree.priors[edge].child) if linked else np.int64(0)
        if node == 0:
            going.key = key_of(game, board, state, mover, search.states[1])
            node = meet(tree, going.key)
            if node > 0 and linked:
                tree.priors[edge].child = node
        if node <= 0 or length == LONGEST:
            break
        edge = likely_edge(tree, node, settings.exploration, settings.reduction)
    going.node, going.mover, going.length = node, mover, length
    return False


def is_first(line, length):
    """Whether the last edge of a line is not in it before: it would lead to where it led then, round and round."""
    ply = 0
    while line[ply, 1] != line[length - 1, 1]:
        ply += 1
    return ply == length - 1


def next_outcome(game, board, state, tree, edge, room):
    """The outcome of chance after an edge: its visits go through all of them as evenly as their chances allow, so that
    moves are not compared by the luck of the dice. Edges differ at random, or what is drawn at one would go with what
    is drawn at another."""
    share = evenly(tree.priors[edge].visits, mix(np.uint64(tree.head[SALT]) + np.uint64(edge)))
    return outcome_at(game, board, state, room.moves, room.chances, share)


def evenly(number, seed):
    """Numbers 0..1, of which any 2**n that begin at a multiple of it fall into as many equal parts: van der Corput's,
    shuffled as Owen does, by a hash of which higher bits never touch the lower ones (Laine and Karras)."""
    bits = np.uint64(number) + (seed & HALF)
    for factor in SCRAMBLERS:
        bits ^= (bits * np.uint64(factor)) & HALF
    bits, share, part = bits & HALF, 0.0, 0.5
    while bits:
        if bits & np.uint64(1):
            share += part
        bits >>= np.uint64(1)
        part *= 0.5
    return share


def take(search, room, count):
    """What the net said of the position at hand and its `count` moves, all in the room, becomes part of the tree."""
    tree, going = search.tree, search.going[0]
    node = add_node(search, room, count) if going.node <= 0 else going.node
    if going.length > 0:
        tell(search, room.rewards)
        return
    if node == 0:  # the root: a full memory is emptied for it
        forget(tree)
        meet(tree, going.key)
        node = add_node(search, room, count)
    going.root = node
    for index in range(going.count):
        search.before[index] = 0


def tell(search, rewards):
    """Add what a simulation came to to all on its way."""
    tree, line = search.tree, search.line
    for ply in range(search.going[0].length):
        node, edge, seat = line[ply, 0], line[ply, 1], line[ply, 2]
        tree.nodes[node].visits += 1
        tree.priors[node + 1].total += rewards[seat]
        tree.priors[edge].visits += 1
        tree.priors[edge].total += rewards[seat]


def add_node(search, room, count):
    """A node for the position at hand, its view noted before; 0 if the memory is full."""
    tree, going = search.tree, search.going[0]
    node = make_node(tree, going.key, count, count + 1)
    if node <= 0:
        return np.int64(0)
    greatest, total = -np.inf, 0.0
    for index in range(count):
        greatest = max(greatest, room.logits[index])
    for index in range(count):
        room.logits[index] = math.exp(room.logits[index] - greatest)
        total += room.logits[index]
    tree.nodes[node].tried = count + 1
    own = tree.priors[node + 1]
    own.action, own.child, own.visits, own.total = going.mover, 0, 0, 0.0
    own.prior = room.rewards[going.mover]
    for index in range(count):
        edge = tree.priors[node + 2 + index]
        edge.action, edge.child, edge.visits, edge.total = room.moves[index], 0, 0, 0.0
        edge.prior = room.logits[index] / total
    return node


def mean_at(tree, node):
    """What the mover of a node may expect: the net's opinion and all that was found."""
    own = tree.priors[node + 1]
    return (own.prior + own.total) / (1.0 + tree.nodes[node].visits)


def likely_edge(tree, node, exploration, reduction):
    """The edge with the highest upper confidence bound; one not tried yet is expected to bring what the node does, or
    less, the likelier those are that were tried."""
    visits = tree.nodes[node].visits
    bonus, unknown = exploration * math.sqrt(visits + 1.0), mean_at(tree, node)
    if reduction > 0.0:
        unknown -= reduction * math.sqrt(chance_of_tried(tree, node))
    best, highest = node + 2, -np.inf
    for place in range(node + 2, node + 1 + tree.nodes[node].tried):
        edge = tree.priors[place]
        mean = edge.total / edge.visits if edge.visits > 0 else unknown
        bound = mean if edge.child < 0 else mean + bonus * edge.prior / (1.0 + edge.visits)
        if bound > highest:
            best, highest = place, bound
    return best


def chance_of_tried(tree, node):
    """How likely the net finds the moves that were tried, together."""
    chance = 0.0
    for place in range(node + 2, node + 1 + tree.nodes[node].tried):
        edge = tree.priors[place]
        chance += edge.prior if edge.visits > 0 else 0.0
    return chance


def mean_of(edge):
    return edge.total / edge.visits


# ---------------------------------------------------------------- proofs


def one_takes_it(rewards):
    """Whether what a seat gets is lost by the others. Alone, a seat need not ask."""
    return rewards.shape[0] == 1 or abs(rewards.sum() - 1.0) < 1e-9


def share_out(rewards, seat, result):
    """What a seat gets is known, the others have the rest in equal parts."""
    for other in range(rewards.shape[0]):
        rewards[other] = result if other == seat else (1.0 - result) / max(1, rewards.shape[0] - 1)


def wins_at_once(game, board, search, room):
    """Whether the mover of the position at hand can end it with all there is to get, while looking for that pays."""
    counts, mover = search.tree.head[PLAYOUTS:], search.going[0].mover
    if not game.wins and not pays(counts):
        return False
    state, after = search.states[0], search.states[1]
    count = 0 if game.wins else game.legal(board, state, room.moves)
    action = find_win(game, board, state, mover, after, room.moves, count, room.rewards, counts)
    if action < 0:
        return False
    copy(after, state)
    game.apply(board, after, action)
    scaled_returns(game, board, after, room.rewards)
    return one_takes_it(room.rewards)


def prove(tree, line, length, seat, result, distance, seats):
    """Mark what is proven by a line at whose end `seat` gets `result`, so many decisions after its last node; whether
    that decides the root too."""
    for ply in range(length - 1, -1, -1):
        node, edge, mover = line[ply, 0], tree.priors[line[ply, 1]], line[ply, 2]
        if mover != seat:
            if seats > 2 and result < 1.0:  # who of the others gets the rest is not known
                return False
            seat, result = mover, 1.0 - result
        edge.child, edge.total = -distance, result * edge.visits
        result, distance = result_of(tree, node)
        if result == UNKNOWN:
            return False
        distance += 1
    return True


def result_of(tree, node):
    """What best play brings the mover, and how long it takes: by a proven win, or the best edge if all are proven; else
    UNKNOWN."""
    best, all_proven = np.int64(-1), True
    for place in range(node + 2, node + 1 + tree.nodes[node].tried):
        if tree.priors[place].child >= 0:
            all_proven = False
        elif best < 0 or is_better(tree.priors[place], tree.priors[best]):
            best = np.int64(place)
    if best >= 0 and (all_proven or mean_of(tree.priors[best]) == 1.0):
        return mean_of(tree.priors[best]), np.int64(-tree.priors[best].child)
    return UNKNOWN, np.int64(0)


def is_better(edge, other):
    """Whether a proven edge is better than another: by its result, then as a sooner win; or as a later end, which may
    be missed yet, and one that was harder to find."""
    mean, least = mean_of(edge), mean_of(other)
    if mean != least:
        return mean > least
    if edge.child != other.child:
        return edge.child > other.child if mean == 1.0 else edge.child < other.child
    return edge.visits > other.visits


# ---------------------------------------------------------------- what a net says


def understand(game, board, state, mover, said, room):
    """Fill the room with the moves of a position and what a net said of it: a score a move, then what is to be expected
    of the range of returns, for the mover where two are opposed, else for all seats from it on. How many moves."""
    count, seats, actions = game.legal(board, state, room.moves), np.int64(board.seats), np.int64(board.actions)
    for index in range(count):
        room.logits[index] = said[room.moves[index]]
    if said.shape[0] == actions + 1:
        share = 1.0 / (1.0 + math.exp(-np.float64(said[actions])))
        for seat in range(seats):
            room.rewards[seat] = share if seat == mover else 1.0 - share
    else:
        for place in range(seats):
            room.rewards[(mover + place) % seats] = 1.0 / (1.0 + math.exp(-np.float64(said[actions + place])))
    return count


def know_nothing(game, board, state, room):
    """The same without a net: all moves are alike, and everybody may expect as much."""
    for seat in range(board.seats):
        room.rewards[seat] = 0.5
    count = game.legal(board, state, room.moves)
    for index in range(count):
        room.logits[index] = 0.0
    return count


# ---------------------------------------------------------------- the race at the root


def begin_race(going):
    going.racing, going.visits, going.turn = going.considered, 0, 0
    going.rounds = rounds_of(going, going.considered)


def rounds_of(going, many):
    halvings = max(1, np.int64(math.ceil(math.log2(max(2, going.considered)))))
    return max(1, going.limit // (halvings * many))


def next_visits(going):
    """The visits that the move to be visited next has in this decision: among those with so many, the best goes on."""
    visits = going.visits
    if going.considered <= 1:
        going.visits += 1
        return visits
    going.turn += 1
    if going.turn == going.racing:  # all in the race have been visited once more
        going.turn = 0
        going.visits += 1
        going.rounds -= 1
        if going.rounds == 0:
            going.racing = max(2, going.racing // 2)
            going.rounds = rounds_of(going, going.racing)
    return visits


def next_in_race(search, room):
    """The edge of the root that is to be visited next."""
    going, root = search.going[0], search.going[0].root
    wanted = next_visits(going)
    weigh(search, room.scores)
    best = np.int64(-1)
    for index in range(going.count):
        visits = search.tree.priors[root + 2 + index].visits - search.before[index]
        if visits == wanted and (best < 0 or room.scores[index] > room.scores[best]):
            best = np.int64(index)
    if best < 0:  # a tree that was pruned has lost count
        best = np.int64(np.argmax(room.scores[: going.count]))
    return root + 2 + best


def weigh(search, scores):
    """Fill scores with noise, the net's opinion and what was found: what moves not visited bring is what the visited
    ones do, as far as the net finds them likely, and all are scaled to 0..1 between the worst and the best."""
    tree, root, count = search.tree, search.going[0].root, search.going[0].count
    visits, chance, found, most = 0, 0.0, 0.0, 0
    for index in range(count):
        edge = tree.priors[root + 2 + index]
        if edge.visits > 0:
            visits += edge.visits
            most = max(most, edge.visits)
            chance += edge.prior
            found += edge.prior * edge.total / edge.visits
    own = np.float64(tree.priors[root + 1].prior)
    mixed = own if visits == 0 else (own + visits * found / max(chance, 1e-12)) / (1.0 + visits)
    worst, best = np.inf, -np.inf
    for index in range(count):
        edge = tree.priors[root + 2 + index]
        scores[index] = edge.total / edge.visits if edge.visits > 0 else mixed
        worst, best = min(worst, scores[index]), max(best, scores[index])
    scale = (FIRST_VISITS + most) * SCALE / max(best - worst, search.going[0].least)
    for index in range(count):
        opinion = math.log(max(tree.priors[root + 2 + index].prior, UNLIKELY))
        scores[index] = search.noise[index] + opinion + scale * (scores[index] - worst)


def choose(board, search, room, by_visits, shown, report):
    """The move that is best among those that were visited most; tells what it should bring and the better policy.

    `shown`: to people, who want to see how moves compare. Then the policy is so mild that the worst move keeps a small
    share, and no move is likelier than the one chosen."""
    tree, going, root, scores = search.tree, search.going[0], search.going[0].root, room.scores
    if going.considered == 0:
        return choose_by_visits(board, search, report)
    weigh(search, scores)
    best, most = np.int64(0), np.int64(-1)
    for index in range(going.count):
        edge = tree.priors[root + 2 + index]
        visits = np.int64(edge.visits) - (0 if by_visits else search.before[index])
        if edge.child >= 0 and (visits > most or (visits == most and scores[index] > scores[best])):
            best, most = np.int64(index), visits
    best = or_proven(search, best, most)
    edge = tree.priors[root + 2 + best]
    mean = edge.total / edge.visits if edge.visits > 0 else mean_at(tree, root)
    report[VALUE] = board.low + mean * (board.high - board.low)
    if report.shape[0] > POLICY:
        least, greatest, total, mildness = np.inf, -np.inf, 0.0, 1.0
        for index in range(going.count):
            scores[index] -= search.noise[index]
            least, greatest = min(least, scores[index]), max(greatest, scores[index])
        if shown:
            scores[best], mildness = greatest, min(1.0, SHOWN_APART / max(greatest - least, 1e-9))
        for index in range(going.count):
            report[POLICY + index] = math.exp(mildness * (scores[index] - greatest))
            total += report[POLICY + index]
        for index in range(going.count):
            report[POLICY + index] /= total
    return np.int64(edge.action)


def or_proven(search, best, most):
    """The best of the moves that are not proven, which has `most` visits, -1 if there is none; or a proven one that
    brings no less."""
    tree, root, proven = search.tree, search.going[0].root, np.int64(-1)
    for index in range(search.going[0].count):
        edge = tree.priors[root + 2 + index]
        if edge.child < 0 and (proven < 0 or is_better(edge, tree.priors[root + 2 + proven])):
            proven = np.int64(index)
    if proven < 0:
        return best
    sure, known = mean_of(tree.priors[root + 2 + proven]), tree.priors[root + 2 + best]
    if most < 0 or (known.visits > 0 and sure >= mean_of(known)) or (known.visits == 0 and sure > 0.5):
        return proven
    return best


# ---------------------------------------------------------------- AlphaZero's own way


def draw_dirichlet(out, rng):
    """Fill `out` with a draw of Dirichlet noise, flat over its places."""
    shape, total = DIRICHLET / max(out.shape[0], 11), 0.0
    for index in range(out.shape[0]):
        one, other = 1.0, 1.0
        while one + other > 1.0 or one + other == 0.0:  # a beta number, and so a gamma one (Jöhnk)
            one, other = unit(rng) ** (1.0 / shape), unit(rng) ** (1.0 / (1.0 - shape))
        out[index] = -math.log(1.0 - unit(rng)) * one / (one + other)
        total += out[index]
    for index in range(out.shape[0]):
        out[index] /= max(total, 1e-300)


def noisy_edge(search, exploration, share):
    """The edge of the root with the highest upper confidence bound, `share` of its prior being noise."""
    tree, going = search.tree, search.going[0]
    root, best, highest = going.root, going.root + 2, -np.inf
    bonus, unknown = exploration * math.sqrt(tree.nodes[root].visits + 1.0), mean_at(tree, root)
    for index in range(going.count):
        edge = tree.priors[root + 2 + index]
        mean = edge.total / edge.visits if edge.visits > 0 else unknown
        prior = (1.0 - share) * edge.prior + share * search.noise[index]
        bound = mean if edge.child < 0 else mean + bonus * prior / (1.0 + edge.visits)
        if bound > highest:
            best, highest = root + 2 + index, bound
    return best


def choose_by_visits(board, search, report):
    """A move drawn by visits, or the one with most, unless a proven one is as good; the policy is the visits."""
    tree, going, root, total = search.tree, search.going[0], search.going[0].root, 0.0
    for index in range(going.count):
        total += tree.priors[root + 2 + index].visits
    best, most, left, drawn = np.int64(0), np.int64(-1), going.drawn * total, going.drawn > 0.0
    for index in range(going.count):
        edge = tree.priors[root + 2 + index]
        if report.shape[0] > POLICY:
            report[POLICY + index] = edge.visits / max(total, 1.0)
        if (left > 0.0) if drawn else (edge.child >= 0 and edge.visits > most):
            best, most = np.int64(index), np.int64(edge.visits)
        left -= edge.visits
    if not drawn:
        best = or_proven(search, best, most)
    edge = tree.priors[root + 2 + best]
    report[VALUE] = board.low + mean_at(tree, root) * (board.high - board.low)
    return np.int64(edge.action)


def units_for(game: Game, boards: Array, simulations: int, most: int) -> int:
    """Units of memory for so many simulations a decision, and the tree that is kept from one to the next."""
    wide = 2 + int(boards[0]["actions"])
    size = min(2 * simulations * wide + 4 * wide + 256, most)
    return size + -size % 8
