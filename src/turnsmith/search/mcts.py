"""Monte Carlo tree search (UCT) for any number of seats, chance and hidden information.

A node is the view of its mover. The tree finds it by the hash of that view, so several ways to a position lead to one
node. Every simulation draws chance anew, and also the secrets that the deciding seat does not know.

Where seats commit at the same time, a simulation first undoes the commitments (`rewind`), so every seat commits from
its own knowledge. One seat explores and learns; the others play by their regrets (regret matching). The decision is
drawn from the average of the regrets' strategies, in which exploration has no part.

Where all is seen and chance has no part, the search proves results (MCTS-Solver). An edge is final if it leads to the
end of the game or to a node with a proven result. The search visits nothing proven again; a proven decision ends it.

A seat's memory holds the nodes and keeps them for its next decision in the match. A full memory gives up the nodes with
the fewest visits. A node is made when its position is met for the second time, its edges one at a time, in an order
that looks random. Past NARROW moves a node waits with new edges until the old ones have enough visits (progressive
widening).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from turnsmith.common.arrays import Array
from turnsmith.common.settings import setting
from turnsmith.compile.kernel import copy
from turnsmith.compile.rng import below, mix, unit
from turnsmith.contract.game import CHANCE, OVER, Game
from turnsmith.play.player import DEPTH, HEADER, POLICY, STOP, VALUE, WORK, Prepared, filled, numbers
from turnsmith.play.position import PositionView
from turnsmith.play.step import draw_outcome, pick_action, playout
from turnsmith.play.stop import affordable
from turnsmith.search.limits import Simulating, deadline_after, is_time_up
from turnsmith.search.playouts import UNKNOWN, find_win, pays, sharp_playout
from turnsmith.search.tree import (
    FREE,
    FULL,
    PLAYOUTS,
    ROOT,
    SALT,
    SEEN,
    SLOT,
    UNIT,
    forget,
    key_of,
    latest,
    make_node,
    meet,
    new_node,
    node_of,
    open_tree,
    prune,
    tree_in,
    units,
)
from turnsmith.search.value import Valued, deciders, judge

MOST_SIMULATIONS = 1_000_000_000  # of one decision: two of them can still be counted in 32 bits
NARROW = 64
LONGEST = 512  # decisions in one line of the tree
LEAST_UNITS, MOST_UNITS = 1 << 12, 6 << 20  # with a slot each: 160 kB and 240 MB
LINE = 8  # moves of the most visited way that people are shown
PRIME = 2654435761  # greater than any number of moves, so its multiples come to every one of them
EVERYBODY = -1
EXPLORING = 0.3  # the share of simulations in which the explorer tries any move
FADING = 0.6  # 1 would make a mean of all that a move brought; less forgets what the others no longer play
SHARES = np.array([0.0] + [1.0 / math.sqrt(visits) for visits in range(1, 4096)])  # a sixth of the time is saved
ROOTS = np.array([math.sqrt(math.log(visits + 1)) for visits in range(4096)])  # logarithms take long


Settings = numbers("simulations", "time", "units", "exploration", "guesses")
"""The params: `units` of memory for nodes and edges; `guesses` is 1 where the game's estimate judges new positions."""


class MctsBuffers(NamedTuple):
    """What the simulations of one decision write to."""

    states: Array  # the position of the simulation, what its mover sees, and two for the playout
    line: Array  # node, edge and mover of every decision in a simulation
    moves: Array
    replies: Array
    chances: Array
    rewards: Array  # one a seat, scaled to 0..1
    net: Any  # a Judge, or None


def think(game, board, view, acts, net, memory, params, report, rng):
    settings = params.view(Settings)[0]
    tree = open_tree(memory, np.int64(settings.units), is_determined(game, board), rng)
    wide = max(board.actions, board.outcomes)
    moves, replies, chances = np.empty(wide, np.int32), np.empty(wide, np.int32), np.empty(wide, np.float64)
    states, line = np.empty(4, game.State), np.empty((LONGEST, 3), np.int64)
    buffers = MctsBuffers(states, line, moves, replies, chances, np.empty(board.seats, np.float64), net)
    done, deepest = simulate(game, board, view, tree, acts.shape[0], settings, buffers, rng)
    return choose(game, board, tree, acts, done, deepest, report, rng)


