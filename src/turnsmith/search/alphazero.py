"""AlphaZero's search: a net proposes moves and judges positions, and every simulation ends at the first new one (PUCT).

Any number of seats, each caring for its own return; chance is drawn anew in every simulation, and so is what is hidden
from the seat that decides: a node is what its mover sees. At the root, moves are
considered as in Gumbel AlphaZero: the likeliest few, drawn with Gumbel noise where games are to differ, get equal
shares of the simulations, and the worse half is dropped again and again; what comes out is a better policy than the
net's even after few simulations, and the policy that nets are trained on.

Nodes are found by their hash and have an edge for every move; a seat's memory keeps the tree through a match.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from turnsmith.game import CHANCE, OVER, Array, Game
from turnsmith.kernel import copy, is_set, now
from turnsmith.learn.files import until_changed
from turnsmith.learn.nets import forward, read_net, sizes_of
from turnsmith.observe import observe, remembered
from turnsmith.player import DEPTH, POLICY, STOP, VALUE, WORK, CompiledPlayer, Prepared, filled, numbers
from turnsmith.position import Look
from turnsmith.rng import below, unit
from turnsmith.search.tree import (
    FULL,
    ROOT,
    SLOT,
    UNIT,
    forget,
    key_of,
    make_node,
    meet,
    open_tree,
    prune,
)
from turnsmith.search.value import MOST_HIDDEN, MOST_INPUTS, data_of, judge_in
from turnsmith.step import draw_outcome, see
from turnsmith.texts import BadInput, FileName, setting

USUAL_SIMULATIONS = 200
MOST_SIMULATIONS = 100_000_000
MOST_UNITS = 6 << 20
LONGEST = 512
MOST_CONSIDERED = 64
FIRST_VISITS, SCALE = 50.0, 0.1
"""How much what was found weighs against the net's own opinion at the root: SCALE times the most visits of a move, and
FIRST_VISITS more."""

Settings = numbers("simulations", "time", "units", "exploration", "considered", "noise")
"""The params: `units` of memory; `noise`: how much Gumbel noise there is at the root."""


class Buffers(NamedTuple):
    """What the simulations of one decision write to."""

    states: Array
    line: Array  # node, edge and mover of every decision in a simulation
    moves: Array
    chances: Array
    rewards: Array  # one a seat, scaled to 0..1
    logits: Array  # one a legal move
    net: Any  # a Judge, or None where all moves are equally likely and nothing is known


def decide(game, board, view, acts, data, memory, params, report, rng):
    return think(game, board, view, acts, None, memory, params, report, rng)


def decide_by_net(game, board, view, acts, data, memory, params, report, rng):
    return think(game, board, view, acts, judge_in(game, data), memory, params, report, rng)


def think(game, board, view, acts, net, memory, params, report, rng):
    settings = params.view(Settings)[0]
    tree = open_tree(memory, np.int64(settings.units), is_determined(game, board), rng)
    wide = max(board.actions, board.outcomes)
    buffers = Buffers(
        np.empty(2, game.State), np.empty((LONGEST, 3), np.int64), np.empty(wide, np.int32), np.empty(wide, np.float64),
        np.empty(board.seats, np.float64), np.empty(wide, np.float64), net,
    )  # fmt: skip
    me, key = game.to_move(board, view), game.hash(board, view)
    root = root_of(game, board, view, me, key, tree, buffers)
    count = np.int64(acts.shape[0])
    noise, before = np.zeros(count), np.empty(count, np.int64)
    for index in range(count):
        before[index] = tree.priors[root + 2 + index].visits
        if settings.noise > 0.0:
            noise[index] = -settings.noise * math.log(-math.log(unit(rng) + 1e-12) + 1e-12)
    limit = np.int64(settings.simulations) if settings.simulations > 0.0 else np.int64(MOST_SIMULATIONS)
    deadline = now() + np.int64(settings.time * 1e9) if settings.time > 0.0 else np.int64(0)
    plan = Plan(np.int64(min(max(1.0, settings.considered), min(count, MOST_CONSIDERED))), limit, np.zeros(4, np.int64))
    begin_plan(plan)
    scores, worlds = np.empty(count), np.empty(wide, np.int32)
    possible = game.believe(board, view, me, worlds) if game.believes else 0
    done, deepest, stop = np.int64(0), np.int64(0), tree.head[STOP // 8 :]
    while done == 0 or (done < limit and not ((done & 15) == 0 and must_stop(stop, deadline))):
        if tree.head[FULL]:
            root = prune(tree, root, is_determined(game, board))
            if tree.head[FULL]:
                break
        copy(buffers.states[0], view)
        if game.believes:
            game.reveal(board, buffers.states[0], me, np.int64(worlds[below(rng, possible)]))
        elif game.hides:
            game.resample(board, buffers.states[0], me, rng)
        first = (
            considered_edge(tree, root, count, noise, before, plan, scores)
            if deadline == 0
            else likely_edge(tree, root, settings.exploration)
        )
        length = simulate(game, board, tree, root, first, me, settings.exploration, buffers, rng)
        deepest = max(deepest, length)
        done += 1
    tree.head[ROOT] = root
    return choose(board, tree, root, count, noise, before, scores, deadline > 0, done, deepest, report)


def is_determined(game, board):
    """Whether a move leads to one position, seen by all."""
    return not game.hides and board.outcomes == 0


def must_stop(stop, deadline):
    return is_set(stop) or (deadline > 0 and now() >= deadline)


def root_of(game, board, view, me, key, tree, buffers):
    """The node of the decision at hand, in a tree that has room for it."""
    root = meet(tree, key)
    if root <= 0:
        copy(buffers.states[0], view)
        ask(game, board, me, buffers.net, buffers)
        root = add_node(game, board, tree, key, me, buffers)
    if root == 0:  # a full memory is emptied for it
        forget(tree)
        meet(tree, key)
        root = add_node(game, board, tree, key, me, buffers)
    return root


def ask(game, board, mover, net, buffers):
    """Fill rewards and logits for the position that buffers.states[0] holds, and the legal moves."""
    state = buffers.states[0]
    count = game.legal(board, state, buffers.moves)
    seats, rewards = np.int64(board.seats), buffers.rewards
    if net is None:
        for seat in range(seats):
            rewards[seat] = 0.5
        for index in range(count):
            buffers.logits[index] = 0.0
        return count
    if game.hides:
        see(game, board, state, net.views[0], mover)
        observe(game, board, net.views[0], mover, net.slots, net.inputs)
    else:
        observe(game, board, state, mover, net.slots, net.inputs)
    said = forward(net.weights, net.sizes, net.inputs, net.one, net.other)
    actions = np.int64(board.actions)
    for index in range(count):
        buffers.logits[index] = said[buffers.moves[index]]
    if said.shape[0] == actions + 1:
        share = 1.0 / (1.0 + math.exp(-np.float64(said[actions])))
        for seat in range(seats):
            rewards[seat] = share if seat == mover else 1.0 - share
    else:
        for place in range(seats):
            rewards[(mover + place) % seats] = 1.0 / (1.0 + math.exp(-np.float64(said[actions + place])))
    return count


def add_node(game, board, tree, key, mover, buffers):
    """A node for what was just asked about, its view noted before; 0 if the memory is full."""
    count = game.legal(board, buffers.states[0], buffers.moves)
    node = make_node(tree, key, count, count + 1)
    if node <= 0:
        return np.int64(0)
    greatest, total = -np.inf, 0.0
    for index in range(count):
        greatest = max(greatest, buffers.logits[index])
    for index in range(count):
        total += math.exp(buffers.logits[index] - greatest)
    shift = greatest + math.log(total)
    tree.nodes[node].tried = count + 1
    own = tree.priors[node + 1]
    own.action, own.child, own.visits, own.total = mover, 0, 0, 0.0
    own.prior = buffers.rewards[mover]
    for index in range(count):
        edge = tree.priors[node + 2 + index]
        edge.action, edge.child, edge.visits, edge.total = buffers.moves[index], 0, 0, 0.0
        edge.prior = buffers.logits[index] - shift
    return node


def simulate(game, board, tree, node, edge, mover, exploration, buffers, rng):
    """Follow edges, the first being given, to a new position or the end; add its node; and tell all on the way."""
    line, state, length, key = buffers.line, buffers.states[0], np.int64(0), np.uint64(0)
    linked = is_determined(game, board)
    while True:
        line[length, 0], line[length, 1], line[length, 2] = node, edge, mover
        length += 1
        game.apply(board, state, np.int64(tree.priors[edge].action))
        mover = game.to_move(board, state)
        while mover == CHANCE:
            game.apply(board, state, draw_outcome(game, board, state, buffers.moves, buffers.chances, rng))
            mover = game.to_move(board, state)
        if mover == OVER:
            break
        node = np.int64(tree.priors[edge].child) if linked else np.int64(0)
        if node == 0:
            key = key_of(game, board, state, mover, buffers.states[1])
            node = meet(tree, key)
            if node > 0 and linked:
                tree.priors[edge].child = node
        if node <= 0 or length == LONGEST:
            break
        edge = likely_edge(tree, node, exploration)
    if mover == OVER:
        game.returns(board, state, buffers.rewards)
        scale = 1.0 / (board.high - board.low)
        for seat in range(board.seats):
            buffers.rewards[seat] = (buffers.rewards[seat] - board.low) * scale
    else:
        ask(game, board, mover, buffers.net, buffers)
        if node <= 0:
            add_node(game, board, tree, key, mover, buffers)
    for ply in range(length):
        node, edge, seat = line[ply, 0], line[ply, 1], line[ply, 2]
        tree.nodes[node].visits += 1
        tree.priors[node + 1].total += buffers.rewards[seat]
        tree.priors[edge].visits += 1
        tree.priors[edge].total += buffers.rewards[seat]
    return length


def mean_at(tree, node):
    """What the mover of a node may expect: the net's opinion and all that was found."""
    own = tree.priors[node + 1]
    return (own.prior + own.total) / (1.0 + tree.nodes[node].visits)