def simulate(game, board, view, tree, count, settings, buffers, rng):
    """Grow the tree from the decision at hand; returns the simulations made and the longest line."""
    limit = np.int64(settings.simulations) if settings.simulations > 0.0 else np.int64(MOST_SIMULATIONS)
    deadline = deadline_after(settings.time)
    guessing = settings.guesses > 0.0
    me, key = game.to_move(board, view), game.hash(board, view)
    worlds = np.empty(max(board.actions, board.outcomes), np.int32)
    possible = game.believe(board, view, me, worlds) if game.believes else 0
    determined = is_determined(game, board)
    root = node_of(tree, key, count, first_capacity(count))
    if tree.nodes[root].visits > MOST_SIMULATIONS:
        forget(tree)
        root = node_of(tree, key, count, first_capacity(count))
    solved = determined and result_of(tree, root) != UNKNOWN
    done, deepest = np.int64(0), np.int64(0)
    stop = tree.head[STOP // 8 :]
    while done == 0 or goes_on(done, limit, deadline, stop, solved):
        # 1. A world as it may be, from the decision at hand or from the start of its round.
        if tree.head[FULL]:
            root = prune(tree, latest(tree.nodes, root), determined)
        state = buffers.states[0]
        copy(state, view)
        if game.believes:
            game.reveal(board, state, me, np.int64(worlds[below(rng, possible)]))
        elif game.hides:
            game.resample(board, state, me, rng)
        root = latest(tree.nodes, root)
        node, mover, explorer = root, me, EVERYBODY
        if game.rewinds:
            explorer = me if below(rng, 2) == 0 else below(rng, board.seats)
            game.rewind(board, state)
            mover = game.to_move(board, state)
            start = key_of(game, board, state, mover, buffers.states[1])
            first = game.legal(board, state, buffers.moves)
            node = node_of(tree, start, first, first_capacity(first))

        # 2. Down the tree. 3. Beyond it. 4. And back: every mover learns what it got, and what is proven.
        length, mover, proven = descend(game, board, tree, node, mover, explorer, settings.exploration, buffers, rng)
        deepest = max(deepest, length)
        if proven:
            result = share_out(buffers.rewards, mover, tree.edges[buffers.line[length - 1, 1]])
        else:
            result = play_on(game, board, tree, mover, guessing, buffers.net, buffers, rng)
        if game.rewinds:
            regret(tree, buffers, length, rng)
        else:
            learn(tree, buffers, length)
        if determined and mover == OVER:
            mover = buffers.line[length - 1, 2]
            result = buffers.rewards[mover]
        if determined and result != UNKNOWN and one_takes_it(buffers.rewards):
            solved = prove(tree, buffers.line, length, mover, result, board.seats) or solved
        done += 1
    tree.head[ROOT] = latest(tree.nodes, root)
    return done, deepest


def is_determined(game, board):
    """Whether a move leads to one position, seen by all."""
    return not game.hides and board.outcomes == 0


def goes_on(done, limit, deadline, stop, solved):
    """Whether another simulation is to be made; clock and flag are looked at now and then."""
    if solved or done >= limit:
        return False
    return done & 15 != 0 or not is_time_up(stop, deadline)


def descend(game, board, tree, node, mover, explorer, exploration, buffers, rng):
    """Follow edges not tried yet, then those with the highest upper confidence bound, out of the tree.

    Returns how many, who moves there, and whether the last edge is proven: then it has not been followed.
    """
    nodes, edges, line, moves = tree.nodes, tree.edges, buffers.line, buffers.moves
    determined, length, plies = is_determined(game, board), 0, 0
    while node > 0 and plies < LONGEST:
        state, edge = buffers.states[0], np.int64(0)
        plies += 1
        if explorer in (EVERYBODY, mover):
            if wants_edge(tree, node):
                game.legal(board, state, moves)
                node = enlarge(tree, node)
                edge = add_edge(tree, node, moves)
            elif game.rewinds:
                explores = unit(rng) < EXPLORING
                edge = node + 1 + below(rng, nodes[node].tried) if explores else regretted(tree, node, rng)
            else:
                edge = best_edge(nodes[node], edges, node + 1, exploration)
            line[length, 0], line[length, 1], line[length, 2] = node, edge, mover
            length += 1
            if determined and edges[edge].proven:
                return length, mover, True
            action = np.int64(edges[edge].action)
        elif not wants_edge(tree, node):
            action = np.int64(edges[regretted(tree, node, rng)].action)
        else:
            action = np.int64(pick_action(game, board, state, moves, rng))
        game.apply(board, state, action)
        mover = game.to_move(board, state)
        while mover == CHANCE:
            game.apply(board, state, draw_outcome(game, board, state, moves, buffers.chances, rng))
            mover = game.to_move(board, state)
        if mover == OVER:
            break
        node = latest(nodes, np.int64(edges[edge].child)) if determined else np.int64(0)
        if node == 0:
            key = key_of(game, board, state, mover, buffers.states[1])
            node = meet(tree, key)
            if node == SEEN:
                count = game.legal(board, state, moves)
                node = make_node(tree, key, count, first_capacity(count))
            if determined and node > 0:
                edges[edge].child = node
    return length, mover, False


def best_edge(header, edges, first, exploration):
    """The edge with the highest upper confidence bound among the first `tried` ones; a proven one is what it is."""
    seen = header.visits
    bonus = exploration * (ROOTS[seen] if seen < ROOTS.shape[0] else math.sqrt(math.log(seen + 1)))
    best, highest = first, -1.0
    for edge in range(first, first + header.tried):
        visits = edges[edge].visits
        share = SHARES[visits] if visits < SHARES.shape[0] else 1.0 / math.sqrt(visits)
        bound = edges[edge].total * share * share
        if not edges[edge].proven:
            bound += bonus * share
        elif edges[edge].total == visits:  # nothing is better than a proven win
            return edge
        if bound > highest:
            best, highest = edge, bound
    return best


def play_on(game, board, tree, mover, guessing, net, buffers, rng):
    """Fill the rewards by a guess or by a random game to the end; returns what is proven for the mover."""
    state, rewards, result = buffers.states[0], buffers.rewards, UNKNOWN
    counts = tree.head[PLAYOUTS : PLAYOUTS + 2]
    if mover == OVER:
        game.returns(board, state, rewards)
    elif net is not None:
        result = guess(game, board, mover, net, buffers, counts)
    elif guessing:
        game.evaluate(board, state, rewards)
    elif not game.hides and pays(counts):
        spare, moves, replies, chances = buffers.states[2:], buffers.moves, buffers.replies, buffers.chances
        result = sharp_playout(game, board, state, spare, moves, replies, chances, rewards, counts, rng)
    else:
        playout(game, board, state, buffers.moves, buffers.chances, rng)
        game.returns(board, state, rewards)
    scale = 1.0 / (board.high - board.low)
    for seat in range(board.seats):
        rewards[seat] = (rewards[seat] - board.low) * scale
    return result


def guess(game, board, mover, net, buffers, counts):
    """Fill the rewards by the net, unless the mover can win at once: nets know plans better than the next move."""
    state, rewards = buffers.states[0], buffers.rewards
    if not game.hides and pays(counts):
        count = game.legal(board, state, buffers.moves)
        if find_win(game, board, state, mover, buffers.states[2], buffers.moves, count, rewards, counts) >= 0:
            return 1.0
    judge(game, board, state, net, rewards)
    return UNKNOWN


def learn(tree, buffers, length):
    """Every mover of a line adds what it got."""
    for ply in range(length):
        node, edge, mover = buffers.line[ply, 0], buffers.line[ply, 1], buffers.line[ply, 2]
        tree.nodes[node].visits += 1
        tree.edges[edge].visits += 1
        tree.edges[edge].total += buffers.rewards[mover]


def choose(game, board, tree, acts, done, deepest, report, rng):
    """The best move; where seats commit at the same time, one drawn as often as it was the best known."""
    root = tree.head[ROOT]
    edges, first, tried = tree.edges, root + 1, tree.nodes[root].tried
    if tried == 0:  # the round began with other seats, and no simulation came this far
        return np.int64(acts[below(rng, acts.shape[0])])
    shares, mean = np.zeros(tried, np.float64), 0.0
    for index in range(tried):
        shares[index] = tree.choices[first + index].taken if game.rewinds else edges[first + index].visits
    if game.rewinds and shares.sum() > 0.0:
        shares /= shares.sum()
        chosen, left = first - 1, unit(rng)
        while left >= 0.0 and chosen < root + tried:
            chosen += 1
            left -= shares[chosen - first]
        for index in range(tried):
            mean += shares[index] * mean_of(edges[first + index])
    else:
        shares /= max(1.0, shares.sum())
        chosen = favourite(tree, root)
        mean = mean_of(edges[chosen])
    report[VALUE] = board.low + mean * (board.high - board.low)
    report[WORK], report[DEPTH] = done, deepest
    if report.shape[0] > POLICY:
        report[POLICY:] = 0.0
        for index in range(acts.shape[0]):
            for place in range(tried):
                if edges[first + place].action == acts[index]:
                    report[POLICY + index] = shares[place]
    return np.int64(edges[chosen].action)


def favourite(tree, node):
    """The most visited edge of a node (of equal ones the better), unless a proven one brings more."""
    edges, best, proven = tree.edges, np.int64(0), np.int64(0)
    for edge in range(node + 1, node + 1 + tree.nodes[node].tried):
        mean, visits = mean_of(edges[edge]), edges[edge].visits
        if edges[edge].proven:
            if proven == 0 or (mean, visits) > (mean_of(edges[proven]), edges[proven].visits):
                proven = edge
        elif best == 0 or (visits, mean) > (edges[best].visits, mean_of(edges[best])):
            best = edge
    return proven if best == 0 or (proven > 0 and mean_of(edges[proven]) >= mean_of(edges[best])) else best


def mean_of(edge):
    return edge.total / edge.visits if edge.visits > 0 else 0.0


# ---------------------------------------------------------------- simultaneous moves


def regretted(tree, node, rng):
    """An edge drawn in proportion to its regret, or any if none has some."""
    total, first, tried = 0.0, node + 1, tree.nodes[node].tried
    for edge in range(first, first + tried):
        total += tree.choices[edge].regret
    if total <= 0.0:
        return first + below(rng, tried)
    left, chosen = unit(rng) * total, first
    for edge in range(first, first + tried):
        if tree.choices[edge].regret > 0.0:
            chosen = edge
            left -= tree.choices[edge].regret
            if left < 0.0:
                break
    return chosen


def regret(tree, buffers, length, rng):
    """The explorer learns what it got, and at each of its nodes what it regrets; the regrets then choose."""
    for ply in range(length):
        node, edge, mover = buffers.line[ply, 0], tree.choices[buffers.line[ply, 1]], buffers.line[ply, 2]
        mean = mean_of(edge)
        tree.nodes[node].visits += 1
        edge.visits += 1
        edge.total = (mean + (buffers.rewards[mover] - mean) * edge.visits**-FADING) * edge.visits
        if wants_edge(tree, node):
            continue
        regrets, value = 0.0, 0.0
        for other in range(node + 1, node + 1 + tree.nodes[node].tried):
            regrets += tree.choices[other].regret
            value += tree.choices[other].regret * mean_of(tree.choices[other])
        value = value / regrets if regrets > 0.0 else 0.0
        visits = tree.nodes[node].visits
        halves = visits & (visits - 1) == 0  # now and then, so that what was learned late counts most
        for other in range(node + 1, node + 1 + tree.nodes[node].tried):
            choice = tree.choices[other]
            choice.regret = max(0.0, choice.regret + mean_of(choice) - value)
            choice.taken = choice.taken >> 1 if halves else choice.taken
        tree.choices[regretted(tree, node, rng)].taken += 1


# ---------------------------------------------------------------- proofs


def one_takes_it(rewards):
    """Whether what a seat gets is lost by the others: then whoever gets all leaves nothing, and of two seats each knows
    what the other gets. Alone, a seat need not ask."""
    return rewards.shape[0] == 1 or abs(rewards.sum() - 1.0) < 1e-9


def prove(tree, line, length, seat, result, seats):
    """Mark what is proven by a line at whose end `seat` gets `result`; returns whether that decides the root too."""
    for ply in range(length - 1, -1, -1):
        node, edge, mover = line[ply, 0], tree.edges[line[ply, 1]], line[ply, 2]
        if mover != seat:
            if seats > 2 and result < 1.0:  # who of the others gets the rest is not known
                return False
            seat, result = mover, 1.0 - result
        edge.proven, edge.total = 1, result * edge.visits
        result = result_of(tree, node)
        if result == UNKNOWN:
            return False
        if result == 1.0:
            tree.nodes[node].count = tree.nodes[node].tried  # nothing else is worth trying
    return True


def result_of(tree, node):
    """What best play brings the mover: a proven win, or the best edge if all are proven; else UNKNOWN."""
    header, edges = tree.nodes[node], tree.edges
    best, every = UNKNOWN, header.tried == header.count
    for edge in range(node + 1, node + 1 + header.tried):
        if edges[edge].proven:
            best = max(best, mean_of(edges[edge]))
        else:
            every = False
    return best if every or best == 1.0 else UNKNOWN


def share_out(rewards, mover, edge):
    """What a proven edge brings its mover, which is returned, and to the others in equal parts the rest."""
    result = mean_of(edge)
    for seat in range(rewards.shape[0]):
        rewards[seat] = result if seat == mover else (1.0 - result) / (rewards.shape[0] - 1)
    return result


# ---------------------------------------------------------------- nodes and edges


def first_capacity(count):
    return count if count <= NARROW else NARROW // 4


def wants_edge(tree, node):
    """Whether a node should try something new. A wide one has about 2 edges a root of its visits."""
    header = tree.nodes[node]
    if header.tried == header.count or header.count <= NARROW:
        return header.tried < header.count
    if header.tried * header.tried >= 4 * (header.visits + 1):
        return False
    if header.tried == header.capacity and tree.head[FREE] + units(2 * header.capacity) > tree.nodes.shape[0]:
        tree.head[FULL] = 1
        return False
    return True


def enlarge(tree, node):
    """Move a node that is full to where there is twice the capacity."""
    old = tree.nodes[node]
    if old.tried < old.capacity:
        return node
    moved = new_node(tree, old.key, np.int64(old.count), np.int64(min(2 * old.capacity, old.count)))
    tree.nodes[moved].visits, tree.nodes[moved].tried = old.visits, old.tried
    for index in range(old.tried):
        copy(tree.edges[moved + 1 + index], tree.edges[node + 1 + index])
    old.tried = -moved
    return moved


def add_edge(tree, node, moves):
    """An edge for one of the moves not tried yet. The order is that of the multiples of a prime from a random start."""
    header = tree.nodes[node]
    edge = node + 1 + header.tried
    start = np.int64(mix(header.key ^ np.uint64(tree.head[SALT])) >> np.uint64(16))
    tree.edges[edge].action = moves[(start + np.int64(header.tried) * PRIME) % header.count]
    tree.edges[edge].child, tree.edges[edge].visits, tree.edges[edge].proven, tree.edges[edge].total = 0, 0, 0, 0.0
    header.tried += 1
    return edge


# ---------------------------------------------------------------- the player


@dataclass(frozen=True, repr=False)
class Mcts(Simulating, Valued):
    name = "mcts"
    summary = "Monte Carlo tree search: any game, chance and hidden information included"
    tells = "policy"
    usual_simulations = 1000
    decide, decide_by_value = deciders(think)

    simulations: int = setting(0, 0, MOST_SIMULATIONS)
    """Simulations for one decision; 0 is no limit (1000 where time sets none either)."""
    time: float = setting(0.0, 0.0, 86_400.0)
    """Seconds for one decision; 0 is no limit."""
    exploration: float = setting(0.5, 0.0, 100.0)
    """How much a move gains from being visited little; rewards are scaled to 0..1."""
    leaf: Literal["rollout", "evaluate"] = setting("rollout")
    """What a new position is worth: the end of a random game, or the game's own estimate."""

    def refuses(self, game: Game, board: Any) -> str | None:
        if self.leaf == "evaluate" and not game.evaluates:
            return "the game has no estimate of positions; use leaf=rollout"
        return None

    def prepare(self, game: Game, boards: Array) -> Prepared:
        simulations = self.simulations_allowed()
        size = min(4 * simulations + 256, MOST_UNITS) if simulations else MOST_UNITS // 2
        size = affordable(size, LEAST_UNITS, UNIT + SLOT)
        size += -size % 8  # whole slots and whole cache lines
        guesses = 1.0 if self.leaf == "evaluate" else 0.0
        params = filled(Settings, self, simulations=float(simulations), units=float(size), guesses=guesses)
        return Prepared.of(data=self.value_data(game, boards), memory=size * (UNIT + SLOT), params=params)

    def line(self, position: PositionView, action: int, memory: Array) -> tuple[str, ...]:
        """The most visited way on, where the tree is one of moves alone."""
        if position.game.hides or position.board.outcomes > 0:
            return ()
        tree = tree_in(memory, (len(memory) - HEADER) // (UNIT + SLOT))
        line: list[int] = []
        node = int(tree.head[ROOT])
        while node > 0 and tree.nodes[node].tried > 0 and len(line) < LINE:
            best = int(favourite(tree, node))
            line.append(int(tree.edges[best].action) if line else action)
            node = latest(tree.nodes, int(tree.edges[best].child))
        return position.spelled(line)