def likely_edge(tree, node, exploration):
    """The edge with the highest upper confidence bound; one not tried yet is expected to bring what the node does."""
    visits = tree.nodes[node].visits
    bonus, unknown = exploration * math.sqrt(visits + 1.0), mean_at(tree, node)
    best, highest = node + 2, -np.inf
    for place in range(node + 2, node + 1 + tree.nodes[node].tried):
        edge = tree.priors[place]
        mean = edge.total / edge.visits if edge.visits > 0 else unknown
        bound = mean + bonus * math.exp(edge.prior) / (1.0 + edge.visits)
        if bound > highest:
            best, highest = place, bound
    return best


# ---------------------------------------------------------------- the root


class Plan(NamedTuple):
    """Sequential halving: how many moves get how many simulations. state: how many moves are in the race, how often all
    of them are still visited, the visits they have, and which of them is next."""

    considered: Any
    simulations: Any
    state: Array


def begin_plan(plan):
    plan.state[0], plan.state[2], plan.state[3] = plan.considered, 0, 0
    plan.state[1] = rounds_of(plan, plan.considered)


def rounds_of(plan, many):
    halvings = max(1, np.int64(math.ceil(math.log2(max(2, plan.considered)))))
    return max(1, plan.simulations // (halvings * many))


def next_visits(plan):
    """The visits that the move to be visited next has in this decision: among those with so many, the best goes on."""
    if plan.considered <= 1:
        plan.state[2] += 1
        return plan.state[2] - 1
    visits = plan.state[2]
    plan.state[3] += 1
    if plan.state[3] == plan.state[0]:  # all in the race have been visited once more
        plan.state[3] = 0
        plan.state[2] += 1
        plan.state[1] -= 1
        if plan.state[1] == 0:
            plan.state[0] = max(2, plan.state[0] // 2)
            plan.state[1] = rounds_of(plan, plan.state[0])
    return visits


def weigh(tree, root, count, noise, scores):
    """Fill scores with noise, the net's opinion and what was found: what moves not visited bring is what the visited
    ones do, as far as the net finds them likely, and all are scaled to 0..1 between the worst and the best."""
    visits, chance, found, most = 0, 0.0, 0.0, 0
    for index in range(count):
        edge = tree.priors[root + 2 + index]
        if edge.visits > 0:
            visits += edge.visits
            most = max(most, edge.visits)
            chance += math.exp(edge.prior)
            found += math.exp(edge.prior) * edge.total / edge.visits
    own = np.float64(tree.priors[root + 1].prior)
    mixed = own if visits == 0 else (own + visits * found / max(chance, 1e-12)) / (1.0 + visits)
    worst, best = np.inf, -np.inf
    for index in range(count):
        edge = tree.priors[root + 2 + index]
        scores[index] = edge.total / edge.visits if edge.visits > 0 else mixed
        worst, best = min(worst, scores[index]), max(best, scores[index])
    scale = (FIRST_VISITS + most) * SCALE / max(best - worst, 1e-8)
    for index in range(count):
        scores[index] = noise[index] + tree.priors[root + 2 + index].prior + scale * (scores[index] - worst)


def considered_edge(tree, root, count, noise, before, plan, scores):
    """The edge of the root that is next in the race."""
    wanted = next_visits(plan)
    weigh(tree, root, count, noise, scores)
    best = np.int64(-1)
    for index in range(count):
        visits = tree.priors[root + 2 + index].visits - before[index]
        if visits == wanted and (best < 0 or scores[index] > scores[best]):
            best = np.int64(index)
    if best < 0:  # a tree that was pruned has lost count
        best = np.int64(np.argmax(scores))
    return root + 2 + best


def choose(board, tree, root, count, noise, before, scores, by_visits, done, deepest, report):
    """The move that is best among those that were visited most; tells the better policy."""
    weigh(tree, root, count, noise, scores)
    best, most = np.int64(0), np.int64(-1)
    for index in range(count):
        visits = np.int64(tree.priors[root + 2 + index].visits) - (0 if by_visits else before[index])
        if visits > most or (visits == most and scores[index] > scores[best]):
            best, most = np.int64(index), visits
    edge = tree.priors[root + 2 + best]
    mean = edge.total / edge.visits if edge.visits > 0 else mean_at(tree, root)
    report[VALUE] = board.low + mean * (board.high - board.low)
    report[WORK], report[DEPTH] = done, deepest
    if report.shape[0] > POLICY:
        greatest, total = -np.inf, 0.0
        for index in range(count):
            scores[index] -= noise[index]
            greatest = max(greatest, scores[index])
        for index in range(count):
            report[POLICY + index] = math.exp(scores[index] - greatest)
            total += report[POLICY + index]
        for index in range(count):
            report[POLICY + index] /= total
    return np.int64(edge.action)


# ---------------------------------------------------------------- the player


@dataclass(frozen=True, repr=False)
class AlphaZero(CompiledPlayer):
    name: ClassVar[str] = "alphazero"
    summary: ClassVar[str] = "tree search led by a net that learned from its own games; train it for any game"

    decide: ClassVar[Callable[..., Any]] = decide

    net: Annotated[str, FileName()] = setting("")
    """A file of `turnsmith train alphazero`; without one all moves are alike to it and only ends of games count."""
    simulations: int = setting(0, 0, MOST_SIMULATIONS)
    """Simulations for one decision; 0 is no limit (200 where time sets none either)."""
    time: float = setting(0.0, 0.0, 86_400.0)
    """Seconds for one decision; 0 is no limit."""
    exploration: float = setting(1.0, 0.0, 100.0)
    """How much a move gains from being likely and visited little; rewards are scaled to 0..1."""
    considered: int = setting(16, 1, MOST_CONSIDERED)
    """Moves that are considered at the root, where simulations set the limit."""
    noise: float = setting(0.0, 0.0, 10.0)
    """Gumbel noise at the root: 1 draws moves from the better policy, 0 takes the best."""

    def decider(self) -> Callable[..., Any]:
        return decide_by_net if self.net else decide

    def within(self, seconds: float) -> AlphaZero:
        simulations = self.simulations or (0 if self.time > 0 else USUAL_SIMULATIONS)
        return replace(self, simulations=simulations, time=min(self.time or seconds, seconds))

    def refuses(self, game: Game, board: Any) -> str | None:
        if game.rewinds:
            return "seats decide at the same time here, and it takes one move after another; use mcts"
        return None

    def prepare(self, game: Game, boards: Array) -> Prepared:
        simulations = self.simulations or (0 if self.time > 0 else USUAL_SIMULATIONS)
        wide = 2 + int(boards[0]["actions"])
        size = min(2 * simulations * wide + 4 * wide + 256, MOST_UNITS) if simulations else MOST_UNITS // 2
        size += -size % 8
        params = filled(Settings, self, simulations=float(simulations), units=float(size))
        data = net_in(game, boards, Path(self.net)) if self.net else None
        return Prepared.of(data=data, memory=size * (UNIT + SLOT), params=params)

    def note(self, position: Look, action: int, report: Array, memory: Array) -> str:
        return f"{int(report[WORK]):,} simulations, lines up to {int(report[DEPTH])} decisions long"


_read = until_changed(read_net)


def net_in(game: Game, boards: Array, path: Path) -> Array:
    """The data of the net in a file, refused where it was trained for something else than this board."""
    net = _read(path)
    told, seats, actions = net.about, int(boards[0]["seats"]), int(boards[0]["actions"])
    if told.get("kind") != "alphazero":
        raise BadInput(f"{path} is no net of AlphaZero; train one: turnsmith train alphazero {game.text_name}")
    sizes = sizes_of(net.layers)
    try:
        seer = remembered(game, boards, told["sees"])
    except BadInput as error:
        raise BadInput(f"{path} was trained for {told.get('game')}, and {error}") from None
    outputs = (actions + 1, actions + seats) if seats == 2 else (actions + seats,)
    if seer.shape != sizes[:1] or sizes[-1] not in outputs:
        raise BadInput(
            f"{path} was trained for {told.get('game')}: it has {sizes[0]} inputs and {sizes[-1]} outputs, where "
            f"{game.text_name} shows {seer.shape[0]} numbers, {actions} moves and {seats} seats; train one for it"
        )
    if sizes[0] > MOST_INPUTS or max(sizes[1:-1], default=0) > MOST_HIDDEN:
        raise BadInput(f"{path} is too wide to search with: {MOST_INPUTS} inputs and {MOST_HIDDEN} numbers at most")
    return data_of(net, seer)
